"""Mean and standard deviation over networks against one axis, a curve for each activation."""

from typing import Any

import pandas as pd
import seaborn as sns

from repgeom.figures.style import Style, activation_name, activations
from repgeom.tables.pooling import refuse_pooling


def draw_curves(
    ax: Any,
    rows: pd.DataFrame,
    x: str,
    style: Style,
    dashed: Any = None,
    order: Any = None,
    bars: bool = False,
    shade: float = 0.2,
) -> None:
    """The mean of `value` against the column `x`, with dashes by another column in this order. The
    deviation is a band, or bars where nothing was measured between the places on the axis.
    Nothing where no network is left."""
    refuse_pooling(rows, [x, "activation", *([dashed] if isinstance(dashed, str) else [])])
    if not len(rows):
        return
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


def name_curves(ax: Any, names: list[str], style: Style, dashed: str = "", **legend: Any) -> None:
    """A legend of activations, one of them perhaps dashed."""
    for activation in names:
        dashes = "--" if activation == dashed else "-"
        colour = style.colours[activation]
        ax.plot([], [], dashes, color=colour, label=activation_name(activation))
    ax.legend(**{"handlelength": 1.2, "borderpad": 0} | legend)
