"""Mean and standard deviation over networks against one axis, a curve for each activation."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd

from repatlas.inference.pooling import refuse_mixed_kinds
from repatlas.plots.marks import DASHES, dot_of, draw_line, hairlines, look_of, strip
from repatlas.plots.spread import limits_of, with_sd
from repatlas.plots.style import Style, activations, say

MARKERS = ("o", "s", "^", "D")
"""The markers of dots, which no dashes distinguish."""
DOT_DISTANCE = 4.0
"""Distance from one dot to the next at the same place, in points."""
BAR_ENDS = {"markersize": 3, "markeredgewidth": 0.8, "markevery": None}
"""The look of means with bars: each has a dot, because there are few."""
MOST_SEEN = 20
"""Up to this number of networks is drawn one by one; more are a band."""
Spread = Literal["networks", "band", "bars"]


def draw_curves(
    ax: Any,
    rows: pd.DataFrame,
    x: str,
    style: Style,
    nothing: str,
    dashed: Any = None,
    order: Any = None,
    spread: Spread = "band",
    shade: float = 0.2,
) -> None:
    """Draw the mean of `value` against the column `x`, with dashes by another column.

    The spread over networks is a thin line for each, if they are few, or a band of their standard
    deviation, if they are enough. If nothing was measured between the positions on the axis, it is
    bars. Bands and bars end where the measure does. If the axis has one position, dots are drawn.
    If no network is left, the panel says `nothing`.
    """
    from matplotlib.transforms import offset_copy

    refuse_mixed_kinds(rows, [x, "activation", *([dashed] if isinstance(dashed, str) else [])])
    defined = rows.dropna(subset="value")
    if not len(defined):
        say(ax, "Undefined in these networks" if len(rows) else nothing)
        return
    seen = spread == "networks" and are_seen(defined)
    kinds = [*_kinds(defined, dashed, order)]
    for number, (activation, kind, of_kind) in enumerate(kinds):
        means = with_sd(of_kind, [x], limits_of(rows))
        if seen:
            means = means.assign(low=np.nan, high=np.nan)
        if is_one_place(defined, x):
            old = {*ax.get_children()}
            dot = {"color": style.colours[activation], "markersize": 3, "linestyle": "none"}
            draw_line(ax, means, x, bars=0.8, marker=MARKERS[kind % len(MARKERS)], **dot)
            if seen:
                strip(ax, of_kind["value"], of_kind[x].iloc[0], False, color=dot["color"])
            aside = DOT_DISTANCE * (number - (len(kinds) - 1) / 2)
            at = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
            for artist in {*ax.get_children()} - old:
                artist.set_transform(at)
            continue
        look = look_of(activation, style) | {"linestyle": DASHES[kind % len(DASHES)]}
        if seen:
            hairlines(ax, of_kind, x, color=look["color"], linestyle=look["linestyle"])
        if spread == "bars":
            look |= BAR_ENDS | dot_of(activation, style)
        draw_line(ax, means, x, bars=0.8 if spread == "bars" else None, shade=shade, **look)


def are_seen(rows: pd.DataFrame) -> bool:
    """Return True if these networks are few enough to be drawn one by one."""
    return rows["seed"].nunique() <= MOST_SEEN


def _kinds(rows: pd.DataFrame, dashed: Any, order: Any) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield activation, index of the dashes, and rows of each architecture."""
    kinds = rows[dashed] if isinstance(dashed, str) else dashed
    if kinds is None:
        kinds, order = pd.Series("", rows.index), [""]
    for activation, (number, kind) in product(activations(rows), enumerate(order)):
        of_kind = rows[(rows["activation"] == activation) & (kinds == kind)]
        if len(of_kind):
            yield activation, number, of_kind


def is_one_place(rows: pd.DataFrame, x: str) -> bool:
    """Return True if the axis has a single position, where a line would be invisible."""
    return rows[x].nunique() == 1
