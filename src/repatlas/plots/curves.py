"""Mean and standard deviation over networks against one axis, a curve for each activation."""

from itertools import product
from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.transforms import offset_copy

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.style import Style, activation_name, activations, say

MARKERS = ("o", "s", "^", "D")
"""The markers of dots, which have no dashes to tell them apart."""
DOT_DISTANCE = 4.0
"""Distance from one dot to the next at the same place, in points."""


def draw_curves(
    ax: Any,
    rows: pd.DataFrame,
    x: str,
    style: Style,
    nothing: str,
    dashed: Any = None,
    order: Any = None,
    bars: bool = False,
    shade: float = 0.2,
) -> None:
    """The mean of `value` against the column `x`, with dashes by another column in this order. The
    deviation is a band, or bars where nothing was measured between the places on the axis.
    Dots where the axis has one place. Where no network is left, the panel says `nothing`."""
    refuse_pooling(rows, [x, "activation", *([dashed] if isinstance(dashed, str) else [])])
    defined = rows.dropna(subset="value")
    if not len(defined):
        say(ax, "Undefined in these networks" if len(rows) else nothing)
    elif is_one_place(defined, x):
        _draw_dots(ax, defined, x, style, dashed, order)
    else:
        sns.lineplot(
            rows,
            x=x,
            y="value",
            hue="activation",
            hue_order=activations(rows),
            palette=style.colours,
            errorbar="sd",
            err_style="bars" if bars else "band",
            err_kws={"elinewidth": 0.8} if bars else {"alpha": shade, "linewidth": 0},
            style=dashed,
            style_order=order,
            legend=False,
            ax=ax,
        )


def is_one_place(rows: pd.DataFrame, x: str) -> bool:
    """Whether there is one place on the axis alone, where a line would not be seen."""
    return rows[x].nunique() == 1


def _draw_dots(ax: Any, rows: pd.DataFrame, x: str, style: Style, dashed: Any, order: Any) -> None:
    """Draws dots beside each other, since their places are the same."""
    kinds = rows[dashed] if isinstance(dashed, str) else dashed
    if kinds is None:
        kinds, order = pd.Series("", rows.index), [""]
    shown = [
        (activation, MARKERS[number % len(MARKERS)], values)
        for activation, (number, kind) in product(activations(rows), enumerate(order))
        if len(values := rows.loc[(rows["activation"] == activation) & (kinds == kind), "value"])
    ]
    for number, (activation, marker, values) in enumerate(shown):
        aside = DOT_DISTANCE * (number - (len(shown) - 1) / 2)
        at = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
        drawn = ax.errorbar(
            rows[x].iloc[0],
            values.mean(),
            values.std() if len(values) > 1 else None,
            fmt=marker,
            color=style.colours[activation],
            markersize=3,
            elinewidth=0.8,
        )
        for artist in drawn.get_children():
            artist.set_transform(at)


def name_curves(ax: Any, names: list[str], style: Style, dashed: str = "", **legend: Any) -> None:
    """A legend of activations, one of them perhaps dashed."""
    for activation in names:
        dashes = "--" if activation == dashed else "-"
        colour = style.colours[activation]
        ax.plot([], [], dashes, color=colour, label=activation_name(activation))
    ax.legend(**{"handlelength": 1.2, "borderpad": 0} | legend)
