"""Conditions as they lie in three dimensions: clusters of a task (Figures 1A, 2A and 7A), and
examples (Figure 9)."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.plots.palette import PALE
from repatlas.plots.style import class_colour

VIEW = np.array([[0.94, -0.34, 0.0], [0.22, 0.30, 0.93]])
"""The plane of the page: how much of (intra, other intra, inter) goes right and up."""


NAME_DISTANCE = 8.0
"""Points from the centre of a cluster to the middle of its name."""
MOST_NAMED = 4
"""Clusters that are named: the names of more would lie on each other."""


def draw_clusters(ax: Any, centres: pd.DataFrame, reach: float) -> None:
    """Draw the centres of one task, true to scale, in an oblique view that ends at +-reach.

    The space has the inter-class axis and an intra-class axis of each class, which four centred
    clusters span. A circle is one standard deviation of the noise. If there are more than four
    clusters, a legend names the classes.
    """
    refuse_mixed_kinds(centres, ["cluster", "variant"])
    places = _coordinates(centres) @ VIEW.T  # (P, 2)
    # A larger circle would fill the view just as well, but takes the renderer minutes.
    radius = min(np.sqrt(centres["noise_variance"].iloc[0]), 10 * reach)
    draw_edges(ax, places)
    draw_conditions(ax, places, radius)
    if len(places) > MOST_NAMED:
        _name_classes(ax, len(places))
    else:
        for cluster, place in enumerate(places):
            ax.annotate(
                f"$x_{cluster + 1}$",
                place,
                xytext=NAME_DISTANCE * free_direction(place, np.delete(places, cluster, axis=0)),
                textcoords="offset points",
                ha="center",
                va="center",
                color=class_colour(cluster, len(places)),
            )
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set_axis_off()


def free_direction(place: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the unit vector from a place, (2,), into the widest gap between directions of others.

    others: (n, 2). The vector is to the upper right if there are none.
    """
    away = others - place
    away = away[np.linalg.norm(away, axis=1) > 0]
    if not len(away):
        return np.full(2, np.sqrt(0.5))
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    widest = gaps.argmax()
    middle = angles[widest] + gaps[widest] / 2
    return np.array([np.cos(middle), np.sin(middle)])


def reach_of(centres: pd.DataFrame) -> float:
    """Return how far a view must reach to hold these centres, of one or several tasks."""
    return 1.15 * max(
        np.linalg.norm(_coordinates(task), axis=1).max() for _, task in centres.groupby("run")
    )


def _coordinates(centres: pd.DataFrame) -> np.ndarray:
    """Return the coordinates of the centres along the three axes, (P, 3)."""
    wide = centres.pivot_table(index="cluster", columns="variant", values="value")
    return wide[["intra", "other intra", "inter"]].to_numpy()


def _name_classes(ax: Any, clusters: int) -> None:
    half = clusters // 2
    for marker, first, last in (("o", 1, half), ("s", half + 1, clusters)):
        name = f"$x_{first}$ to $x_{last}$"
        ax.plot([], [], marker, markersize=3, color=class_colour(first - 1, clusters), label=name)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0), handletextpad=0.1)


def draw_edges(ax: Any, places: np.ndarray) -> None:
    """Draw lines between all pairs of places, (P, 2) on the page."""
    for first in range(len(places)):
        for second in range(first):
            ax.plot(*places[[first, second]].T, color=PALE, linewidth=0.6, zorder=0)


def draw_conditions(ax: Any, places: np.ndarray, radius: float) -> None:
    """Draw a mark in a disc for each condition, (P, 2) on the page, with the colour and shape of
    its class."""
    from matplotlib.patches import Circle

    for condition, place in enumerate(places):
        colour = class_colour(condition, len(places))
        ax.add_patch(Circle(place, radius, color=colour, alpha=0.25, linewidth=0))
        ax.plot(*place, marker="os"[2 * condition >= len(places)], markersize=3, color=colour)
