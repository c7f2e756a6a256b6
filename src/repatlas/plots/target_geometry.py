"""Small drawings of where clusters lie: what geometry targets ask for (Figure 4)."""

from itertools import combinations, product
from typing import Any

import numpy as np

from repatlas.plots.palette import BAND, CLASS_COLOURS, GREY, WHITE

VIEW = np.array([[0.92, -0.38, 0.0], [0.16, 0.26, 0.95]])
"""The plane of the page: how much of three coordinates goes right and up."""
CORNERS = np.array(list(product((-1, 1), repeat=3)), float)
"""The corners of a cube."""
SQUARE = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], float)
"""Four clusters whose two targets are their sides, left or right and up or down."""
CROSSED = np.array([[-1, 0.35], [1, 0.35], [1, -0.35], [-1, -0.35]], float)
"""Four clusters on a line that separates neither target. Two clusters at each end differ in both
targets; they are drawn 0.35 apart so that both are visible."""
TETRAHEDRON = CORNERS[[0, 3, 5, 6]] @ VIEW.T


def shape_of(clusters: int, targets: int) -> str:
    """Return the shape of the kernel of this number of orthogonal targets.

    One target gives two points. Several targets give the corners of a cube, with a dimension for
    each target. If there are clusters - 1 targets, all clusters are equally far from one another.
    Other numbers give an empty string, because their geometry has no name.
    """
    if targets == clusters - 1:
        return "simplex"
    if targets == 1:
        return "pair"
    return "cube" if 2**targets <= clusters else ""


def draw_shape(ax: Any, shape: str) -> None:
    """Draw dots for the clusters, which may overlap, and lines between neighbours."""
    if shape == "pair":
        points = np.array([[-1, 0], [1, 0]], float)
        edges = [(0, 1)]
    elif shape == "cube":
        points = CORNERS @ VIEW.T
        pairs = combinations(range(8), 2)
        edges = [(a, b) for a, b in pairs if np.abs(CORNERS[a] - CORNERS[b]).sum() == 2]
    else:
        turns = np.pi / 2 + 2 * np.pi * np.arange(5) / 5
        points = 1.2 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        edges = list(combinations(range(5), 2))
    for edge in edges:
        ax.plot(*points[list(edge)].T, color=BAND, linewidth=0.6, zorder=0)
    ax.plot(*points.T, "o", color=GREY, markersize=2.5)
    _frame(ax)


def draw_four(ax: Any, points: np.ndarray) -> None:
    """Draw four clusters, (4, 2). The colour is the first target, and filled or empty the
    second."""
    for first, second in combinations(points, 2):
        ax.plot(*zip(first, second, strict=True), color=BAND, linewidth=0.5, zorder=0)
    for number, point in enumerate(points):
        colour = CLASS_COLOURS[number % 2]
        ax.plot(*point, marker="os"[number % 2], color=colour, markersize=3, markeredgewidth=0.8,
                markerfacecolor=colour if number < 2 else WHITE)  # fmt: skip
    _frame(ax)


def _frame(ax: Any) -> None:
    ax.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
    ax.set_axis_off()
