"""The captions of figures: the text CAPTION of each figure, which the config fills in."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from repatlas.config.config import Config
from repatlas.config.sweeps import OfSweep
from repatlas.named import named

WORDS = Path(__file__).with_suffix(".rst")
STUDIES = Path(__file__).parents[1] / "studies"
OF_MULTIVERSE = WORDS.with_name("multiverse.rst")
"""The caption of the figure of claims in many settings."""
ABOUT = "about.rst"
"""The file of a study with the title of its page, and what that says of the study."""


def texts_of(study: str) -> list[Path]:
    """Return the files with what a study's page says of it, and what captions share."""
    return [WORDS, OF_MULTIVERSE, *(STUDIES / study).glob(ABOUT)]


def about_study(study: str) -> tuple[str, str]:
    """Return the title of a study's page, and what it says of the study, as reStructuredText; of a
    study that doesn't say it, its name."""
    path = STUDIES / study / ABOUT
    text = path.read_text(encoding="utf-8") if path.exists() else study
    title, _, about = text.partition("\n\n")
    return title.strip(), about


def caption(config: Config, study: str, figure: str) -> str:
    """Return the caption of a figure of a config, as reStructuredText."""
    module = named(f"studies.{study}", str(config.studies[study].figures[figure].draw))
    text = getattr(module, "CAPTION", f"**{figure}** has no caption yet: write ``CAPTION``.")
    return filled_in(text, figure, facts(config, study, figure))


def filled_in(text: str, figure: str, facts: dict[str, Any]) -> str:
    """Return the caption of a figure from its text and what that may say of the networks. Raises
    jinja2.UndefinedError where the text names a fact that there is not."""
    # Only here: few commands show a caption.
    from jinja2 import Environment, StrictUndefined

    words = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    words.filters["plain"] = _plain
    return words.from_string(WORDS.read_text(encoding="utf-8") + text).render(
        figure=figure, facts=facts
    )


def _plain(name: str) -> str:
    """Return a name of the user's as reStructuredText that prints it, whatever signs it has."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", name)


def facts(config: Config, study: str, figure: str) -> dict[str, Any]:
    """Return every setting of the networks of each role of a figure, as a list of values, and the
    number of seeds in the same way. The training step that the figure shows is added, or None."""
    of_study = config.studies[study]
    options = of_study.figures[figure]
    found: dict[str, Any] = {role: {} for role in options.figure.roles}
    for role, names in options.sweeps().items():
        grids = [grid for name in names for grid in of_study.sweeps[name]]
        deviations = {d for grid in grids for d in config.decoders_of(grid).test_deviations}
        found[role] = _settings(grids) | {"test_deviations": sorted(deviations)}
    return found | {"step": getattr(options, "step", None)}


def _settings(grids: Iterable[OfSweep]) -> dict[str, list]:
    """Return every value of each setting, in ascending order if the values are numbers."""
    found: dict[str, list] = {}
    for grid in grids:
        values = grid.model_dump(mode="json", exclude={"arrays"})
        parts = [values[name] for name in grid.settings if isinstance(values.get(name), dict)]
        for part in (*parts, values):
            for name, value in part.items():
                of_setting = found.setdefault(name, [])
                several = value if isinstance(value, list) else [value]
                of_setting += [each for each in several if each not in of_setting]
    return {
        name: sorted(values) if all(type(v) in (int, float) for v in values) else values
        for name, values in found.items()
    }
