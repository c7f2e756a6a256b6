"""The six measures against one axis (Figures 1B and 2B), and their names."""

import textwrap
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.inference.contrasts import REACHED, SIGN_CHANGE, TANH_RELU, THRESHOLD
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import (
    MARKERS,
    Spread,
    draw_curves,
    is_one_place,
)
from repatlas.plots.dots import MARKED, draw_dots
from repatlas.plots.marks import DASHES, GUIDE, add_key, dashes_of, draw_line, looks_of
from repatlas.plots.palette import BLACK, DARK, GREY, WHITE
from repatlas.plots.style import CHARACTER, SMALLEST_RANGE, Style, activations, small_type
from repatlas.plots.words import why_nothing, with_intervals

TITLES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "decoding_trained": "Decoding, trained dichotomies",
    "decoding_untrained": "Decoding, untrained dichotomies",
}
OF_PANELS = [*TITLES, "alignment", "decoding"]
"""The measures of the rows that panels show. Rows of a network that diverged have the last two
names."""
CHANCE = {"ccgp": 0.5, "decoding_trained": 0.5, "decoding_untrained": 0.5}

MARK = {"linestyle": "none", "marker": "D", "markersize": 3.5, "markeredgewidth": 0.7}
"""The look of a mark where target alignment reaches a threshold."""
TARGETS_LOOK = {"color": BLACK, "linewidth": 0.7, "linestyle": (0, (4, 2))}
"""The look of the line of the targets, or the inputs, themselves."""
LARGE = ("target_alignment", "input_alignment")
"""The measures that argue, whose panels are large."""
FIRST = 2.6
"""The width of the first of these, the key panel, in widths of the other."""
LARGE_STRIP, SMALL = 0.4, 0.55
"""Heights of the strips below these, and of the row of all other panels, in their heights."""
TITLE = 0.65
"""The width of titles of small panels, in widths of their columns."""
MOST_HANDLES = 8
"""Entries of a legend that fit in a row."""
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


SPACE = 0.14
"""The margin of the smaller panels, in heights: with less, markers at an end are cut."""


def draw_panels(
    part: Any,
    table: pd.DataFrame,
    style: Style,
    x: str,
    label: str,
    spread: Spread = "band",
) -> Any:
    """Draw mean and spread over networks for each activation, and return the axes of the panels.

    Dashes distinguish sigma_test. The panels of LARGE are above all others, which are in one row.
    They show the input alignment of the targets themselves, and where target alignment reaches the
    threshold. Strips below them have the paired differences between the activations. Tables may
    lack all three.
    """
    single = table[table["contrast"].isna()]
    rows = not_diverged(single[single["measure"].isin(TITLES)])
    panels = [(measure, rows[rows["measure"] == measure], TITLES[measure]) for measure in TITLES]
    names = {deviation: deviation_name(deviation) for deviation in tested(rows)}
    effects = _effects(table)
    part, axes, strips = _axes(part, len(panels), has_strips=len(effects) > 0)
    nothing = why_nothing(table[table["measure"].isin(OF_PANELS)])
    column = part.bbox.width / part.get_figure(root=True).dpi * 72 / (len(panels) - len(LARGE))
    characters = int(TITLE * column / (CHARACTER * small_type()))
    for ax, (measure, shown, title) in zip(axes.flat, panels, strict=True):
        dashed = "deviation" if measure in CHANCE else None
        draw_curves(ax, shown, x, style, nothing, dashed, list(names) if dashed else None, spread)
        if measure not in LARGE:
            ax.margins(y=SPACE)
        if measure in CHANCE:
            _mark_chance(ax, CHANCE[measure])
        ax.set(xlabel="", ylabel="")
        if measure in LARGE:
            ax.set_title(title)
        else:
            ax.set_title(textwrap.fill(title, characters), size=small_type())
    lowest = strips if len(strips) else axes.flat[: len(LARGE)]
    for ax in [*np.ravel(lowest), *axes.flat[len(LARGE) :]]:
        ax.set_xlabel(label)
    if len(strips):
        for ax, (measure, *_) in zip(strips.flat, panels, strict=False):
            _draw_differences(ax, effects[effects["measure"] == measure], x, list(names))
            _mark_changes(ax, table[table["measure"] == measure])
        for ax in strips[:, 0]:
            ax.set_ylabel(DIFFERENCE, size=small_type())
    looks = looks_of(activations(table), style)
    if is_one_place(rows, x):
        dots = zip(names.values(), MARKERS, strict=False)
        looks |= {name: MARK | {"color": DARK, "marker": marker} for name, marker in dots}
    else:
        looks |= dashes_of(names.values())
    targets, inputs = axes.flat[: len(LARGE)]
    if draw_targets_own(inputs, table, x):
        looks["the targets themselves"] = TARGETS_LOOK
    if _mark_thresholds(targets, table, style):
        looks[f"alignment of {THRESHOLD:g}"] = MARK | {"color": GREY}
    if len(strips) and _has_change(table):
        looks["change of sign"] = MARK | {"color": BLACK}
    # The legend is above the panels, because curves of many networks fill them.
    columns = -(-len(looks) // -(-len(looks) // MOST_HANDLES))
    add_key(part, looks, handlelength=1.6, columnspacing=1, ncols=columns)
    return axes


def _axes(part: Any, number: int, has_strips: bool) -> tuple[Any, Any, Any]:
    """Return the part with the panels of LARGE, the axes of all panels, and the strips below
    LARGE."""
    share = SMALL / (1 + LARGE_STRIP * has_strips)
    above, below = part.subfigures(2, 1, height_ratios=[1, share])
    heights = [1, LARGE_STRIP] if has_strips else [1]
    rows = above.subplots(len(heights), len(LARGE), sharex=True, squeeze=False,
                          height_ratios=heights, width_ratios=[FIRST, 1])  # fmt: skip
    others = below.subplots(1, number - len(LARGE), sharex=True, squeeze=False)
    return above, np.concatenate([rows[:1], others], axis=1), rows[1:]


def _mark_chance(ax: Any, chance: float) -> None:
    """Draw a dotted line at chance, and name it on the axis, where no curve hides the word."""
    ax.axhline(chance, **GUIDE)
    low, high = ax.get_ylim()
    near = 0.3 * (high - low)
    ends = [end for end in (0, 1) if low - near < end < high + near and abs(end - chance) > near]
    ax.set_yticks([*ends, chance], [*map(str, ends), "chance"])


def _draw_differences(ax: Any, effects: pd.DataFrame, x: str, deviations: list[float]) -> None:
    """Draw the median of paired differences with its interval, if it has one.

    The interval is a band, or bars if the axis has one position. Dashes distinguish sigma_test.
    """
    ax.axhline(0, **GUIDE)
    for deviation, of in effects.groupby(effects["deviation"].fillna(0.0)):
        dashes = DASHES[deviations.index(deviation)] if deviation else "-"
        alone = is_one_place(of, x)
        draw_line(
            ax,
            of,
            x,
            bars=0.8 if alone else None,
            color=BLACK,
            linewidth=0.9,
            markersize=2.4,
            linestyle=dashes,
            marker="o" if alone else "",
        )
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
        ax.plot([change.low, change.high], [0, 0], color=BLACK, linewidth=2)
        ax.plot(change.value, 0, "D", color=BLACK, markersize=3.5, markeredgecolor=WHITE,
                markeredgewidth=0.4)  # fmt: skip


def draw_over_training(
    part: Any,
    table: pd.DataFrame,
    style: Style,
    spread: Spread = "band",
) -> Any:
    """Draw the panels against the training step, and return their axes."""
    label = "Training step"
    axes = draw_panels(part, table, style, "step", label, spread=spread)
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
    return f" Strips: medians of the paired differences, {intervals}."


def _has_change(table: pd.DataFrame) -> bool:
    return bool(((table["contrast"] == SIGN_CHANGE) & table["value"].notna()).any())


def _effects(table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["contrast"] == TANH_RELU) & table["measure"].isin(TITLES)]


def over_training(table: pd.DataFrame) -> str:
    """Return the words for the axis of steps, which may have a single step, for the note."""
    steps = _steps(table)
    return f" at step {steps[0]:g}, the only one stored" if len(steps) == 1 else " over training"


def _steps(table: pd.DataFrame) -> list[int]:
    return sorted(table.loc[table["measure"].isin(OF_PANELS), "step"].dropna().unique())


def draw_targets_own(ax: Any, table: pd.DataFrame, x: str) -> bool:
    """Draw the input alignment of the targets themselves, and return True if it is drawn.

    It is C(K_X, K_Y), against the column `x`. It follows from the task alone, and the table has it
    if it was measured.
    """
    rows = table[(table["measure"] == "input_output_alignment") & (table["variant"] == "centres")]
    own = rows.dropna(subset=["value"]).groupby(x)["value"].mean()
    if len(own) < 2:
        return False
    ax.plot(own.index, own, **TARGETS_LOOK, zorder=4)
    return True


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


def _mark_thresholds(ax: Any, table: pd.DataFrame, style: Style) -> bool:
    """Draw a diamond where target alignment reaches the threshold, with its interval. Return True
    if there is any."""
    found = table[table["contrast"] == REACHED].dropna(subset="value")
    for mark in found.itertuples():
        colour = style.colours[mark.activation]
        face = WHITE if mark.activation == "relu" else colour  # told in grey, too
        ax.plot([mark.low, mark.high], [THRESHOLD] * 2, color=BLACK, linewidth=0.8, zorder=6)
        ax.plot(mark.value, THRESHOLD, color=colour, zorder=5, markerfacecolor=face, **MARK)
    return len(found) > 0


def draw_contrasts(
    part: Any,
    contrast: pd.DataFrame,
    rows: dict[tuple[str, float], str],
    names: dict[str, str],
    beside: str,
    looks: dict[str, dict],
    nothing: str,
) -> Any:
    """Draw a contrast with its interval for each measure and sigma_test of `rows`, and return the
    axes.

    Each value of the column `beside` has its name and its look. Rows without a contrast say
    `nothing`.
    """
    ax = part.subplots()
    looks = {value: looks[value] for value in names}
    # Without noise it is 0, as in the names of panels.
    contrast = contrast[contrast["measure"].isin(TITLES)].fillna({"deviation": 0.0})
    draw_dots(ax, contrast, ["measure", "deviation"], rows, beside, looks, nothing)
    if len(contrast):
        found = set(contrast[["measure", "deviation"]].itertuples(index=False, name=None))
        for place, key in enumerate(rows):
            if key not in found:
                ax.text(0.5, place, nothing, transform=ax.get_yaxis_transform(), ha="center",
                        va="center", size=small_type(), color=GREY)  # fmt: skip
        missing = set(names) - set(contrast[beside])
        names = names | {value: f"{names[value]}: no pair" for value in missing}
    own = {names[value]: MARKED | look for value, look in looks.items()}
    add_key(ax, own, loc="lower center", bbox_to_anchor=(0.5, 1), handlelength=1)
    ax.axvline(0, **GUIDE)
    return ax
