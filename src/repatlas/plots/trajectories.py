"""Weight trajectories on the gradient field (Figures 1D, 2C and 7E)."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.palette import GREY, LIGHT, WHITE
from repatlas.plots.style import Style, say, small_type

VANISHING = 1e-9
"""A field shorter than this is rounding error: its terms are as long as the centres, about 10."""


def draw_trajectories(
    ax: Any,
    table: pd.DataFrame,
    activation: str,
    style: Style,
    title: str,
    between: str = "\n",
    heights: tuple[float, float] | None = None,
) -> None:
    """Draw one panel: a line for each neuron with a circle where it starts, on arrows of the field.

    `table` holds the rows of one task. The fraction of selective neurons follows the title, after
    `between`. Panels that are compared need the same heights, from all their rows (`heights_of`).
    Without heights they are taken from the panel's rows. Dashed: inter = |intra|.
    """
    rows = table[table["activation"] == activation]
    ax.set_title(f"{title}{between}{_fraction(rows)}")
    if not (rows["measure"] == "weight").any():
        say(ax, "Its network diverged" if len(rows) else "Not among the trajectories")
        return
    field = _vectors(rows[rows["measure"] == "field"], ["intra", "inter"])
    reach = field.index.get_level_values("intra").max()
    _draw_field(ax, field)
    weights = rows[rows["measure"] == "weight"]
    refuse_mixed_kinds(weights, ["neuron", "step", "variant"])
    for _, neuron in weights.groupby("neuron"):
        path = neuron.pivot_table(index="step", columns="variant", values="value")
        ax.plot(path["intra"], path["inter"], color=style.colours[activation], linewidth=0.6)
        ax.plot(
            *path.iloc[0][["intra", "inter"]],
            marker="o",
            markersize=1.6,
            markerfacecolor=WHITE,
            markeredgecolor=style.colours[activation],
            markeredgewidth=0.5,
        )
    lowest = min(weights.loc[weights["variant"] == "inter", "value"].min(), -0.25 * reach)
    # What counts as inter-selective lies above.
    guide = {"color": LIGHT, "linewidth": 0.6, "dashes": (4, 3), "zorder": 0}
    ax.plot([-reach, 0, reach], [reach, 0, reach], **guide)
    ax.set(xlim=(-reach, reach), ylim=heights or (1.1 * lowest, reach), aspect="equal")
    ax.locator_params(axis="x", nbins=3)
    ax.locator_params(axis="y", nbins=4)


def heights_of(table: pd.DataFrame) -> tuple[float, float]:
    """Return limits from below the lowest to above the highest weight, so that panels have no empty
    space."""
    reach = table.loc[table["measure"] == "field", "intra"].max()
    weights = table[(table["measure"] == "weight") & (table["variant"] == "inter")]["value"]
    lowest, highest = min(weights.min(), -0.2 * reach), max(weights.max(), 0.5 * reach)
    return 1.1 * lowest, 1.2 * highest


def _draw_field(ax: Any, field: pd.DataFrame) -> None:
    """Draw arrows with the square root of the field's length, so that short ones stay visible."""
    vectors = field[["intra", "inter"]].to_numpy()
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    if length.max() < VANISHING:
        ax.text(
            0.5,
            0.97,
            "expected\ngradient: zero",
            color=GREY,
            size=small_type(),
            ha="center",
            va="top",
            linespacing=1,
            transform=ax.transAxes,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": WHITE, "linewidth": 0},
        )
        return
    arrows = vectors / np.sqrt(np.maximum(length, VANISHING))
    places = (field.index.get_level_values(axis) for axis in ("intra", "inter"))
    ax.quiver(*places, *arrows.T, color=LIGHT, width=0.004, zorder=0)


def _fraction(rows: pd.DataFrame) -> str:
    fractions = rows[rows["measure"] == "inter_selective"]
    refuse_mixed_kinds(fractions, ["measure"])
    values = not_diverged(fractions)["value"]
    if values.empty:
        return "no network left"
    return f"{values.mean():.0%} inter-selective"


def _vectors(rows: pd.DataFrame, places: list[str]) -> pd.DataFrame:
    refuse_mixed_kinds(rows, [*places, "variant"])
    return rows.pivot_table(index=places, columns="variant", values="value")
