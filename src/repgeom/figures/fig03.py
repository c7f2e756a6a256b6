"""Figure 3: the effect of training noise."""

from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from repgeom.figures.panels import TITLES
from repgeom.figures.style import (
    SMALLEST_RANGE,
    Style,
    activation_name,
    activations,
    converged,
    finish,
    networks,
)
from repgeom.tables.pooling import refuse_pooling

COLOURS = "viridis"
COLUMNS = 3
MOST_LABELS = 6
"""On an axis."""
CELL = ["activation", "delta", "noise_variance"]
"""What tells the cells of the maps."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown = converged(table)
    maps = [
        (measure, variant)
        for measure in TITLES
        for variant in sorted(shown.loc[shown["measure"] == measure, "variant"].unique())
    ]
    rows = -(-len(maps) // COLUMNS)
    figure = Figure(figsize=(style.width, 0.3 * style.width * rows))
    parts = figure.subfigures(rows, COLUMNS, squeeze=False).flat
    for part, (measure, variant) in zip(parts, maps, strict=False):
        _draw_measure(part, shown[(shown["measure"] == measure) & (shown["variant"] == variant)])
        name = TITLES[measure]
        if variant.startswith("sigma_test="):
            deviation = variant.removeprefix("sigma_test=")
            name += rf" ($\sigma_\mathrm{{test}}={deviation}$)"
        part.suptitle(name, size=style.font_size)

    step = table["step"].max()
    finish(
        figure,
        table,
        style,
        f"Mean over {networks(table, 'target_alignment')} after {step:.0f} steps. "
        r"$\sigma^2$: variance of the training noise. Each measure has its own colour scale.",
    )
    return figure


def _draw_measure(part: Any, rows: pd.DataFrame) -> None:
    """A heat map for each activation, on one colour scale."""
    refuse_pooling(rows, CELL)
    means = rows.groupby(CELL)["value"].mean()
    highest = means.max()
    lowest = min(means.min(), highest - SMALLEST_RANGE)
    names = activations(rows)
    axes = part.subplots(1, len(names), sharey=True, squeeze=False)[0]
    for ax, activation in zip(axes, names, strict=True):
        grid = means[activation].unstack("noise_variance").sort_index(ascending=False)
        sns.heatmap(
            grid,
            vmin=lowest,
            vmax=highest,
            cmap=COLOURS,
            cbar=ax is axes[-1],
            xticklabels=_spaced(grid.columns),
            yticklabels=_spaced(grid.index[::-1])[::-1],
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
