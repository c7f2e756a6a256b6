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
"""The dashes that seaborn gives."""
HAIRLINE = 0.4
"""Width of the line of a single network, in points."""
MARKERS = ("o", "s", "^", "D")
"""The markers of dots, which have no dashes to tell them apart."""
DOT_DISTANCE = 4.0
"""Distance from one dot to the next at the same place, in points."""
BAR_ENDS = {"marker": "o", "markersize": 3, "markeredgewidth": 0.8, "markevery": None}
"""Of means with bars, which are few places: each has a dot."""
MOST_SEEN = 20
"""So many networks or fewer are drawn one by one, of more a band."""
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
    """Colour and marker of the curve of an activation, which tells it in grey, too; markers are a
    tenth of the panel apart, since curves over training have hundreds of places. Their edges have
    the colour of the line: white ones, which seaborn draws, would make a solid line look dashed."""
    colour, marker = style.colours[activation], ACTIVATION_MARKERS.get(activation, "")
    face = "white" if activation == "relu" else colour
    look = {"color": colour, "marker": marker, "markersize": 3.0, "markeredgecolor": colour}
    return look | {"markerfacecolor": face} | ({"markevery": 0.1} if marker else {})


def dot_of(activation: str, style: Style) -> dict[str, Any]:
    """Colour and marker of the dot of an activation, which grey tells apart, too: a filled circle
    for tanh, an open square for ReLU."""
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
    """The mean of `value` against the column `x`, with dashes by another column in this order. The
    spread over networks is that of a thin line for each, if they are few, or of a band of their
    deviation, if they are enough for one, or bars of it where nothing was measured between the
    places on the axis; bands and bars end where the measure does. Dots where the axis has one
    place. Where no network is left, the panel says `nothing`."""
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
        import seaborn as sns  # here, since it takes a second to import

        limits = _limits(rows)
        looks = {"band": {"alpha": shade, "linewidth": 0}, "bars": {"elinewidth": 0.8}}
        if spread == "networks":
            _draw_networks(ax, defined, x, style, dashed, order)

        def deviation(values: pd.Series) -> tuple[float, float]:
            return within(values.mean(), deviation_of(values), limits)

        for activation in activations(rows):
            is_own = rows["activation"] == activation
            look = look_of(activation, style)
            if spread == "bars":
                look |= BAR_ENDS | dot_of(activation, style)
            sns.lineplot(
                rows[is_own],
                x=x,
                y="value",
                errorbar=None if spread == "networks" else deviation,
                err_style="bars" if spread == "bars" else "band",
                err_kws=looks.get(spread),
                style=dashed[is_own] if isinstance(dashed, pd.Series) else dashed,
                style_order=order,
                legend=False,
                ax=ax,
                **look,
            )


def are_seen(rows: pd.DataFrame) -> bool:
    """Whether these networks are few enough to be drawn one by one."""
    return rows["seed"].nunique() <= MOST_SEEN


def _draw_networks(
    ax: Any, rows: pd.DataFrame, x: str, style: Style, dashed: Any, order: Any
) -> None:
    """A thin line for each network, with the dashes of its mean."""
    for activation, kind, of_kind in _kinds(rows, dashed, order):
        for _, network in of_kind.groupby("seed"):
            values = network.sort_values(x)
            ax.plot(values[x], values["value"], DASHES[kind % len(DASHES)], zorder=1.5,
                    color=style.colours[activation], alpha=0.3, linewidth=HAIRLINE)  # fmt: skip


def _kinds(rows: pd.DataFrame, dashed: Any, order: Any) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Activation, place in the order of dashes, and rows of each kind of network."""
    kinds = rows[dashed] if isinstance(dashed, str) else dashed
    if kinds is None:
        kinds, order = pd.Series("", rows.index), [""]
    for activation, (number, kind) in product(activations(rows), enumerate(order)):
        of_kind = rows[(rows["activation"] == activation) & (kinds == kind)]
        if len(of_kind):
            yield activation, number, of_kind


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


def _draw_dots(
    ax: Any, rows: pd.DataFrame, x: str, style: Style, dashed: Any, order: Any, spread: Spread
) -> None:
    """Draws dots beside each other, since their places are the same; small ones for networks."""
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


def name_curves(ax: Any, names: list[str], style: Style, dashed: str = "", **legend: Any) -> None:
    """A legend of activations, one of them perhaps dashed."""
    handles = handles_of(names, style, dashed)
    ax.legend(handles=handles, **{"handlelength": 1.2, "borderpad": 0} | legend)


def handles_of(names: list[str], style: Style, dashed: str = "") -> list[Line2D]:
    """For a legend of activations."""
    return [
        Line2D([], [], linestyle="--" if name == dashed else "-", label=activation_name(name),
               **look_of(name, style) | {"markevery": None})
        for name in names
    ]  # fmt: skip
