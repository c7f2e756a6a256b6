"""Mean and standard deviation over networks against one axis, a curve for each activation."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.transforms import offset_copy

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.style import ACTIVATION_MARKERS, Style, activation_name, activations, say

MARKERS = ("o", "s", "^", "D")
"""The markers of dots, which have no dashes to tell them apart."""
DOT_DISTANCE = 4.0
"""Distance from one dot to the next at the same place, in points."""
FREE = (-np.inf, np.inf)
LIMITS = {
    "target_alignment": (0, 1),
    "input_alignment": (0, 1),
    "parallelism": (-1, 1),
    "ccgp": (0, 1),
    "decoding_trained": (0, 1),
    "decoding_untrained": (0, 1),
    "accuracy": (0, 1),
}
"""What each measure can be."""


def look_of(activation: str, style: Style) -> dict[str, Any]:
    """Colour and marker of the curve of an activation, which tells it in grey, too; markers are a
    tenth of the panel apart, since curves over training have hundreds of places."""
    marker = ACTIVATION_MARKERS.get(activation, "")
    look = {"color": style.colours[activation], "marker": marker, "markersize": 2.4}
    return look | ({"markevery": 0.1} if marker else {})


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
    deviation is a band, or bars where nothing was measured between the places on the axis; it ends
    where the measure does. Dots where the axis has one place. Where no network is left, the panel
    says `nothing`."""
    refuse_pooling(rows, [x, "activation", *([dashed] if isinstance(dashed, str) else [])])
    defined = rows.dropna(subset="value")
    if not len(defined):
        say(ax, "Undefined in these networks" if len(rows) else nothing)
    elif is_one_place(defined, x):
        _draw_dots(ax, defined, x, style, dashed, order)
    else:
        limits = _limits(rows)
        for activation in activations(rows):
            is_own = rows["activation"] == activation
            sns.lineplot(
                rows[is_own],
                x=x,
                y="value",
                errorbar=lambda values: within(values.mean(), values.std(), limits),
                err_style="bars" if bars else "band",
                err_kws={"elinewidth": 0.8} if bars else {"alpha": shade, "linewidth": 0},
                style=dashed[is_own] if isinstance(dashed, pd.Series) else dashed,
                style_order=order,
                legend=False,
                ax=ax,
                **look_of(activation, style),
            )


def within(mean: float, deviation: float, limits: tuple[float, float]) -> tuple[float, float]:
    """The mean less and more its deviation, but no further than the measure can reach; a mean that
    rounding put beyond is its own end."""
    return min(mean, max(mean - deviation, limits[0])), max(mean, min(mean + deviation, limits[1]))


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """Those of the measure of all rows, if it has any."""
    found = {LIMITS.get(measure, FREE) for measure in rows.get("measure", pd.Series()).unique()}
    return found.pop() if len(found) == 1 else FREE


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
        look = look_of(activation, style) | {"markevery": None}
        ax.plot([], [], dashes, label=activation_name(activation), **look)
    ax.legend(**{"handlelength": 1.2, "borderpad": 0} | legend)
