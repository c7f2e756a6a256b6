"""Figure 3: separability and training noise."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis, legend
from repatlas.inference.contrasts import TANH_RELU, THRESHOLD, median_rows
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.palette import BLACK, DARK, LIGHT, WHITE
from repatlas.plots.panels import by_panel, panel_names, tested
from repatlas.plots.style import (
    SMALLEST_RANGE,
    Style,
    activation_name,
    activations,
    finish,
    page,
    say,
)
from repatlas.plots.words import mean_over, why_nothing, with_intervals
from repatlas.studies.structure.roles import PANELS, SEPARABLE
from repatlas.studies.structure.rows.panels import at_step, effect_rows, panel_rows

FIGURE = Figure(
    "Measures over separability and training noise.",
    {
        "sweep": Role(
            "The sweep of separable tasks whose measures the heat maps draw: two values of delta"
            " and of the noise variance at least.",
            PANELS,
            SEPARABLE,
            shown=legend(ACTIVATION) | axis("task.delta", "task.noise_variance"),
        )
    },
    step="The training step that they show.",
    finding=Finding(
        "At a separability of one half noise changes target alignment of tanh networks more"
        " sharply than of ReLU networks.",
        {"23": SUPPORTED, "25": SUPPORTED},
    ),
)
CAPTION = """**Figure 3: training noise.** What does noise in training change? Each measure against
separability and the variance of the training noise, for {{ kind(facts.sweep) }} after {{ facts.step
}} steps. Alignments and CCGP have one scale from 0 to 1; the parallelism score is grey at 0. A
colour is {{ mean(facts.sweep.seeds) }}. {{ "Last row: the median of paired differences, tanh minus
ReLU, in the colour of the activation that has more. White is 0. Dots: the 95 % interval contains 0.
Dashes: the whole interval is below 0. No mark: it is above 0. Marks are shown only with enough
networks for an interval." if "tanh" in facts.sweep.activation and "relu" in facts.sweep.activation
}} Black lines: where the median target alignment is 0.75 (the paper names no threshold; it is our
choice), thin where the ends of its 95 % interval are. Rings: the variance with the largest mean
target alignment of ReLU networks, for each separability. CCGP is at the least noise in the inputs
of its decoders, which is the paper's 1. Decoding, which is near 1, and more noise are in the table
alone. {{ lost }}"""


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    return panel_rows(at_step(rows["sweep"], step))


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    return effect_rows(rows, "delta")


MOST_LABELS = 4
"""The most labels of an axis."""
CELL = ["delta", "noise_variance"]
"""What tells the cells of a map."""
DIFFERENCE = "Tanh \N{MINUS SIGN} ReLU"
MARKS = "\nDot: the interval holds 0. Dash: it lies\nbelow 0. No mark: it lies above."
"""What the marks in cells of differences mean, with their scale."""


DECODING = ("decoding_trained", "decoding_untrained")
"""Measures that are left to the table: at the paper's noise they are 1 in nearly all maps."""
TARGET = ("target_alignment", 0.0)
"""The panel on which the threshold is drawn."""
HIGHEST = "relu"
"""The activation whose largest values are marked: they are not at the least noise."""


class Scale(NamedTuple):
    """What the colours of some maps stand for."""

    label: str
    colours: Any
    """A map of colours of matplotlib, or the name of one"""
    lowest: float
    highest: float


SHARES = Scale("Alignments and CCGP", "viridis", 0, 1)
PARALLELISM = Scale("Parallelism score", "cividis", -1, 1)
"""Grey in the middle, at 0; brighter is larger here, too."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    single = table[table["contrast"].isna()]
    shown = not_diverged(single)
    of_panels = by_panel(shown)
    # CCGP has the least noise in the inputs of its decoders, as in the paper.
    drawn = (0.0, min(tested(shown), default=0.0))
    columns = {
        (measure, deviation): title.replace(", ", ",\n")
        for (measure, deviation), title in panel_names(shown).items()
        if measure not in DECODING and deviation in drawn and (measure, deviation) in of_panels
    }
    kinds = activations(shown)
    effects = table[table["contrast"] == TANH_RELU]
    has_effects = len(effects) > 0
    rows = max(len(kinds) + has_effects, 1)
    figure = page(style, (0.3 + 0.16 * rows) * style.width)
    if columns:
        maps, below = figure.subfigures(2, 1, height_ratios=[rows + 0.6, 0.9])
        has_line = (TARGET in of_panels) * f"\nBlack line: {THRESHOLD:g}. "
        has_rings = bool((shown["activation"] == HIGHEST).any()) * "Rings: largest of a row."
        scales = [SHARES._replace(label=SHARES.label + has_line + has_rings), PARALLELISM]
        if has_effects:
            scales.append(_scale_of_differences(effects, list(columns), style))
        is_whole = _draw_maps(maps, shown, effects, columns, scales)
        _draw_scales(below, scales)
        maps.supxlabel(r"Variance of the training noise $\sigma^2$", size=style.font_size)
        maps.supylabel(r"Separability $\delta$", size=style.font_size)
    else:
        is_whole = True
        say(figure.subplots(), why_nothing(table))

    finish(
        figure,
        table,
        style,
        f"Maps: {mean_over(single, 'target_alignment')}, after {table['step'].max():.0f} steps. "
        f"{_differences(effects, single)}"
        + _thin(of_panels.get(TARGET, shown[:0]))
        + " Hatched: no value, for its networks diverged or have none." * (not is_whole),
    )
    return figure


def _draw_maps(
    part: Any,
    shown: pd.DataFrame,
    effects: pd.DataFrame,
    columns: dict[tuple[str, float], str],
    scales: list[Scale],
) -> bool:
    """Draw a row of maps for each activation and one for their difference; measures are columns.

    Returns True if each cell has a value.
    """
    deltas, variances = (sorted(shown[axis].dropna().unique()) for axis in CELL)
    kinds = {name: shown[shown["activation"] == name] for name in activations(shown)}
    rows = {activation_name(name): by_panel(of) for name, of in kinds.items()}
    if len(effects):
        rows[DIFFERENCE] = by_panel(effects)
    axes = part.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    is_whole = True
    for in_row, (name, of_panels) in zip(axes, rows.items(), strict=True):
        for ax, panel in zip(in_row, columns, strict=True):
            cells = of_panels.get(panel, shown[:0])
            refuse_mixed_kinds(cells, CELL)
            means = cells.groupby(CELL)["value"].mean().unstack()
            grid = means.reindex(index=deltas, columns=variances).to_numpy(float)
            is_whole = is_whole and not np.isnan(grid).any()
            of_measure = scales[panel[0] == "parallelism"]
            _draw_map(ax, grid, scales[-1] if name == DIFFERENCE else of_measure)
            if name == DIFFERENCE:
                _mark_signs(ax, cells, deltas, variances)
            elif panel == TARGET:
                _draw_threshold(ax, cells, deltas, variances)
                if name == activation_name(HIGHEST):
                    _ring_highest(ax, grid)
        in_row[0].set_ylabel(name)
    for ax, title in zip(axes[0], columns.values(), strict=True):
        ax.set_title(title)
    _name_cells(axes[0, 0].xaxis, variances)
    _name_cells(axes[0, 0].yaxis, deltas)
    return is_whole


def _draw_map(ax: Any, grid: np.ndarray, scale: Scale) -> None:
    ax.pcolormesh(
        np.ma.masked_invalid(grid), cmap=scale.colours, vmin=scale.lowest, vmax=scale.highest
    )
    ax.patch.set(hatch="//////", edgecolor=LIGHT)  # seen where a cell has no colour
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _mark_signs(
    ax: Any, effects: pd.DataFrame, deltas: list[float], variances: list[float]
) -> None:
    """Draw a dot on each difference whose interval contains 0, and a minus on each that is below 0.
    Printed in grey, both colours are alike."""
    looks = {
        ".": ((effects["low"] <= 0) & (effects["high"] >= 0), {"markeredgewidth": 0}),
        "_": (effects["high"] < 0, {"markeredgewidth": 0.6}),
    }
    for marker, (chosen, look) in looks.items():
        rows = effects[chosen]
        x, y = rows["noise_variance"].map(variances.index), rows["delta"].map(deltas.index)
        ax.plot(x + 0.5, y + 0.5, marker, linestyle="", color=DARK, markersize=2.2, **look)


def _draw_threshold(
    ax: Any, cells: pd.DataFrame, deltas: list[float], variances: list[float]
) -> None:
    """Draw a line where the median over networks is THRESHOLD, and thin lines where the ends of its
    interval are. Between the thin lines the interval contains THRESHOLD."""
    medians = median_rows(cells, CELL)
    x, y = (np.arange(len(places)) + 0.5 for places in (variances, deltas))
    for end, width in (("value", 1.0), ("low", 0.4), ("high", 0.4)):
        grid = medians.pivot_table(index="delta", columns="noise_variance", values=end)
        grid = grid.reindex(index=deltas, columns=variances).to_numpy(float)
        if min(grid.shape) > 1 and (grid < THRESHOLD).any() and (grid > THRESHOLD).any():
            ax.contour(x, y, grid, levels=[THRESHOLD], colors=BLACK, linewidths=width)


def _ring_highest(ax: Any, grid: np.ndarray) -> None:
    """Draw an open dot on the largest mean of each row."""
    rows = np.flatnonzero(~np.isnan(grid).all(axis=1))
    best = np.nanargmax(grid[rows], axis=1)
    ax.plot(best + 0.5, rows + 0.5, "o", color=WHITE, markersize=2.2, markerfacecolor="none",
            markeredgewidth=0.6)  # fmt: skip


def _draw_scales(part: Any, scales: list[Scale]) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    for ax, scale in zip(part.subplots(1, len(scales)), scales, strict=True):
        colours = ScalarMappable(Normalize(scale.lowest, scale.highest), scale.colours)
        bar = part.colorbar(colours, cax=ax, orientation="horizontal", label=scale.label)
        bar.set_ticks([scale.lowest, (scale.lowest + scale.highest) / 2, scale.highest])
        bar.outline.set_visible(False)


def _scale_of_differences(
    effects: pd.DataFrame, panels: list[tuple[str, float]], style: Style
) -> Scale:
    """Return one scale for all measures: the colours of the activations, and white at 0."""
    from matplotlib.colors import LinearSegmentedColormap

    of_panels = by_panel(effects)
    drawn = pd.concat([of_panels[panel] for panel in panels if panel in of_panels])
    reach = max(np.ceil(10 * drawn["value"].abs().max() - 1e-9) / 10, SMALLEST_RANGE)
    ends = [style.colours["relu"], WHITE, style.colours["tanh"]]
    colours = LinearSegmentedColormap.from_list("difference", ends)
    label = DIFFERENCE + MARKS * bool(effects["low"].notna().any())
    return Scale(label, colours, -reach, reach)


def _differences(effects: pd.DataFrame, single: pd.DataFrame) -> str:
    """Return what the last row shows, if it is there, for the note under the figure."""
    if not len(effects):
        return ""
    intervals = with_intervals(effects, single, "target_alignment")
    return f"{DIFFERENCE}: medians of the paired differences, {intervals}."


def _thin(cells: pd.DataFrame) -> str:
    """Return what thin lines of target alignment are, if there are any, for the note."""
    medians = [median_rows(of_kind, CELL) for _, of_kind in cells.groupby("activation")]
    has = any(found["low"].notna().any() for found in medians)
    return " Thin: the interval of the median." * has


def _name_cells(axis: Any, values: list[float]) -> None:
    """Name evenly spaced cells and the last one, so that labels do not overlap."""
    every = -(-len(values) // MOST_LABELS)
    axis.set_ticks(np.arange(len(values) - 1, -1, -every)[::-1] + 0.5)
    axis.set_major_formatter(lambda place, _: f"{values[int(place)]:g}")
