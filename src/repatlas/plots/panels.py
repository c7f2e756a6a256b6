"""The six measures against one axis (Figures 1B, 2B, 7B, 8 and S2)."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from repatlas.inference.contrasts import SIGN_CHANGE, TANH_RELU
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import (
    BAR_ENDS,
    DASHES,
    MARKERS,
    Spread,
    dot_of,
    draw_curves,
    handles_of,
    is_one_place,
)
from repatlas.plots.style import SMALLEST_RANGE, Style, activations, small_type
from repatlas.plots.words import why_nothing, with_intervals

TITLES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "decoding_trained": "Decoding, trained",
    "decoding_untrained": "Decoding, untrained",
}
OF_PANELS = [*TITLES, "alignment", "decoding"]
"""The measures of the rows that panels show. Rows of a network that diverged have the last two
names."""
CHANCE = {"ccgp": 0.5, "decoding_trained": 0.5, "decoding_untrained": 0.5}


STRIP = 0.6
"""Height of a strip of differences, in heights of its panel."""
LARGE = ("target_alignment", "input_alignment")
"""The measures that argue, whose panels are large where a figure asks for it."""
LARGE_STRIP, SMALL = 0.3, 0.8
"""Heights of the strips below these, and of the row of all other panels, in their heights."""
DIFFERENCE = "Tanh \N{MINUS SIGN}\nReLU"


class Conditions(NamedTuple):
    """Architectures of networks that one panel compares."""

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
    spread: Spread = "band",
    large: bool = False,
) -> Any:
    """Draw mean and spread over networks for each activation, and return the axes of the panels.

    Dashes distinguish sigma_test or, if given, conditions; panels of decoders then show the largest
    sigma_test. slopes: a column; each of its values is a line from a first position to a second.
    Without it, values are curves. A strip below a panel has the paired differences between the
    activations, if the table has any. Axes are in rows of 3. If `large`, they are in one row, only
    the panels of LARGE have strips, and these panels are above all others.
    """
    single = table[table["contrast"].isna()]
    rows = not_diverged(single[single["measure"].isin(TITLES)])
    panels = [(measure, rows[rows["measure"] == measure], TITLES[measure]) for measure in TITLES]
    names = {deviation: deviation_name(deviation) for deviation in tested(rows)}
    if conditions:
        of_panels = by_panel(rows)
        panels = [
            (measure, of_panels.get((measure, deviation), rows[:0]), title)
            for (measure, deviation), title in panel_names(rows).items()
            # With less noise decoders are at their ceiling in all of them.
            if measure not in CHANCE or deviation == max(tested(rows))
        ]
        names = conditions.present(table)
    effects = _effects(table)
    if large:
        part, axes, strips = _large_axes(part, len(panels), has_strips=len(effects) > 0)
    else:
        axes, strips = _axes(part, len(panels) // 3, has_strips=len(effects) > 0)
    lowest = (strips if len(strips) else axes)[-1]
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
                ax, curves, x, style, nothing, dashed, order, "bars" if slopes else spread, shade
            )
        if measure in CHANCE:
            _mark_chance(ax, CHANCE[measure])
        ax.set(xlabel="", ylabel="")
        is_small = large and measure not in LARGE
        if is_small:
            ax.set_title(title.replace(", ", ",\n"), size=small_type())
        else:
            ax.set_title(title)
    for ax in [*strips.flat, *axes.flat[len(LARGE) :]] if large else lowest:
        ax.set_xlabel(label)
    if len(strips):
        for ax, (measure, *_) in zip(strips.flat, panels, strict=not large):
            _draw_differences(ax, effects[effects["measure"] == measure], x, list(names))
            _mark_changes(ax, table[table["measure"] == measure])
        for ax in strips[:, 0]:
            ax.set_ylabel(DIFFERENCE, size=small_type())
    handles = handles_of(activations(table), style)
    if slopes:
        for handle, activation in zip(handles, activations(table), strict=True):
            handle.set(**BAR_ENDS | dot_of(activation, style))
    handles += _handles_of_dashes(list(names.values()), are_dots=is_one_place(rows, x))
    # The legend is above the panels, because curves of many networks fill them.
    part.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1.8,
                columnspacing=1.4, borderpad=0)  # fmt: skip
    return axes


def _large_axes(part: Any, number: int, has_strips: bool) -> tuple[Any, Any, Any]:
    """The part of the panels of LARGE, the axes of all panels, and the strips below the large."""
    share = SMALL / (1 + LARGE_STRIP * has_strips)
    above, below = part.subfigures(2, 1, height_ratios=[1, share])
    columns = {"sharex": True, "squeeze": False}
    heights = [1, LARGE_STRIP] if has_strips else [1]
    rows = above.subplots(len(heights), len(LARGE), height_ratios=heights, **columns)
    others = below.subplots(1, number - len(LARGE), **columns)
    return above, np.concatenate([rows[:1], others], axis=1), rows[1:]


def _mark_chance(ax: Any, chance: float) -> None:
    """Draw a dotted line at chance, and name it on the axis, where no curve hides the word."""
    ax.axhline(chance, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    low, high = ax.get_ylim()
    near = 0.3 * (high - low)
    ends = [end for end in (0, 1) if low - near < end < high + near and abs(end - chance) > near]
    ax.set_yticks([*ends, chance], [*map(str, ends), "chance"])


def _axes(part: Any, rows: int, has_strips: bool) -> tuple[Any, Any]:
    """Rows of three panels, and the strips below them, on one axis."""
    if not has_strips:
        return part.subplots(rows, 3, sharex=True, squeeze=False), np.empty((0, 3))
    heights = [1, STRIP] * rows
    both = part.subplots(2 * rows, 3, sharex=True, squeeze=False, height_ratios=heights)
    return both[::2], both[1::2]


def _draw_differences(ax: Any, effects: pd.DataFrame, x: str, deviations: list[float]) -> None:
    """Draw the median of paired differences with its interval, if it has one.

    The interval is a band, or bars if the axis has one position. Dashes distinguish sigma_test.
    """
    ax.axhline(0, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    for deviation, of in effects.groupby(effects["deviation"].fillna(0.0)):
        dashes = DASHES[deviations.index(deviation)] if deviation else "-"
        shown = of.sort_values(x)
        marker = "o" if is_one_place(shown, x) else ""
        ax.plot(shown[x], shown["value"], dashes, color="black", linewidth=0.9, marker=marker,
                markersize=2.4)  # fmt: skip
        if marker:
            ax.vlines(shown[x], shown["low"], shown["high"], color="black", linewidth=0.8)
        else:
            ax.fill_between(shown[x], shown["low"], shown["high"], color="0.75", linewidth=0)
    low, high = ax.get_ylim()
    low, high = min(low, -SMALLEST_RANGE / 2), max(high, SMALLEST_RANGE / 2)
    ax.set_ylim(low, high)
    # A strip has two ticks, 0 and one more, because three do not fit.
    end = high if high > -low else low
    unit = 10 ** (np.floor(np.log10(abs(end))) - 1)
    ax.set_yticks([0, np.trunc(end / unit) * unit])
    ax.yaxis.set_major_formatter("{x:g}")


def _mark_changes(ax: Any, rows: pd.DataFrame) -> None:
    """Draw a diamond on the line of zero where the difference changes sign, with its interval."""
    for change in rows[rows["contrast"] == SIGN_CHANGE].dropna(subset="value").itertuples():
        ax.plot([change.low, change.high], [0, 0], color="black", linewidth=2)
        ax.plot(change.value, 0, "D", color="black", markersize=3.5, markeredgecolor="white",
                markeredgewidth=0.4)  # fmt: skip


def draw_over_training(
    part: Any,
    table: pd.DataFrame,
    style: Style,
    conditions: Conditions | None = None,
    spread: Spread = "band",
    large: bool = False,
) -> Any:
    """Draw the panels against the training step, and return their axes."""
    axes = draw_panels(
        part,
        table,
        style,
        "step",
        "Training step",
        conditions=conditions,
        spread=spread,
        large=large,
    )
    for ax in axes.flat:
        step_axis(ax, table)
    return axes


def step_axis(ax: Any, table: pd.DataFrame) -> None:
    """Set an axis of training steps: logarithmic, except at the start."""
    steps = _steps(table)
    powers = [10**power for power in range(1, 10) if 10**power <= max(steps, default=0)]
    ax.set_xscale("symlog", linthresh=10, linscale=0.5)
    if len(steps) > 1:
        first, last = steps[0], steps[-1]
        ax.set_xlim(first - 2 if first < 10 else first / 1.3, 1.3 * last)
    if len(steps) > 1 and powers:
        ax.set_xticks([0, *powers])
    else:
        ax.set_xticks(steps, [f"{step:g}" for step in steps])


def differences_below(table: pd.DataFrame) -> str:
    """Return what the strips below the panels show, if there are any, for the note under a
    figure."""
    effects = _effects(table)
    if not len(effects):
        return ""
    intervals = with_intervals(effects, table, "target_alignment")
    has_change = (table["contrast"] == SIGN_CHANGE) & table["value"].notna()
    diamond = " Diamond: where the difference changes sign." * bool(has_change.any())
    return f" Strips: medians of the paired differences, {intervals}.{diamond}"


def _effects(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["contrast"] == TANH_RELU) & table["measure"].isin(TITLES)]


def over_training(table: pd.DataFrame) -> str:
    """Return the words for the axis of steps, which may have a single step, for the note."""
    steps = _steps(table)
    return f" at step {steps[0]:g}, the only one stored" if len(steps) == 1 else " over training"


def _steps(table: pd.DataFrame) -> list[int]:
    return sorted(table.loc[table["measure"].isin(OF_PANELS), "step"].dropna().unique())


def panel_names(rows: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Return titles by measure and sigma_test.

    Measures without a decoder come first, with sigma_test 0, then the others for each
    sigma_test.
    """
    names = {(name, 0.0): title for name, title in TITLES.items() if name not in CHANCE}
    for deviation in tested(rows):
        said = deviation_name(deviation)
        names |= {(name, deviation): f"{TITLES[name]}, {said}" for name in CHANCE}
    return names


def by_panel(rows: pd.DataFrame) -> dict[tuple[str, float], pd.DataFrame]:
    """Return the rows of each panel, by the keys of panel_names."""
    return dict(list(rows.groupby(["measure", rows["deviation"].fillna(0.0)])))


def tested(rows: pd.DataFrame) -> list[float]:
    """Return each sigma_test, the noise in the inputs of decoders, in ascending order."""
    found = not_diverged(rows[rows["measure"] == "ccgp"])["deviation"]
    return sorted(found.dropna().unique())


def deviation_name(deviation: float) -> str:
    return rf"$\sigma_\mathrm{{test}}={deviation:g}$"


def _handles_of_dashes(names: list[str], are_dots: bool) -> list[Line2D]:
    """Return the handles of a legend of dashes, or of the markers that replace them."""
    return [
        Line2D([], [], color="0.3", label=name, linestyle="" if are_dots else dashes,
               marker=marker if are_dots else "", markersize=3)
        for name, dashes, marker in zip(names, DASHES, MARKERS, strict=False)
    ]  # fmt: skip
