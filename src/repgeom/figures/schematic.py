"""Conditions as they lie in three dimensions: clusters of a task (Figures 1A, 2A and 7A), and
examples (Figure 9)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Circle

from repgeom.figures.style import class_colour
from repgeom.tables.pooling import refuse_pooling

VIEW = np.array([[0.94, -0.34, 0.0], [0.22, 0.30, 0.93]])
"""The plane of the page: how much of (intra, other intra, inter) goes right and up."""


def draw_clusters(ax: Any, centres: pd.DataFrame, reach: float, labels: Sequence[str] = ()) -> None:
    """The centres of one task, true to scale in an oblique view of the three-dimensional space that
    they span; a circle is one standard deviation of the noise. The view ends at +-reach. Labels of
    several targets stand beside the names; the colour is that of the first."""
    refuse_pooling(centres, ["cluster", "variant"])
    wide = centres.pivot_table(index="cluster", columns="variant", values="value")
    places = wide[["intra", "other intra", "inter"]].to_numpy() @ VIEW.T  # (P, 2)
    # A circle far beyond the view fills it all the same, but takes the renderer minutes.
    radius = min(np.sqrt(centres["noise_variance"].iloc[0]), 10 * reach)
    draw_edges(ax, places)
    draw_conditions(ax, places, radius)
    for cluster, place in enumerate(places):
        ax.annotate(
            f"$x_{cluster + 1}$ {labels[cluster]}" if labels else f"$x_{cluster + 1}$",
            place,
            xytext=(4, 3),
            textcoords="offset points",
            color=class_colour(cluster, len(places)),
        )
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set_axis_off()


def draw_edges(ax: Any, places: np.ndarray) -> None:
    """Lines between all pairs of places, (P, 2) on the page."""
    for first in range(len(places)):
        for second in range(first):
            ax.plot(*places[[first, second]].T, color="0.85", linewidth=0.6, zorder=0)


def draw_conditions(ax: Any, places: np.ndarray, radius: float) -> None:
    """A dot for each condition, (P, 2) on the page, in a disc, in the colour of its class."""
    for condition, place in enumerate(places):
        colour = class_colour(condition, len(places))
        ax.add_patch(Circle(place, radius, color=colour, alpha=0.25, linewidth=0))
        ax.plot(*place, marker="o", markersize=3, color=colour)
