"""Figure 9: parallelism score and CCGP of four example geometries; no network is trained."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from repatlas.figures.figure import Figure, Finding
from repatlas.geometry import ccgp, context_pairs, linear_svm, parallelism_score
from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.plots.palette import BAND, BLACK, CLASS_COLOURS, DARK, GREY
from repatlas.plots.schematic import draw_conditions, draw_edges
from repatlas.plots.style import Style, class_colour, finish, letter, page, small_type
from repatlas.streams import stream

FIGURE = Figure(
    "Example geometries, for which no network is trained.",
    finding=Finding(
        "Parallelism score and CCGP are two things: either can be high where the other is low.",
        {},
    ),
)
CAPTION = """**Figure 9: parallelism score and CCGP.** Are both measures high for the same
geometries? Four geometries of two binary variables, to scale in an oblique view. The first three
are a square, the square with one context turned, and the square with one context shifted along the
coding vector. The shift is larger than the distance of the classes. The fourth is a regular
tetrahedron. They are our choice: the paper's figure has no coordinates. A: the coding vectors of
variable 1 in the two contexts, and its parallelism score. B: the boundary of a linear SVM fitted in
one context, some of the samples (crosses: those that it gets wrong), and CCGP. A parallelism score
above 0.5 is called high, and so is CCGP above 0.75, half of the way from chance to 1. There are no
networks and no error bars: other samples give the same printed digits. The scores of variable 2 are
in the table."""

LABELS = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
"""The labels of two binary variables in the four conditions, (P, k): the first half has label 1 in
the first, as in all tasks here. For each variable the values of the other are its two contexts."""
CONDITIONS, VARIABLES = LABELS.shape
DEVIATION = 0.3
"""The standard deviation of the noise, in each dimension."""
DISTANCE = 8 * DEVIATION
"""The distance between the two values of variable 1: a decoder within a context errs in a few
of 100,000 samples."""
SAMPLES = 100_000
"""Samples of each condition: the scores are stable to the printed hundredth."""
DRAWN_SAMPLES = 30
"""Samples of each condition that are drawn."""
ANGLE = 75.0
"""An angle in degrees: its cosine, the parallelism score, is low, but not 0."""
SHIFT = 1.25 * DISTANCE
"""A shift by more than the distance: where one context ends, along the coding vector, the other
begins."""


def two_contexts(angle: float = 0.0, shift: float = 0.0, apart: float = DISTANCE) -> np.ndarray:
    """Return the positions of the conditions, (P, 3).

    Variable 1 moves the first context along the first axis. It moves the second context at an angle
    to it, in degrees, in the plane of the first two axes. The second context is shifted along the
    first axis, and at a distance along the third.
    """
    turn = np.deg2rad([0.0, angle])
    coding = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(2)])
    middle = np.outer([-0.5, 0.5], [shift, 0.0, apart])
    return np.array([middle[c] + (y - 0.5) * DISTANCE * coding[c] for y, c in LABELS])


GEOMETRIES = {
    "square": two_contexts(),
    "turned": two_contexts(angle=ANGLE),
    "shifted": two_contexts(shift=SHIFT),
    # Opposite edges of a regular tetrahedron are orthogonal, and 1 / sqrt 2 of their length apart.
    "tetrahedron": two_contexts(angle=90.0, apart=DISTANCE / np.sqrt(2)),
}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    noise = mirrored_noise(SAMPLES)
    parts = [
        part.assign(kernel=name)
        for name, places in GEOMETRIES.items()
        for part in (_score_rows(places, noise), _decoder_rows(places, noise))
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(clusters=CONDITIONS, targets=VARIABLES)


def mirrored_noise(number: int) -> np.ndarray:
    """Return standard normal draws, (number, 3), each with its mirror images in the three axes."""
    mirrors = np.array(list(product([1, -1], repeat=3)))
    drawn = stream(0, "example geometries").standard_normal((number // len(mirrors), 3))
    return (drawn[:, None] * mirrors).reshape(-1, 3)


def samples_around(places: np.ndarray, noise: np.ndarray, variable: int) -> np.ndarray:
    """Return samples of each condition, (P, number, 3).

    The first axis of the noise is put along the coding vector of the variable in each context.
    Normal noise has no preferred direction. If it is mirrored along this vector, and equal for all
    conditions, it is as symmetric as its distribution. Chance then does not tilt or move a
    decoder's boundary. Otherwise the few samples near the boundary, which determine it, would move
    CCGP by 0.03, even with 100,000 samples of each condition.
    """
    samples = np.empty((CONDITIONS, *noise.shape))
    for pair in context_pairs(LABELS, variable):
        coding = places[pair[0]] - places[pair[1]]
        frame, _ = np.linalg.qr(np.column_stack([coding, np.eye(3)]))
        samples[pair] = places[pair][:, None] + DEVIATION * noise @ frame.T
    return samples


def _score_rows(places: np.ndarray, noise: np.ndarray) -> pd.DataFrame:
    """Return the conditions, and both scores of each variable."""
    conditions = np.repeat(np.arange(CONDITIONS), len(noise))
    scores = []
    for variable in range(VARIABLES):
        samples = samples_around(places, noise, variable).reshape(-1, 3)
        found = {
            "parallelism": parallelism_score(places, LABELS, variable),
            "ccgp": ccgp(samples, LABELS[conditions], variable, scale=None),
        }
        scores += [
            {"measure": measure, "variant": f"variable {variable + 1}", "value": value}
            for measure, value in found.items()
        ]
    means = _place_rows(places, np.arange(CONDITIONS), measure="condition", variant="mean")
    deviation = {"measure": "deviation", "variant": "noise", "value": DEVIATION}
    return pd.concat([means, pd.DataFrame([*scores, deviation])])


def _decoder_rows(places: np.ndarray, noise: np.ndarray) -> pd.DataFrame:
    """Return the decoder of variable 1 that is fitted in its first context, and its accuracy in
    both.

    There are also some samples of both contexts. For the second context it is marked whether the
    decoder is right.
    """
    samples = samples_around(places, noise, variable=0)
    signs, own = 2 * LABELS[:, 0] - 1, LABELS[:, 1] == 0
    labels = np.repeat(signs[own], len(noise))
    svm = linear_svm(samples[own].reshape(-1, 3), labels)
    said = svm.predict(samples.reshape(-1, 3)).reshape(CONDITIONS, -1)
    right = said == signs[:, None]  # (P, number)
    numbers = [
        ("decoder", "weight 1", svm.weights[0]),
        ("decoder", "weight 2", svm.weights[1]),
        ("decoder", "weight 3", svm.weights[2]),
        ("decoder", "intercept", svm.intercept),
        ("accuracy", "own context", right[own].mean()),
        ("accuracy", "other context", right[~own].mean()),
    ]
    # One of every eight: the others are its mirror images.
    drawn = slice(0, 8 * DRAWN_SAMPLES, 8)
    clouds = [
        _place_rows(
            samples[c, drawn],
            c,
            measure="sample",
            variant="own context" if own[c] else np.where(right[c, drawn], "right", "wrong"),
        )
        for c in range(CONDITIONS)
    ]
    return pd.concat([pd.DataFrame(numbers, columns=["measure", "variant", "value"]), *clouds])


def _place_rows(places: np.ndarray, cluster: np.ndarray | int, **columns) -> pd.DataFrame:
    """Return rows of positions, (m, 3): x, y and, as their value, the third coordinate."""
    x, y, value = places.T
    return pd.DataFrame({"x": x, "y": y, "value": value, "cluster": cluster, **columns})


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
CONTEXTS = ((BLACK, "-"), (GREY, (0, (2.5, 1.2))))
"""Colour and dashes of the lower and the upper context."""
WRONG = {"marker": "x", "color": BLACK, "markersize": 3, "markeredgewidth": 0.7}
"""The look of a sample that the decoder gets wrong."""
MIDDLE = {"parallelism": 0.5, "ccgp": 0.75}
"""Above it a score is high: half of the way from none, or from chance, to 1."""
REACH = 2.7
"""The range of every panel, so that all have one scale."""
PLANE_REACH = 1.6


def draw(table: pd.DataFrame, style: Style) -> Any:
    from matplotlib.axes import Axes

    refuse_mixed_kinds(table, ["kernel", "measure", "variant", "cluster", "x", "y"])
    figure = page(style, 0.78 * style.width)
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


def _looks_of_conditions() -> list[Any]:
    """Return the handles of the legend of panel A."""
    from matplotlib.lines import Line2D

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
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    dot = {"linestyle": "", "color": DARK}
    return [
        Patch(facecolor=BAND, edgecolor=GREY, alpha=0.45, label="boundary of the decoder"),
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
    ax.fill(*(corners @ VIEW.T).T, facecolor=BAND, edgecolor=GREY, alpha=0.45, linewidth=0.6,
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
