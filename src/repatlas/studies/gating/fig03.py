"""Figure 3: the task and its network, of the task with a tree, a ring and crosses."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.figures.figure import Figure, Finding
from repatlas.plots.palette import DARK, GREY, LIGHT, WHITE
from repatlas.plots.style import Style, finish, letter, page
from repatlas.studies.gating.look import (
    NAMES,
    OBJECTS,
    draw_matrix,
    mark_contexts,
    matrix,
    name_of_pathway,
)
from repatlas.studies.gating.rows.tasks import HETEROGENEOUS, item_rows, pathway_rows

FIGURE = Figure(
    "Inputs, targets and pathways of the task, for which no network is trained.",
    finding=Finding(
        "All contexts share one tree, and each has a structure of its own.",
        {},
    ),
)
CAPTION = """**Figure 3: the task of three contexts and its gated network.** A: inputs (middle) are
the object and the context, both one-hot. Targets common to all contexts (left) are a tree over the
objects; each context has separate targets (right), a tree, a ring and a tree with crossed pairs.
Names of objects and features are ours. B: the gated network: a common pathway that is always on and
sees all inputs, and one for each two contexts, which sees objects alone. Each pathway reaches all
outputs. There are no networks and no error bars."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return pd.concat([item_rows(HETEROGENEOUS), pathway_rows(HETEROGENEOUS)], ignore_index=True)


FEATURES = 15
PATHWAYS = ("common", "12", "13", "23")


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.95 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.56, 0.44])
    letter(top, "A")
    targets = matrix(table[table["measure"] == "target"])
    inputs = matrix(table[table["measure"] == "input"])
    grid = top.add_gridspec(2, 3, width_ratios=[1, 0.75, 1], height_ratios=[0.4, 1])
    common = top.add_subplot(grid[1, 0])
    draw_matrix(common, targets[:FEATURES], "Targets common to all contexts")
    mark_contexts(common, 3)
    common.set_ylabel("15 features, a tree")
    middle = top.add_subplot(grid[1, 1])
    draw_matrix(middle, inputs, "Inputs")
    mark_contexts(middle, 3)
    middle.set_yticks([3.5, 9], ["objects", "contexts"], rotation=90, va="center")
    middle.tick_params(axis="y", length=0)
    middle.axhline(7.5, color=GREY, linewidth=0.5)
    own = top.add_subplot(grid[1, 2])
    image = draw_matrix(own, targets[FEATURES:], "Targets of each context")
    mark_contexts(own, 3)
    for context in range(1, 3):
        own.axhline(context * FEATURES - 0.5, color=GREY, linewidth=0.5)
    own.set_yticks((np.arange(3) + 0.5) * FEATURES - 0.5, ["tree", "ring", "cross"], rotation=90,
                   va="center")  # fmt: skip
    own.tick_params(axis="y", length=0)
    _draw_tree(top.add_subplot(grid[0, :]))
    scale = top.colorbar(image, ax=own, ticks=[0, 1], aspect=30)
    scale.ax.set_ylim(0, 1)  # no value is negative
    scale.outline.set_visible(False)

    letter(bottom, "B")
    _draw_network(bottom.subplots(), table)
    finish(
        figure,
        table,
        style,
        "A: each column is one of 24 items, 8 in each context A, B, C. The tree is that of "
        "the common targets; names are ours. B: lines at the left: what a pathway sees. The common "
        "pathway sees all inputs; the others objects alone, in two contexts each.",
    )
    return figure


def _draw_tree(ax: Any) -> None:
    """Draw the tree over the eight objects."""
    levels = [[3.5], [1.5, 5.5], [0.5, 2.5, 4.5, 6.5], list(range(8))]
    names = [["living thing"], ["animal", "plant"], ["bird", "fish", "flower", "tree"], OBJECTS]
    for level in range(3):
        for number, x in enumerate(levels[level + 1]):
            ax.plot(
                [levels[level][number // 2], x], [-level, -level - 1], color=GREY, linewidth=0.7
            )
    for level, (places, of_level) in enumerate(zip(levels, names, strict=True)):
        for x, name in zip(places, of_level, strict=True):
            ax.text(x, -level, name, ha="center", va="center",
                    bbox={"facecolor": WHITE, "edgecolor": "none", "pad": 0.8})  # fmt: skip
    ax.set(xlim=(-0.6, 7.6), ylim=(-3.3, 0.3))
    ax.set_axis_off()


def _draw_network(ax: Any, table: pd.DataFrame) -> None:
    """Draw inputs on the left, pathways in the middle and outputs on the right."""
    ax.set(xlim=(0, 10), ylim=(0.2, 4.4))
    ax.set_axis_off()
    inputs = {"objects": 2.9, "contexts": 0.9}
    heights = dict(zip(PATHWAYS, (3.75, 2.6, 1.5, 0.4), strict=True))
    for name, y in inputs.items():
        _box(ax, 0.1, y, 1.7, name, DARK)
    outputs = 1.9
    _box(ax, 8.1, outputs, 1.8, "all outputs", DARK)
    for pathway, y in heights.items():
        masks = table[(table["measure"] == "mask") & (table["variant"] == pathway)]
        seen = masks.sort_values("cluster")["value"].to_numpy()
        for name, chosen in (("objects", seen[:8]), ("contexts", seen[8:])):
            if chosen.any():
                ax.plot([1.8, 3.4], [inputs[name] + 0.25, y + 0.25], color=LIGHT, linewidth=0.8,
                        zorder=0)  # fmt: skip
        gates = table[(table["measure"] == "gate") & (table["variant"] == pathway)]
        on = gates.sort_values("cluster")["value"].to_numpy().reshape(3, 8).any(axis=1)
        said = "on always" if on.all() else f"on in {' and '.join(np.array(list(NAMES[:3]))[on])}"
        _box(ax, 3.4, y, 2.9, f"{name_of_pathway(pathway)}: {said}", DARK)
        ax.plot([6.3, 8.1], [y + 0.25, outputs + 0.25], color=LIGHT, linewidth=0.8, zorder=0)


def _box(ax: Any, x: float, y: float, width: float, text: str, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(
        FancyBboxPatch((x, y), width, 0.5, boxstyle="round,pad=0.02,rounding_size=0.1",
                       facecolor=WHITE, edgecolor=colour, linewidth=0.9)
    )  # fmt: skip
    ax.text(x + width / 2, y + 0.25, text, ha="center", va="center", color=colour)
