"""What the caption of a figure may say."""

from collections.abc import Iterable
from typing import Any

from repatlas.artifacts.layout import MULTIVERSE
from repatlas.config.sweeps import OfSweep
from repatlas.figures.captions import OF_CLAIMS, OF_MULTIVERSE, Caption
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan


def caption(plan: Plan, figure: Product) -> Caption:
    """Return the caption of a figure."""
    return Caption(*figure, plan.figures[figure].draw, facts(plan, figure))


def caption_of_claims(plan: Plan, study: str, page: str) -> Caption:
    """Return the caption of a page of the figure of a study's claims."""
    [found] = [each for each in plan.overviews(study) if each.name == page]
    about = {"first": found.claims[0], "last": found.claims[-1]}
    return Caption(study, page, OF_CLAIMS, about)


def caption_of_multiverse(study: str) -> Caption:
    """Return the caption of the figure of a study's claims in many settings."""
    return Caption(study, MULTIVERSE, OF_MULTIVERSE, {})


def facts(plan: Plan, figure: Product) -> dict[str, Any]:
    """Return every setting of the networks of each role of a figure's sweeps, as a list of values,
    and the number of seeds in the same way. The training step that the figure shows is added, if
    it shows one."""
    roles = plan.figures[figure].figure.roles
    found: dict[str, Any] = {role: {} for role in roles}
    for role, sweeps in plan.figure_sweeps(figure).items():
        deviations = [plan.config.decoders_of(sweep).test_deviations for sweep in sweeps]
        several = sorted(set().union(*deviations))
        found[role] = _settings(sweeps) | {"test_deviations": several}
    return found | {"step": plan.step_of(figure)}


def _settings(sweeps: Iterable[OfSweep]) -> dict[str, list]:
    """Return every value of each setting, in ascending order if the values are numbers."""
    found: dict[str, list] = {}
    for sweep in sweeps:
        values = sweep.model_dump(mode="json", exclude={"arrays"})
        parts = [values[name] for name in sweep.settings if isinstance(values.get(name), dict)]
        for part in (*parts, values):
            for name, value in part.items():
                of_setting = found.setdefault(name, [])
                several = value if isinstance(value, list) else [value]
                of_setting += [each for each in several if each not in of_setting]
    return {
        name: sorted(values) if all(type(v) in (int, float) for v in values) else values
        for name, values in found.items()
    }
