"""The six measures against one axis (Figures 1B, 2B, 7B, 8 and S2)."""

from typing import Any, NamedTuple

import pandas as pd

from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import MARKERS, draw_curves, is_one_place, name_curves
from repatlas.plots.style import Style, activations
from repatlas.plots.words import why_nothing

TITLES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "decoding_trained": "Decoding, trained",
    "decoding_untrained": "Decoding, untrained",
}
OF_PANELS = [*TITLES, "alignment", "decoding"]
"""What the rows behind the panels are about: those of a network that diverged name the kind."""
CHANCE = {"ccgp": 0.5, "decoding_trained": 0.5, "decoding_untrained": 0.5}
DASHES = ["-", "--", ":", "-."]
"""The dashes that seaborn gives."""


class Conditions(NamedTuple):
    """Kinds of networks that are drawn beside each other."""

    column: str
    names: dict[str, str]
    """The names of the values of the column, in their order."""

    def present(self, rows: pd.DataFrame) -> dict[str, str]:
        return {
            value: name for value, name in self.names.items() if value in set(rows[self.column])
        }


def draw_panels(
    part: Any,
    table: pd.DataFrame,
    style: Style,
    x: str,
    label: str,
    conditions: Conditions | None = None,
    slopes: str = "",
) -> Any:
    """Mean and standard deviation over networks, for each activation. Dashes tell sigma_test apart,
    or conditions, where there are any: then each sigma_test has panels of its own. As slopes, from
    a first place to a second, for each value of a column, or else as curves. Returns the axes, in
    rows of 3."""
    rows = not_diverged(table[table["measure"].isin(TITLES)])
    panels = [(measure, rows[rows["measure"] == measure], TITLES[measure]) for measure in TITLES]
    names = {deviation: deviation_name(deviation) for deviation in tested(rows)}
    if conditions:
        of_panels = by_panel(rows)
        panels = [
            (measure, of_panels.get((measure, deviation), rows[:0]), title)
            for (measure, deviation), title in panel_names(rows).items()
        ]
        names = conditions.present(table)
    axes = part.subplots(len(panels) // 3, 3, sharex=True, squeeze=False)
    nothing = why_nothing(table[table["measure"].isin(OF_PANELS)])
    for ax, (measure, shown, title) in zip(axes.flat, panels, strict=True):
        dashed = "deviation" if measure in CHANCE else None
        if conditions:
            dashed = conditions.column
        order = list(names) if dashed else None
        # Bands of several conditions lie on each other.
        shade = 0.1 if conditions else 0.2
        parts = [group for _, group in shown.groupby(slopes)] if slopes and len(shown) else [shown]
        for curves in parts:
            draw_curves(
                ax, curves, x, style, nothing, dashed, order, bars=bool(slopes), shade=shade
            )
        if measure in CHANCE:
            ax.axhline(CHANCE[measure], color="0.7", linewidth=0.6, linestyle=":", zorder=0)
        ax.set(title=title, xlabel=label, ylabel="")
    beside = axes[len(axes) // 2, 1]
    # Slopes leave no room for a legend but beside the other one.
    name_curves(beside if slopes else axes[0, 0], activations(table), style)
    _name_dashes(beside, list(names.values()), are_dots=is_one_place(rows, x))
    return axes


def draw_over_training(
    part: Any, table: pd.DataFrame, style: Style, conditions: Conditions | None = None
) -> None:
    axes = draw_panels(part, table, style, "step", "Training step", conditions)
    steps = _steps(table)
    powers = [10**power for power in range(1, 10) if 10**power <= max(steps, default=0)]
    for ax in axes.flat:
        ax.set_xscale("symlog", linthresh=10, linscale=0.5)
        if len(steps) > 1 and powers:
            ax.set_xticks([0, *powers])
        else:
            ax.set_xticks(steps, [f"{step:g}" for step in steps])


def over_training(table: pd.DataFrame) -> str:
    """What the axis of the steps lacks, if anything, for the note under a figure."""
    steps = _steps(table)
    return f" at step {steps[0]:g}, the only one stored" if len(steps) == 1 else " over training"


def _steps(table: pd.DataFrame) -> list[int]:
    return sorted(table.loc[table["measure"].isin(OF_PANELS), "step"].dropna().unique())


def panel_names(rows: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Titles by measure and sigma_test: those of measures that need no decoder, whose sigma_test is
    0, then the others for each sigma_test."""
    names = {(name, 0.0): title for name, title in TITLES.items() if name not in CHANCE}
    for deviation in tested(rows):
        said = deviation_name(deviation)
        names |= {(name, deviation): f"{TITLES[name]}, {said}" for name in CHANCE}
    return names


def by_panel(rows: pd.DataFrame) -> dict[tuple[str, float], pd.DataFrame]:
    """The rows of each panel, by the names that panel_names gives."""
    return dict(list(rows.groupby(["measure", rows["deviation"].fillna(0.0)])))


def tested(rows: pd.DataFrame) -> list[float]:
    """Each sigma_test, the noise in the inputs of decoders, in ascending order."""
    found = not_diverged(rows[rows["measure"] == "ccgp"])["deviation"]
    return sorted(found.dropna().unique())


def deviation_name(deviation: float) -> str:
    return rf"$\sigma_\mathrm{{test}}={deviation:g}$"


def _name_dashes(ax: Any, names: list[str], are_dots: bool) -> None:
    for name, dashes, marker in zip(names, DASHES, MARKERS, strict=False):
        look = {"linestyle": "", "marker": marker, "markersize": 3} if are_dots else {}
        ax.plot([], [], **{"color": "0.3", "linestyle": dashes, "label": name} | look)
    if names:
        ax.legend(handlelength=1.8, borderpad=0)
