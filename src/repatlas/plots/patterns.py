"""Hidden patterns of clusters as points in a plane (Figures 1E and 2A)."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.plots.palette import WHITE
from repatlas.plots.schematic import draw_edges
from repatlas.plots.style import class_colour, say

WHEN = ("before", "after")
MARKERS = ("o", "s")
"""Markers of the class with label 1, and of the class with label 0."""


def reach_of(patterns: pd.DataFrame) -> float:
    """Return how far panels of one scale must reach to hold all these patterns."""
    places = patterns[["x", "y"]].abs().max(axis=None)
    return 1.25 * places if places > 0 else 1.0


def draw_before_and_after(axes: Any, patterns: pd.DataFrame, reach: float) -> None:
    """Draw the patterns of one network in two panels, for the first and the last step."""
    steps = sorted(patterns["step"].unique())
    for ax, when, found in zip(axes, WHEN, (steps[:1], steps[1:]), strict=True):
        _draw_patterns(ax, patterns[patterns["step"].isin(found)], reach)
        ax.set_title(when)


def draw_after(ax: Any, patterns: pd.DataFrame, reach: float) -> None:
    """Draw the patterns of the last step; the rows have several steps."""
    steps = sorted(patterns["step"].unique())
    _draw_patterns(ax, patterns[patterns["step"].isin(steps[1:])], reach)


def _draw_patterns(ax: Any, rows: pd.DataFrame, reach: float) -> None:
    places = rows[rows["variant"] == "place"].sort_values("cluster")
    refuse_mixed_kinds(places, ["cluster"])
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    if not len(places):
        say(ax, "Its network diverged")
        return
    points = places[["x", "y"]].to_numpy()
    draw_edges(ax, points)
    for cluster, point in enumerate(points):
        ax.plot(*point, marker=MARKERS[int(2 * cluster >= len(points))], markersize=3.5,
                color=class_colour(cluster, len(points)), markeredgewidth=0.4,
                markeredgecolor=WHITE)  # fmt: skip
    share = rows.loc[rows["variant"] == "share", "value"].iloc[0]
    ax.set_xlabel(f"{np.floor(100 * share + 0.5):.0f}%", labelpad=1)
