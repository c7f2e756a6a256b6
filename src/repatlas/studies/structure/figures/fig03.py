"""Figure 3: the effect of training noise."""

from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.panels import by_panel, panel_names
from repatlas.plots.style import (
    SMALLEST_RANGE,
    Style,
    activation_name,
    activations,
    finish,
    say,
)
from repatlas.plots.words import mean_over, why_nothing

COLOURS = "viridis"
COLUMNS = 3
MOST_LABELS = 6
"""The most labels of an axis."""
CELL = ["activation", "delta", "noise_variance"]
"""What tells the cells of the maps."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown = not_diverged(table)
    of_panels = by_panel(shown)
    maps = {panel: title for panel, title in panel_names(shown).items() if panel in of_panels}
    rows = max(-(-len(maps) // COLUMNS), 1)
    figure = Figure(figsize=(style.width, 0.3 * style.width * rows))
    if not maps:
        say(figure.subplots(), why_nothing(table))
    parts = figure.subfigures(rows, COLUMNS, squeeze=False).flat if maps else ()
    deltas, variances = (sorted(table[axis].unique()) for axis in ("delta", "noise_variance"))
    is_whole = True
    for part, (panel, title) in zip(parts, maps.items(), strict=False):
        of = of_panels[panel]
        refuse_pooling(of, CELL)
        means = of.groupby(CELL)["value"].mean()
        grids = {
            activation: means[activation].unstack().reindex(index=deltas, columns=variances)
            for activation in activations(of)
        }
        is_whole = is_whole and not any(grid.isna().any(axis=None) for grid in grids.values())
        _draw_measure(part, grids)
        part.suptitle(title, size=style.font_size)

    step = table["step"].max()
    finish(
        figure,
        table,
        style,
        f"Colours: {mean_over(table, 'target_alignment')}, after {step:.0f} steps. "
        r"$\sigma^2$: variance of the training noise. Each measure has its own colour scale."
        + (" White: no value, for its networks diverged or have none." * (not is_whole)),
    )
    return figure


def _draw_measure(part: Any, grids: dict[str, pd.DataFrame]) -> None:
    """A heat map for each activation, deltas x variances, on one colour scale."""
    highest = max(grid.max(axis=None) for grid in grids.values())
    lowest = min(grid.min(axis=None) for grid in grids.values())
    lowest = min(lowest, highest - SMALLEST_RANGE)
    axes = part.subplots(1, len(grids), sharey=True, squeeze=False)[0]
    for ax, (activation, grid) in zip(axes, grids.items(), strict=True):
        sns.heatmap(
            grid.sort_index(ascending=False),
            vmin=lowest,
            vmax=highest,
            cmap=COLOURS,
            cbar=ax is axes[-1],
            xticklabels=_spaced(grid.columns),
            yticklabels=_spaced(grid.index)[::-1],
            ax=ax,
        )
        ax.set(title=activation_name(activation), xlabel=r"$\sigma^2$", ylabel="")
        ax.tick_params(length=0, axis="both")
        ax.tick_params(axis="x", rotation=90)
        ax.tick_params(axis="y", rotation=0)
    axes[0].set_ylabel(r"$\delta$")


def _spaced(values: pd.Index) -> list[str]:
    """A label for every so many values, so that labels don't overlap."""
    every = -(-len(values) // MOST_LABELS)
    return [f"{value:g}" if index % every == 0 else "" for index, value in enumerate(values)]
