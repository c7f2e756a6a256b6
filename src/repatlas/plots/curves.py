"""Mean and standard deviation over networks against one axis, a curve for each activation."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.spread import deviation as deviation_of
from repatlas.plots.style import ACTIVATION_MARKERS, Style, activation_name, activations, say

DASHES = ["-", "--", ":", "-."]
"""The dashes of the first, second, ... kind of curve."""
HAIRLINE = 0.4
"""Width of the line of a single network, in points."""
MARKERS = ("o", "s", "^", "D")
"""The markers of dots, which no dashes distinguish."""
DOT_DISTANCE = 4.0
"""Distance from one dot to the next at the same place, in points."""
BAR_ENDS = {"marker": "o", "markersize": 3, "markeredgewidth": 0.8, "markevery": None}
"""The look of means with bars: each has a dot, because there are few."""
MOST_SEEN = 20
"""Up to this number of networks is drawn one by one; more are a band."""
Spread = Literal["networks", "band", "bars"]
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
    """Return colour and marker of the curve of an activation; the marker distinguishes it in grey.

    Markers are a tenth of the panel apart, since curves over training have hundreds of points.
    Their edges have the colour of the line, because white edges make a solid line look dashed.
    """
    colour, marker = style.colours[activation], ACTIVATION_MARKERS.get(activation, "")
    face = "white" if activation == "relu" else colour
    look = {"color": colour, "marker": marker, "markersize": 3.0, "markeredgecolor": colour}
    return look | {"markerfacecolor": face} | ({"markevery": 0.1} if marker else {})


def dot_of(activation: str, style: Style) -> dict[str, Any]:
    """Return colour and marker of the dot of an activation, which differ in grey, too: a filled
    circle for tanh, an open square for ReLU."""
    colour = style.colours[activation]
    own = {"color": colour, "markeredgecolor": colour, "markerfacecolor": colour}
    return own | ({"markerfacecolor": "white", "marker": "s"} if activation == "relu" else {})


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
    refuse_pooling(rows, [x, "activation", *([dashed] if isinstance(dashed, str) else [])])
    defined = rows.dropna(subset="value")
    if not len(defined):
        say(ax, "Undefined in these networks" if len(rows) else nothing)
        return
    if spread == "networks" and not are_seen(defined):
        spread = "band"
    if is_one_place(defined, x):
        _draw_dots(ax, defined, x, style, dashed, order, spread)
    else:
        if spread == "networks":
            _draw_networks(ax, defined, x, style, dashed, order)
        for activation, kind, of_kind in _kinds(defined, dashed, order):
            look = look_of(activation, style) | {"linestyle": DASHES[kind % len(DASHES)]}
            if spread == "bars":
                look |= BAR_ENDS | dot_of(activation, style)
            means = _means(of_kind, x, _limits(rows))
            ax.plot(means.index, means["mean"], **look)
            if spread == "networks" or means["low"].isna().all():
                continue
            if spread == "bars":
                beside = means["mean"] - means["low"], means["high"] - means["mean"]
                ax.errorbar(means.index, means["mean"], beside, linestyle="", elinewidth=0.8,
                            color=look["color"])  # fmt: skip
            else:
                ax.fill_between(means.index, means["low"], means["high"], color=look["color"],
                                alpha=shade, linewidth=0)  # fmt: skip


def _means(rows: pd.DataFrame, x: str, limits: tuple[float, float]) -> pd.DataFrame:
    """Return the mean at each position and the ends of its deviation, which one network has not."""
    values = rows.groupby(x)["value"]
    means = values.agg(["mean", "size"])
    ends = [
        within(mean, deviation_of(values.get_group(place)), limits) if size > 1 else (np.nan,) * 2
        for place, mean, size in means.itertuples()
    ]
    return means.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def are_seen(rows: pd.DataFrame) -> bool:
    """Return True if these networks are few enough to be drawn one by one."""
    return rows["seed"].nunique() <= MOST_SEEN


def _draw_networks(
    ax: Any, rows: pd.DataFrame, x: str, style: Style, dashed: Any, order: Any
) -> None:
    """Draw a thin line for each network, with the dashes of its mean."""
    for activation, kind, of_kind in _kinds(rows, dashed, order):
        for _, network in of_kind.groupby("seed"):
            values = network.sort_values(x)
            ax.plot(values[x], values["value"], DASHES[kind % len(DASHES)], zorder=1.5,
                    color=style.colours[activation], alpha=0.3, linewidth=HAIRLINE)  # fmt: skip


def _kinds(rows: pd.DataFrame, dashed: Any, order: Any) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield activation, index of the dashes, and rows of each architecture."""
    kinds = rows[dashed] if isinstance(dashed, str) else dashed
    if kinds is None:
        kinds, order = pd.Series("", rows.index), [""]
    for activation, (number, kind) in product(activations(rows), enumerate(order)):
        of_kind = rows[(rows["activation"] == activation) & (kinds == kind)]
        if len(of_kind):
            yield activation, number, of_kind


def within(mean: float, deviation: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the mean minus and plus its deviation, limited to the range of the measure.

    If rounding puts the mean itself outside of the range, the mean is the end.
    """
    return min(mean, max(mean - deviation, limits[0])), max(mean, min(mean + deviation, limits[1]))


def _limits(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of the measure of all rows, if it has any."""
    found = {LIMITS.get(measure, FREE) for measure in rows.get("measure", pd.Series()).unique()}
    return found.pop() if len(found) == 1 else FREE


def is_one_place(rows: pd.DataFrame, x: str) -> bool:
    """Return True if the axis has a single position, where a line would be invisible."""
    return rows[x].nunique() == 1


def _draw_dots(
    ax: Any, rows: pd.DataFrame, x: str, style: Style, dashed: Any, order: Any, spread: Spread
) -> None:
    """Draw dots next to each other, because their position is the same; networks have small
    dots."""
    shown = list(_kinds(rows, dashed, order))
    for number, (activation, kind, of_kind) in enumerate(shown):
        values = of_kind["value"]
        aside = DOT_DISTANCE * (number - (len(shown) - 1) / 2)
        at = offset_copy(ax.transData, ax.get_figure(root=True), x=aside, units="points")
        drawn = ax.errorbar(
            rows[x].iloc[0],
            values.mean(),
            None if spread == "networks" else deviation_of(values),
            fmt=MARKERS[kind % len(MARKERS)],
            color=style.colours[activation],
            markersize=3,
            elinewidth=0.8,
        )
        artists = drawn.get_children()
        if spread == "networks":
            colour = {"color": style.colours[activation], "alpha": 0.3, "markeredgewidth": 0}
            artists += ax.plot(of_kind[x], values, "o", markersize=1.5, **colour)
        for artist in artists:
            artist.set_transform(at)


def handles_of(names: list[str], style: Style) -> list[Line2D]:
    """Return the handles of a legend of activations."""
    return [
        Line2D([], [], label=activation_name(name), **look_of(name, style) | {"markevery": None})
        for name in names
    ]
