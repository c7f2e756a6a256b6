"""Whether the figures of a config draw nothing that is false or empty."""

from collections.abc import Callable

from repatlas.config.study import Study
from repatlas.config.sweeps import OfSweep
from repatlas.figures.figure import Options
from repatlas.figures.role import check_alike, check_steps
from repatlas.record import refuse
from repatlas.representation import Decoders

DASHES = 4
"""The number of dash patterns that readers can distinguish."""


def check_figures(study: Study, decoders_of: Callable[[OfSweep], Decoders]) -> None:
    """Refuse the first figure that cannot be drawn from its sweeps."""
    for name, options in study.tabulated.items():
        _check_figure(study, f"figures.{name}", name, options, decoders_of)


def _check_figure(
    study: Study,
    where: str,
    name: str,
    options: Options,
    decoders_of: Callable[[OfSweep], Decoders],
) -> None:
    figure = options.figure
    for role, sweeps in options.sweeps().items():
        for sweep in sweeps:
            if sweep not in study.sweeps:
                allowed = ", ".join(study.sweeps) or "a sweep, and there is none"
                refuse(f"{where}.{role}: found {sweep!r}, allowed: {allowed}")
    known = [comparison.key for comparison in study.compare]
    for key, comparisons in options.comparisons().items():
        for comparison in comparisons:
            if comparison not in known:
                allowed = ", ".join(known) or "a comparison, and `compare` has none"
                refuse(f"{where}.{key}: found {comparison!r}, allowed: {allowed}")
        figure.comparisons[key].check(f"{where}.{key}", map(study.comparison, comparisons))
    grids = study.sweeps_of(name)
    for key, of_role in grids.items():
        role = figure.roles[key]
        role.check(f"{where}.{key}", of_role)
        role.check_axes(f"{where}.{key}", of_role)
        coarse = {sweep: grid.coarse() for sweep, grid in of_role.items()}
        previews = " and ".join(f"sweeps.{sweep}.preview" for sweep in of_role)
        role.check(f"{previews}, for {where}.{key}", coarse)
        for sweep, grid in of_role.items():
            _check_shown(where, key, sweep, grid, options, decoders_of(grid))
    for key, like, places, but in figure.alike:
        if key in grids:
            check_alike(f"{where}.{key}", grids[key], grids[like], f"{where}.{like}", places, but)


def _check_shown(
    where: str, key: str, name: str, sweep: OfSweep, options: Options, decoders: Decoders
) -> None:
    """Refuse a sweep that does not measure what the figure draws, at the steps that it shows."""
    figure, step = options.figure, getattr(options, "step", None)
    role, shown = figure.roles[key], None
    # Curves are drawn over all steps.
    if step is not None and not role.over_steps:
        if step not in sweep.steps:
            allowed = f"the steps of sweep {name!r}: {sweep.steps}"
            refuse(f"{where}.step: found {step}, allowed: {allowed}")
        shown = [0, step] if figure.shows_start else [step]
    check_steps(f"{where}.{key}", role, name, sweep, shown)
    if "decoding" in role.measures and len(decoders.test_deviations) > DASHES:
        refuse(
            f"{where}.{key}: found {len(decoders.test_deviations)} decoders.test_deviations,"
            f" allowed: at most {DASHES}, one for each dash pattern of the figure"
        )
    for deviation in figure.deviations if "ccgp" in role.measures else []:
        if deviation not in decoders.test_deviations:
            refuse(
                f"{where}.{key}: the sweep should have {deviation:g} in decoders.test_deviations"
            )
