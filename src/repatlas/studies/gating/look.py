"""The looks of this study's networks and theories, and panels that several figures share."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.inference.pooling import not_diverged
from repatlas.networks.activation import activation
from repatlas.plots.marks import draw_line
from repatlas.plots.palette import (
    BLACK,
    DARK,
    GREY,
    LIGHT,
    LILAC,
    PLUM,
    PURPLE,
    STEPS,
    VIOLET,
    WHITE,
)
from repatlas.plots.spread import with_interval
from repatlas.plots.style import counted, say
from repatlas.plots.words import networks, with_intervals

RELU, TANH = activation("relu").colour, activation("tanh").colour
GATED, JOINT, RACE, MEAN_FIELD, FITTED = PURPLE, LILAC, GREY, VIOLET, DARK
"""Gated networks and theories are purple and grey: orange and blue are activations."""
NAMES = "ABCDEFGHI"
"""Names of contexts, as many as a task may have. The paper only numbers them."""
OBJECTS = ("canary", "robin", "salmon", "sunfish", "rose", "daisy", "oak", "pine")


MARKED = {"markersize": 2.4, "markevery": 0.11}
"""Size and distance of markers, which distinguish curves in grey print."""
SIZES = "osD^v"
"""Markers of pathways by their number of contexts; 0 is the common pathway. SIZE_COLOURS has their
colours."""
SIZE_COLOURS = (GREY, LILAC, VIOLET, PURPLE, PLUM)
"""Darker colours are for more contexts, in a hue that no network or theory has."""
TASKS = {
    **{2 + number: look for number, look in enumerate(zip(STEPS, "os^D", strict=True))},
    **{6 + number: look for number, look in enumerate(zip(STEPS, "vPX*", strict=True))},
}
"""Grey and marker of tasks by their number of contexts, all that a task may have."""


class Look(NamedTuple):
    """The look of a curve. If there are several networks, only the first has markers."""

    name: str
    colour: str
    line: Any = "-"
    width: float = 1.0
    marker: str = ""
    face: str | None = None
    """The colour inside markers, if it is not the colour of the line"""


RELU_DOT = {"color": RELU, "marker": "s", "markerfacecolor": WHITE, "markersize": 3}
RELU_DOT |= {"linestyle": "none"}
LOOKS = {
    "relu": Look("ReLU", RELU, width=0.5, marker="s", face=WHITE),
    "tanh": Look("Tanh", TANH, width=0.5, marker="o"),
    "linear": Look("Linear", LIGHT, width=0.5, marker="x"),
    "gated detached": Look("ReLN", GATED, width=0.5, marker="^"),
    "gated joint": Look("ReLN, joint", JOINT, width=0.5, marker="v"),
    "gated_deep": Look("ReLN", GATED, width=0.5, marker="^"),
    "frozen items": Look("Frozen gates of units", DARK, width=0.5, marker="D"),
    "frozen contexts": Look("Frozen gates of contexts", LIGHT, width=0.5, marker="P"),
    "closed_form derived": Look("Closed form, derived", BLACK, (0, (4, 1.5))),
    "closed_form authors": Look("Closed form, authors'", BLACK, (0, (1, 1))),
    "race derived": Look("Race, derived", RACE, (0, (2, 0.8))),
    "race authors": Look("Race, authors'", RACE, (0, (1, 1))),
    "mean_field detached": Look("K-flow", MEAN_FIELD, (0, (4, 1, 1, 1))),
    "mean_field joint": Look("K-flow, joint", MEAN_FIELD, (0, (4, 1, 1, 1, 1, 1))),
    "recruited": Look("K-flow, fitted", FITTED, (0, (7, 2))),
    "logistic": Look("Closed form, linear", DARK, (0, (1, 1))),
}
"""Looks by network, and by what else distinguishes curves, in the order of legends."""


def kinds(table: pd.DataFrame) -> pd.Series:
    """Return the key of LOOKS for each row."""
    more = table[["gradient", "constants", "gates"]].fillna("").astype(str)
    said = more["gradient"] + more["constants"] + more["gates"]
    return (table["network"].fillna("") + " " + said).str.strip()


def losses(table: pd.DataFrame) -> pd.DataFrame:
    return not_diverged(table[(table["measure"] == "loss") & (table["variant"] == "")])


def draw_losses(ax: Any, table: pd.DataFrame, order: tuple[str, ...] = ()) -> None:
    """Draw a line for each network, or for the keys of LOOKS in `order`, if given. Without rows the
    panel says so."""
    rows = losses(table)
    rows = rows.assign(kind=kinds(rows))
    drawn = [kind for kind in LOOKS if kind in set(rows["kind"]) and (not order or kind in order)]
    if not drawn:
        say(ax, "Not in this run")
    for kind in drawn:
        look = LOOKS[kind]
        curves = rows[rows["kind"] == kind].groupby(["run", "seed"], dropna=False)
        for number, (_, curve) in enumerate(curves):
            ax.plot(curve["step"], curve["value"], color=look.colour, linestyle=look.line,
                    linewidth=look.width, label=look.name, **MARKED,
                    marker="" if number else look.marker,
                    markerfacecolor=look.face or look.colour)  # fmt: skip
    ax.set(xlabel="Epoch")
    ax.locator_params(axis="x", nbins=5)


def legend_of(part: Any, axes: list, **options: Any) -> None:
    """Add one legend of all lines, outside of the panels, with each name once, in the order of
    LOOKS."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    ranked = [look.name for look in LOOKS.values()]
    names = sorted(found, key=lambda n: ranked.index(n) if n in ranked else len(ranked))
    lines = part.legend([found[n] for n in names], names, handlelength=1.8, **options)
    for line in lines.get_lines():
        line.set(linewidth=1.2, markersize=3)


def draw_matrix(ax: Any, values: np.ndarray, title: str, reach: float = 1.0) -> Any:
    """Draw a matrix, whose columns are items, in colours from -reach to reach."""
    image = ax.imshow(values, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto",
                      interpolation="nearest")  # fmt: skip
    ax.set(title=title, xticks=[], yticks=[])
    return image


def mark_contexts(ax: Any, contexts: int, names: bool = True) -> None:
    """Draw lines between the contexts of a matrix of items, and write the names of contexts
    below."""
    for context in range(1, contexts):
        ax.axvline(context * len(OBJECTS) - 0.5, color=GREY, linewidth=0.5)
    if names:
        places = (np.arange(contexts) + 0.5) * len(OBJECTS) - 0.5
        ax.set_xticks(places, [NAMES[c] for c in range(contexts)])
        ax.tick_params(axis="x", length=0)


def name_of_pathway(variant: str) -> str:
    """Return the name of a pathway in letters: "12" is AB."""
    return variant if variant == "common" else "".join(NAMES[int(each) - 1] for each in variant)


def matrix(rows: pd.DataFrame) -> np.ndarray:
    """Return the values of these rows as (neurons, clusters), or (n_out, N) for outputs."""
    return rows.pivot_table(index="neuron", columns="cluster", values="value").to_numpy()


def medians(rows: pd.DataFrame, by: list[str]) -> str:
    """Return the number of networks that medians are over, and whether they have intervals, for a
    note. The rows have one measure."""
    found = with_interval(rows, by)
    if not len(found):
        return "no network has values"
    measure = rows["measure"].iloc[0]
    return f"medians over {networks(rows, measure)}, {with_intervals(found, rows, measure)}"


def draw_band(
    ax: Any, rows: pd.DataFrame, x: str, colour: str, name: str = "", **line: Any
) -> None:
    """Draw the median over networks against a column, with its interval as a band."""
    draw_line(ax, with_interval(rows, [x]), x, color=colour, label=name, **line)


def number_of_seeds(rows: pd.DataFrame) -> str:
    return counted(rows["seed"].nunique())
