"""Small drawings of where clusters lie: what geometry targets ask for (Figure 4)."""

from itertools import combinations, product
from typing import Any

import numpy as np

from repatlas.plots.style import CLASS_COLOURS, GREY

VIEW = np.array([[0.92, -0.38, 0.0], [0.16, 0.26, 0.95]])
"""The plane of the page: how much of three coordinates goes right and up."""
CORNERS = np.array(list(product((-1, 1), repeat=3)), float)
"""Of a cube."""
SQUARE = np.array([[-1, 1], [1, 1], [-1, -1], [1, -1]], float)
"""Four clusters whose two targets are their sides, left or right and up or down."""
CROSSED = np.array([[-1, 0.35], [1, 0.35], [1, -0.35], [-1, -0.35]], float)
"""The same on a line on which neither target can be told: at each of its ends, 0.35 apart only to
be seen, lie two clusters that differ in both."""
TETRAHEDRON = CORNERS[[0, 3, 5, 6]] @ VIEW.T


def shape_of(clusters: int, targets: int) -> str:
    """What the kernel of so many orthogonal targets is: clusters at two points for one target, at
    the corners of a cube of as many dimensions as there are targets, or all equally far from one
    another for clusters - 1. Empty for other numbers, whose geometry has no name."""
    if targets == clusters - 1:
        return "simplex"
    if targets == 1:
        return "pair"
    return "cube" if 2**targets <= clusters else ""


def draw_shape(ax: Any, shape: str) -> None:
    """Dots for the clusters, of which some may lie on each other, and lines between neighbours."""
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
        ax.plot(*points[list(edge)].T, color="0.75", linewidth=0.6, zorder=0)
    ax.plot(*points.T, "o", color=GREY, markersize=2.5)
    _frame(ax)


def draw_four(ax: Any, points: np.ndarray) -> None:
    """Four clusters, (4, 2), whose first target is their colour and whose second is whether they
    are filled."""
    for first, second in combinations(points, 2):
        ax.plot(*zip(first, second, strict=True), color="0.8", linewidth=0.5, zorder=0)
    for number, point in enumerate(points):
        colour = CLASS_COLOURS[number % 2]
        ax.plot(*point, marker="os"[number % 2], color=colour, markersize=3, markeredgewidth=0.8,
                markerfacecolor=colour if number < 2 else "white")  # fmt: skip
    _frame(ax)


def _frame(ax: Any) -> None:
    ax.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal")
    ax.set_axis_off()
