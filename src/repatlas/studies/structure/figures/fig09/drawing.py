"""Figure 9: what the parallelism score and CCGP mean, on four example geometries."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.schematic import draw_conditions, draw_edges
from repatlas.plots.style import (
    CLASS_COLOURS,
    GREY,
    Style,
    class_colour,
    finish,
    letter,
    small_type,
)

TITLES = {
    "square": "Square",
    "turned": "Turned",
    "shifted": "Shifted",
    "tetrahedron": "Tetrahedron",
}
TURN, TILT = np.radians([40, 22])
VIEW = np.array(
    [
        [np.cos(TURN), np.sin(TURN), 0],
        [-np.sin(TURN) * np.sin(TILT), np.cos(TURN) * np.sin(TILT), np.cos(TILT)],
    ]
)
"""The plane of the page: seen from above, and from where neither coding vector is foreshortened."""
NAMES, SIDES = ("1,0", "1,1", "0,0", "0,1"), (1, 1, -1, -1)
"""The names of the conditions, variable 1 and variable 2, and to which side these stand."""
CONTEXTS = (("black", "-"), (GREY, (0, (2.5, 1.2))))
"""Colour and dashes of the lower and the upper context."""
WRONG = {"marker": "x", "color": "black", "markersize": 3, "markeredgewidth": 0.7}
"""The look of a sample that the decoder gets wrong."""
MIDDLE = {"parallelism": 0.5, "ccgp": 0.75}
"""Above it a score is high: half of the way from none, or from chance, to 1."""
REACH = 2.7
"""The range of every panel, so that all have one scale."""
PLANE_REACH = 1.6


def draw(table: pd.DataFrame, style: Style) -> Figure:
    refuse_pooling(table, ["kernel", "measure", "variant", "cluster", "x", "y"])
    figure = Figure(figsize=(style.width, 0.78 * style.width))
    part_a, part_b = figure.subfigures(2, 1)

    letter(part_a, "A")
    part_a.suptitle(
        "Parallelism score: do the coding vectors of both contexts point the same way?",
        size=style.font_size,
    )
    for ax, geometry in _panels(part_a, heights=(-2.0, 3.2)):
        _draw_parallelism(ax, table[table["kernel"] == geometry])
    part_a.legend(handles=_looks_of_conditions(), loc="outside lower center", ncols=5,
                  columnspacing=1.2)  # fmt: skip

    letter(part_b, "B")
    part_b.suptitle(
        "CCGP: is a decoder fitted in one context right in the other?", size=style.font_size
    )
    for ax, geometry in _panels(part_b, heights=(-2.4, 2.4)):
        _draw_generalisation(ax, table[table["kernel"] == geometry])
    part_b.legend(handles=_looks_of_samples(), loc="outside lower center", ncols=3)

    for ax in figure.findobj(Axes):
        ax.patch.set_visible(False)
        for artist in (*ax.lines, *ax.patches, *ax.texts, *ax.child_axes):
            artist.set_in_layout(False)  # it may reach beyond its panel

    finish(
        figure,
        table,
        style,
        "Conditions are labelled (variable 1, variable 2). A: at the top left of each drawing both "
        "coding vectors start from one point, in the plane that they span; PS: their cosine. B: a "
        "linear SVM is fitted where variable 2 is 0; CCGP: its accuracy where variable 2 is 1, "
        "mean of both directions.",
    )
    return figure


def _looks_of_conditions() -> list[Line2D]:
    """Return the handles of the legend of panel A."""
    green, pink = CLASS_COLOURS
    dot = {"linestyle": "", "markersize": 4}
    return [
        Line2D([], [], color=pink, marker="s", label="variable 1 is 0", **dot),
        Line2D([], [], color=green, marker="o", label="variable 1 is 1", **dot),
        Line2D([], [], color=green, marker="o", alpha=0.25, label="1 SD of the noise",
               **dot | {"markersize": 8, "markeredgewidth": 0}),
        *(Line2D([], [], color=colour, linestyle=dashes, label=f"vector, variable 2 is {value}")
          for value, (colour, dashes) in enumerate(CONTEXTS)),
    ]  # fmt: skip


def _looks_of_samples() -> list[Any]:
    """Return the handles of the legend of panel B."""
    dot = {"linestyle": "", "color": "0.3"}
    return [
        Patch(facecolor="0.8", edgecolor="0.4", alpha=0.45, label="boundary of the decoder"),
        Line2D([], [], marker=".", markersize=4, label="sample", **dot),
        Line2D([], [], label="wrong", **dot | WRONG),
    ]


def _panels(part: Any, heights: tuple[float, float]) -> list[tuple[Any, str]]:
    """Add a bare panel for each geometry, all to one scale."""
    axes = part.subplots(1, len(TITLES))
    for ax in axes:
        ax.set(xlim=(-REACH, REACH), ylim=heights, aspect="equal", xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.set_anchor("N")
    return list(zip(axes, TITLES, strict=True))


def _draw_parallelism(ax: Any, rows: pd.DataFrame) -> None:
    places = _places(rows[rows["measure"] == "condition"])
    deviation = rows.loc[rows["measure"] == "deviation", "value"].iloc[0]
    draw_edges(ax, places @ VIEW.T)
    draw_conditions(ax, places @ VIEW.T, deviation)
    for place, name, side in zip(places @ VIEW.T, NAMES, SIDES, strict=True):
        ax.annotate(name, place, xytext=(5 * side, 3), textcoords="offset points",
                    ha="left" if side > 0 else "right")  # fmt: skip
    for context, look in enumerate(CONTEXTS):
        _arrow(ax, places[2 + context] @ VIEW.T, places[context] @ VIEW.T, *look)
    _draw_angle(ax.inset_axes([-0.02, 0.8, 0.25, 0.25]), places[:2] - places[2:])
    _name_score(ax, rows, "parallelism", "PS")


def _draw_angle(ax: Any, vectors: np.ndarray) -> None:
    """Draw both coding vectors from one point, in the plane that they span, at their true angle."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    angle = np.arccos(np.clip(units[0] @ units[1], -1, 1))
    tips = [(1, 0), (np.cos(angle), np.sin(angle))]
    # If both vectors are equal, they are drawn next to each other.
    aside = np.array([0, 0.14 if angle < 0.1 else 0])
    for number, (tip, look) in enumerate(zip(tips, CONTEXTS, strict=True)):
        _arrow(ax, number * aside, np.array(tip) + number * aside, *look)
    arc = np.linspace(0, angle, 20)
    ax.plot(0.35 * np.cos(arc), 0.35 * np.sin(arc), color=GREY, linewidth=0.6)
    ax.annotate(f"{np.degrees(angle):.0f}°", (0.5, 0.08 + 1.2 * aside[1]), xytext=(0, 2),
                textcoords="offset points", size=small_type(), color=GREY)  # fmt: skip
    ax.set(xlim=(-0.15, 1.15), ylim=(-0.15, 1.15), aspect="equal")
    ax.set_axis_off()


def _draw_generalisation(ax: Any, rows: pd.DataFrame) -> None:
    places = _places(rows[rows["measure"] == "condition"])
    draw_edges(ax, places @ VIEW.T)
    corners, normal = decoder_plane(rows, places)
    ax.fill(*(corners @ VIEW.T).T, facecolor="0.8", edgecolor="0.4", alpha=0.45, linewidth=0.6,
            zorder=3, clip_on=False)  # fmt: skip
    for label, direction in enumerate((-normal, normal)):
        start = min(corners, key=lambda corner: corner @ VIEW[1])
        _arrow(ax, start @ VIEW.T, (start + 0.6 * direction) @ VIEW.T, GREY)
        ax.annotate(f"{label}", (start + 0.85 * direction) @ VIEW.T, ha="center", va="center",
                    color=class_colour(2 - 2 * label, len(places)),
                    annotation_clip=False)  # fmt: skip
    samples = rows[rows["measure"] == "sample"]
    for (cluster, said), some in samples.groupby(["cluster", "variant"]):
        at = _places(some)
        colour = class_colour(cluster, len(places))
        # What lies behind the plane is seen through it.
        before = (at - corners[0]) @ normal * np.sign(normal @ np.cross(*VIEW)) > 0
        for some_at, order in ((at[before], 4), (at[~before], 2)):
            marker = (
                WRONG
                if said == "wrong"
                else {"marker": ".", "color": colour, "markersize": 2.5, "markeredgewidth": 0}
            )
            ax.plot(*(some_at @ VIEW.T).T, linestyle="", zorder=order, clip_on=False, **marker)
    for context, text in enumerate(("fitted", "tested")):
        ax.annotate(text, places[context] @ VIEW.T, xytext=(16, 0), textcoords="offset points",
                    color=CONTEXTS[context][0], size=small_type(), va="center")  # fmt: skip
    _name_score(ax, rows, "ccgp", "CCGP")


def decoder_plane(rows: pd.DataFrame, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners of an upright square in the decoder's plane w . x + b = 0, (4, 3), and its
    normal, (3,). The normal is on the side that the decoder takes for 1."""
    decoder = rows[rows["measure"] == "decoder"].set_index("variant")["value"]
    weights = decoder[["weight 1", "weight 2", "weight 3"]].to_numpy()
    normal = weights / np.linalg.norm(weights)
    middle = places.mean(axis=0)
    middle = middle - (middle @ normal + decoder["intercept"] / np.linalg.norm(weights)) * normal
    up = np.array([0, 0, 1.0]) - normal[2] * normal
    up /= np.linalg.norm(up)
    across = np.cross(normal, up)
    sides = [(-1, -1), (-1, 1), (1, 1), (1, -1)]
    corners = np.array([middle + PLANE_REACH * (i * across + j * up) for i, j in sides])
    return corners, normal


def _places(rows: pd.DataFrame) -> np.ndarray:
    """Return the places as (m, 3), in the order of the conditions."""
    return rows.sort_values("cluster")[["x", "y", "value"]].to_numpy()


def _name_score(ax: Any, rows: pd.DataFrame, measure: str, name: str) -> None:
    """Write the geometry, and whether its score is high, above a panel, and the score below."""
    of_first = (rows["measure"] == measure) & (rows["variant"] == "variable 1")
    score = rows.loc[of_first, "value"].iloc[0]
    level = "high" if score > MIDDLE[measure] else "low"
    ax.set_title(f"{TITLES[rows['kernel'].iloc[0]]}: {level} {name}")
    ax.set_xlabel(f"{name} = {score:.2f}")


def _arrow(ax: Any, start: np.ndarray, tip: np.ndarray, colour: str, dashes: Any = "-") -> None:
    arrow = {"arrowstyle": "-|>,head_width=0.15,head_length=0.3", "color": colour}
    arrow |= {"linestyle": dashes}
    arrow |= {"linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tip, xytext=start, arrowprops=arrow, annotation_clip=False)
