"""The recipe of each kind of result: all that it depends on, without its inputs."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

from repatlas.claims.claims_file import TOLD, claims_path, read_claims
from repatlas.config.comparisons import Cohort, NetworkComparison
from repatlas.config.multiverse import number_of
from repatlas.config.representations import Comparison
from repatlas.figures.figure import Options
from repatlas.named import named
from repatlas.record import canonical
from repatlas.report.captions import texts_of
from repatlas.workflow import code, scopes
from repatlas.workflow.groups import Group, with_experiment, with_seeds

if TYPE_CHECKING:
    from repatlas.workflow.plan import Plan


def data(plan: "Plan", groups: list[Group]) -> dict[str, Any]:
    """Return the recipe of the data of these groups."""
    experiment, wanted = groups[0].experiment, plan.wanted(groups)
    prepare = named(f"experiments.{experiment}", "prepare")
    modules = {module for about in wanted for module in prepare.modules(about)}
    if hasattr(prepare, "without_paths"):
        wanted = [prepare.without_paths(about) for about in wanted]
    return {
        "experiment": experiment,
        "wanted": wanted,
        "seeds": groups[0].seeds if prepare.OWN_DATA else None,
        "code": plan.code(f"experiments.{experiment}.prepare", *modules),
    }


def training(plan: "Plan", group: Group) -> dict[str, Any]:
    """Return the recipe of a list of networks."""
    return {
        "experiment": group.experiment,
        "grids": group.records(),
        "code": plan.code(*scopes.training(group.experiment), *group.modules()),
    }


def measuring(plan: "Plan", group: Group) -> dict[str, Any]:
    """Return the recipe of the metrics of a group."""
    decoders = [plan.config.decoders_of(grid) for grid, _ in group.grids]
    return {
        "experiment": group.experiment,
        "grids": group.records(measured=True),
        "decoders": [each.model_dump(mode="json") for each in decoders],
        "code": plan.code(*scopes.metrics(group)),
    }


def cohorts(plan: "Plan", own: list[tuple[NetworkComparison, Cohort]]) -> dict[str, Any]:
    """Return the recipe of the pairs of these cohorts."""
    by = plan.code(*scopes.pairs(own))
    return {"cohorts": [cohort_record(*each) for each in own], "code": by}


def pairs_of_arrays(
    plan: "Plan", comparison: Comparison, groups: list[Group], within: bool
) -> dict[str, Any]:
    """Return the recipe of pairs of a user's arrays."""
    return {
        "comparison": comparison.model_dump(mode="json"),
        "grids": [record for group in groups for record in group.records()],
        "within": within,
        "code": plan.code(*scopes.pairs_of_arrays(groups, comparison.measures)),
    }


def figure(plan: "Plan", study: str, name: str, options: Options) -> dict[str, Any]:
    """Return the recipe of a figure, its table and its picture, without its inputs."""
    of_study = plan.studies[study]
    sweeps = {
        role: with_seeds(grid for sweep in of for grid in of_study.sweeps[sweep])
        for role, of in options.sweeps().items()
    }
    comparisons = {
        role: [
            {
                "name": key,
                "between": [
                    with_seeds(of_study.sweeps[sweep]) for sweep in of_study.comparison(key).between
                ],
            }
            for key in of
        ]
        for role, of in options.comparisons().items()
    }
    style, grids = plan.config.style.model_dump(mode="json"), plan.grids_of(study, options)
    shown = {a for g in grids for a in getattr(getattr(g, "network", None), "activation", [])}
    # Only the colours that it draws: another colour changes no other figure.
    style["colours"] = {k: colour for k, colour in style["colours"].items() if k in shown}
    return {
        "study": study,
        "figure": name,
        "draw": options.draw,
        "step": getattr(options, "step", None),
        "sweeps": sweeps,
        "comparisons": comparisons,
        "style": style,
        "preview": plan.config.preview,
        "title": _title(plan, study, name, options),
        "code": plan.code(*scopes.figure(study, options.draw, grids)),
    }


def _title(plan: "Plan", study: str, name: str, options: Options) -> dict[str, Any] | None:
    """Return what a figure found, with the claims that carry it, and what it draws. No claim is
    judged in a preview, or about a figure under another name."""
    figure, finding = options.figure, options.figure.finding
    if finding is None or (finding.carried and plan.config.preview):
        return None
    if finding.carried and options.draw != name:
        return {"says": figure.about, "carried": {}, "claims": [], "about": ""}
    claims = read_claims(study).claims if finding.carried else []
    carrying = [c.model_dump(exclude=TOLD) for c in claims if c.id in finding.carried]
    said = finding.with_setting(c.id for c in claims if c.in_our_setting)._asdict() | {
        "claims": carrying
    }
    return said | {"about": figure.about}


def claims(plan: "Plan", study: str) -> dict[str, Any]:
    """Return the recipe of a study's claims."""
    file = read_claims(study)  # a mistake in it is found before anything runs
    return {
        "study": study,
        "claims_file": hashlib.sha256(claims_path(study).read_bytes()).hexdigest()[:12],
        "preview": plan.config.preview,
        "code": plan.code(*scopes.verdicts(), *file.modules()),
    }


def multiverse(plan: "Plan", study: str, settings: dict[str, Options]) -> dict[str, Any]:
    """Return the recipe of a study's claims in these settings."""
    multiverse = plan.studies[study].multiverse
    assert multiverse is not None
    numbers = {name: number_of(name) for name in settings}
    drawn = {options.draw for options in settings.values()}
    known = read_claims(study).claims if claims_path(study).exists() else []
    claims = [c for c in known if c.figure in drawn and c.is_tried_by(multiverse.varies)]
    return {
        "study": study,
        "varies": multiverse.varies,
        "settings": multiverse.chosen()[: max(numbers.values()) + 1],
        "values": {key: choice.options for key, choice in multiverse.choices.items()},
        "figures": numbers,
        "tables": {n: figure(plan, study, n, options) for n, options in settings.items()},
        "claims": [c.model_dump(mode="json", exclude_unset=True, exclude=TOLD) for c in claims],
        "style": plan.config.style.model_dump(mode="json", exclude={"colours"}),
        "preview": plan.config.preview,
        "code": plan.code(*scopes.multiverse(study)),
    }


def report(plan: "Plan", study: str) -> dict[str, Any]:
    """Return the recipe of the page of a study."""
    texts = [*sorted((code.ROOT / code.PACKAGE / "report/page").iterdir()), *texts_of(study)]
    figures = plan.studies[study].figures.values()
    return {
        "study": study,
        "config": code.key(canonical(plan.config, {"accept_code"}))[:12],
        "texts": code.key(*(path.read_text(encoding="utf-8") for path in texts)),
        "code": plan.code(*scopes.report(study, figures)),
    }


def cohort_record(comparison: NetworkComparison, cohort: Cohort) -> dict[str, Any]:
    """Return all that the pairs of a cohort depend on, but its networks and the code."""
    keys = {"pairs", "similarities", "items", "layers", "svcca_k"}
    return comparison.model_dump(mode="json", include=keys) | {
        "comparison": comparison.key,
        "specs": [with_experiment(json.loads(canonical(s)), s) for s in cohort.specs],
        "seeds": cohort.seeds,
        "steps": list(cohort.steps),
    }
