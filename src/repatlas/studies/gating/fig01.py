"""Figure 1: gated deep linear networks, and the pathways of the study."""

from typing import Any

import pandas as pd

from repatlas.figures.figure import Figure, Finding
from repatlas.plots.palette import DARK, GREY, WHITE
from repatlas.plots.style import Style, finish, letter, page
from repatlas.studies.gating.look import GATED, NAMES, draw_matrix, mark_contexts, name_of_pathway
from repatlas.studies.gating.rows.tasks import HETEROGENEOUS, item_rows, pathway_rows

FIGURE = Figure(
    "Gated deep linear networks and their pathways, for which no network is trained.",
    finding=Finding(
        "A gated deep linear network is a sum of linear pathways, which gates switch on and off.",
        {},
    ),
)
CAPTION = """**Figure 1: gated deep linear networks.** A: pathways of linear units between inputs
and outputs, each with a gate that is on for some items alone. B: the pathways of the gated network
of Figures 3 and 4: the items for which each is on, and the inputs that it sees. There are no
networks and no error bars."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return pd.concat([item_rows(HETEROGENEOUS), pathway_rows(HETEROGENEOUS)], ignore_index=True)


PATHWAYS = ("common", "12", "13", "23")


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.42 * style.width)
    left, right = figure.subfigures(1, 2, width_ratios=[0.85, 1.15])
    letter(left, "A")
    _draw_graph(left.subplots())
    letter(right, "B")
    axes = right.subplots(len(PATHWAYS), 2, width_ratios=[24, 11], squeeze=False)
    for row, name in zip(axes, PATHWAYS, strict=True):
        for ax, measure in zip(row, ("gate", "mask"), strict=True):
            shown = table[(table["measure"] == measure) & (table["variant"] == name)]
            draw_matrix(ax, -shown.sort_values("cluster")["value"].to_numpy()[None], "")
            if measure == "gate":
                mark_contexts(ax, 3, names=name == PATHWAYS[-1])
            else:
                ax.axvline(7.5, color=GREY, linewidth=0.5)
        row[0].set_ylabel(name_of_pathway(name), rotation=0, ha="right", va="center")
    axes[0, 0].set_title("Gate over the items")
    axes[0, 1].set_title("Inputs seen")
    axes[-1, 1].set_xticks([3.5, 9], ["objects", "A B C"])
    axes[-1, 1].tick_params(axis="x", length=0)
    axes[-1, 0].set_xlabel("Items, by context")
    axes[-1, 1].set_xlabel("Inputs")
    note = (
        "A: a path is on where its gates are; its map is the product of its weights. B: blue is "
        f"on. {NAMES[0]}, {NAMES[1]}, {NAMES[2]}: contexts of 8 items each."
    )
    finish(figure, table, style, note)
    return figure


def _draw_graph(ax: Any) -> None:
    """Draw inputs, three gated pathways and their sum."""
    ax.set(xlim=(-0.25, 3.35), ylim=(-1.75, 1.75), aspect="equal")
    ax.set_axis_off()
    _node(ax, (0, 0), "$x$")
    _node(ax, (3.1, 0), r"$\hat{y}$")
    for y, number in ((1.2, "1"), (0, "2"), (-1.2, "P")):
        middle = (1.55, y)
        _node(ax, middle, f"$h_{number}$")
        _arrow(ax, (0, 0), middle)
        _arrow(ax, middle, (3.1, 0))
        ax.text(0.62, 0.56 * y + (0.16 if y >= 0 else -0.2), f"$W_1^{number}$", ha="center",
                va="center")  # fmt: skip
        ax.text(2.5, 0.56 * y + (0.16 if y >= 0 else -0.2), f"$W_2^{number}$", ha="center",
                va="center")  # fmt: skip
        ax.text(1.55, y + 0.36, f"$g_{number}(x)$", ha="center", va="center", color=GATED)
    ax.text(1.55, -0.52, r"$\vdots$", ha="center", va="center")
    ax.text(1.55, -1.66, r"$\hat{y}=\sum_p\,g_p(x)\,W_2^pW_1^p\,x$", ha="center", va="center")


def _node(ax: Any, place: tuple[float, float], text: str) -> None:
    from matplotlib.patches import Circle

    ax.add_patch(Circle(place, 0.2, facecolor=WHITE, edgecolor=DARK, linewidth=0.8, zorder=3))
    ax.text(*place, text, ha="center", va="center", zorder=4)


def _arrow(ax: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    from matplotlib.patches import FancyArrowPatch

    ax.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=6, color=GREY,
                        linewidth=0.7, shrinkA=9, shrinkB=9)
    )  # fmt: skip
