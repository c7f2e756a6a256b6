"""Marks of numbers that a table has, drawn by seaborn.

Seaborn computes nothing: it gets a value and the ends of its interval as three rows, and draws
their median and their range. Its own mean would be another number on a logarithmic axis, and its
intervals are of a bootstrap. Labels of axes stay as they were.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import cycle
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from repatlas.plots.palette import BLACK, DARK, GREY, LIGHT, WHITE
from repatlas.plots.style import (
    ACTIVATION_MARKERS,
    ASIDE,
    END,
    LEADER,
    Style,
    activation_name,
    small_type,
)

DASHES = ("-", "--", ":", "-.")
"""The dashes of the first, second, ... kind of curve."""
GUIDE = {"color": LIGHT, "linewidth": 0.6, "linestyle": ":", "zorder": 0}
"""The look of the line of a limit, of chance or of zero."""
HAIRLINE = {"linewidth": 0.4, "alpha": 0.3, "zorder": 1.5}
"""The look of the line of a single network."""


@cache
def _seaborn() -> ModuleType:
    """Import seaborn without scipy's statistics, which take 15 times as long as all else of it.
    Seaborn needs them for a density alone, and has a copy of that."""
    hidden = [name for name in ("scipy.stats", "scipy.cluster") if name not in sys.modules]
    sys.modules |= dict.fromkeys(hidden)  # type: ignore[arg-type]  # None: cannot be imported
    import seaborn

    for name in hidden:
        del sys.modules[name]
    return seaborn


def look_of(activation: str, style: Style) -> dict[str, Any]:
    """Return colour and marker of the curve of an activation; the marker distinguishes it in grey.

    Markers are a tenth of the panel apart, since curves over training have hundreds of points.
    Their edges have the colour of the line, because white edges make a solid line look dashed.
    """
    marker = ACTIVATION_MARKERS.get(activation, "")
    look = _open_if_relu(activation, style) | {"marker": marker, "markersize": 3.0}
    return look | ({"markevery": 0.1} if marker else {})


def dot_of(activation: str, style: Style) -> dict[str, Any]:
    """Return colour and marker of the dot of an activation: an open square for ReLU, and a filled
    circle for all others."""
    return _open_if_relu(activation, style) | {"marker": "s" if activation == "relu" else "o"}


def _open_if_relu(activation: str, style: Style) -> dict[str, Any]:
    colour = style.colours[activation]
    face = WHITE if activation == "relu" else colour
    return {"color": colour, "markeredgecolor": colour, "markerfacecolor": face}


def draw_line(
    ax: Any,
    rows: pd.DataFrame,
    x: str,
    bars: float | None = None,
    shade: float = 0.2,
    across: bool = False,
    **look: Any,
) -> Any:
    """Draw `value` against the column `x`, and return the line; None without a value. Where a value
    is nan, the line has a gap.

    rows: one for each position. The ends of its interval, `low` and `high`, are a band, or bars of
    this width; nan: no interval. across: positions go down, and values to the right.
    """
    before, shown = len(ax.lines), ends(rows, x)
    if not len(shown):
        return None
    position, value = ("y", "x") if across else ("x", "y")
    area = {"linewidth": bars} if bars else {"alpha": shade, "linewidth": 0}
    edge = {"markeredgecolor": look["color"], "markeredgewidth": 1.0, "linestyle": "-"}
    with _labels_of(ax):
        _seaborn().lineplot(
            shown,
            **{position: x, value: "value"},
            orient=position,
            estimator="median",
            errorbar=_range if shown[x].duplicated().any() else None,
            err_style="bars" if bars else "band",
            err_kws=area,
            legend=False,
            ax=ax,
            **edge | look,
        )
    line = ax.lines[before]
    if rows["value"].isna().any():
        places = rows.sort_values(x)[[x, "value"]].to_numpy(float).T
        line.set_data(*places[::-1] if across else places)
    return line


def ends(rows: pd.DataFrame, x: str) -> pd.DataFrame:
    """Return three rows for each row: with its value, and with both ends of its interval.

    Raises ValueError for two rows at one position, because seaborn would draw their median.
    """
    rows = rows.dropna(subset="value")
    if not rows[x].is_unique:
        raise ValueError(f"{x}: found two rows at {rows.loc[rows[x].duplicated(), x].iloc[0]}")
    found = map(rows.get, ("value", "low", "high"))
    parts = [pd.DataFrame({x: rows[x], "value": each}).astype(float) for each in found]
    return pd.concat(parts, ignore_index=True).dropna()


def _range(values: pd.Series) -> tuple[float, float]:
    return (values.min(), values.max()) if len(values) > 1 else (np.nan, np.nan)


@contextmanager
def _labels_of(ax: Any) -> Iterator[None]:
    """Keep the labels of axes, which seaborn sets to the names of columns."""
    labels = {"xlabel": ax.get_xlabel(), "ylabel": ax.get_ylabel()}
    yield
    ax.set(**labels)


def hairlines(ax: Any, rows: pd.DataFrame, x: str, unit: str = "seed", **look: Any) -> None:
    """Draw a thin line for each network."""
    if not rows["value"].notna().any():
        return
    with _labels_of(ax):
        _seaborn().lineplot(rows, x=x, y="value", units=unit, estimator=None, legend=False, ax=ax,
                            **HAIRLINE | {"linestyle": "-"} | look)  # fmt: skip


def strip(ax: Any, values: Any, at: float, across: bool = True, **look: Any) -> None:
    """Draw a small dot for each network, all at one position: the height, if `across`."""
    places = [at] * len(values)
    small = {"linestyle": "none", "marker": ".", "markersize": 2}
    ax.plot(*((values, places) if across else (places, values)), **small | look)


def bars(ax: Any, rows: pd.DataFrame, x: str, colour: str, width: float, **options: Any) -> None:
    """Draw `value` as bars of this width at the column `x`, with the interval as a line."""
    with _labels_of(ax):
        _seaborn().barplot(ends(rows, x), x=x, y="value", estimator="median", errorbar=_range,
                           width=width, native_scale=True, color=colour, saturation=1, ax=ax,
                           legend=False, err_kws={"color": BLACK, "linewidth": 0.6},
                           **options)  # fmt: skip


def draw_matrix(ax: Any, values: Any, **options: Any) -> Any:
    """Draw a matrix as a map of colours, with its first row on top, and return the map. Numbers
    in the cells, `annot`, are black or white, whichever is seen."""
    given = {"cbar": False, "fmt": "", "annot_kws": {"size": small_type()}}
    with _labels_of(ax):
        _seaborn().heatmap(values, ax=ax, **given | options)
    ax.tick_params(rotation=0)
    return ax.collections[0]


def violin(ax: Any, values: Any, at: float, colour: str) -> None:
    """Draw the distribution of values at a position."""
    with _labels_of(ax):
        _seaborn().violinplot(x=np.full(len(values), at), y=values, native_scale=True, inner=None,
                              cut=0, width=0.34, color=colour, saturation=1, linewidth=0,
                              ax=ax)  # fmt: skip


def guide(
    ax: Any, at: float, name: str, where: float = 0.02, across: bool = True, **more: Any
) -> None:
    """Draw a dotted line at a height, or at a place if not `across`, with its name at this fraction
    of its length."""
    (ax.axhline if across else ax.axvline)(at, **GUIDE)
    place, coords = ((where, at), ("axes fraction", "data"))
    if not across:
        place, coords = place[::-1], coords[::-1]
    beside = {"va": "bottom", "xytext": (0, 1)} if across else {"va": "top", "xytext": (2, -2)}
    ax.annotate(name, place, xycoords=coords, textcoords="offset points", color=GREY,
                size=small_type(), **beside | more)  # fmt: skip


def add_key(part: Any, looks: dict[str, dict[str, Any]], **options: Any) -> Any:
    """Add a legend with a line or a dot for each name, and return it."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label=name, **look | {"markevery": None}) for name, look in looks.items()
    ]
    given = {"loc": "outside upper center", "ncols": max(len(handles), 1), "borderpad": 0}
    return part.legend(handles=handles, **given | {"handlelength": 1.8} | options)


def looks_of(activations: list[str], style: Style) -> dict[str, dict[str, Any]]:
    """Return the looks of the curves of activations by the names that a legend has."""
    return {activation_name(name): look_of(name, style) for name in activations}


def dashes_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the looks of dashes by the names that a legend has."""
    return {
        name: {"color": DARK, "linestyle": dashes}
        for name, dashes in zip(names, cycle(DASHES), strict=False)
    }


def name_ends(ax: Any, names: dict[str, Any], left: bool = False) -> None:
    """Write each name to the right, or the left, of the last point of its line, in the line's
    colour. Where names would touch one another, `settle` moves them apart, and shows thin lines
    from the points to names that moved far. A line without a point, None, has no name."""
    aside = {"xytext": (-ASIDE, 0), "ha": "right"} if left else {"xytext": (ASIDE, 0)}
    for name, line in names.items():
        if line is None:
            continue
        places = np.asarray(line.get_xydata(), dtype=float)
        places = places[np.isfinite(places).all(axis=1)]
        if len(places):
            thin = {"arrowstyle": "-", "linewidth": 0.4, "color": line.get_color()}
            ax.annotate("", places[-1], **aside, textcoords="offset points", gid=LEADER,
                        arrowprops=thin | {"shrinkA": 2, "shrinkB": 2}, visible=False,
                        annotation_clip=False)  # fmt: skip
            ax.annotate(name, places[-1], **aside, textcoords="offset points", gid=END,
                        color=line.get_color(), size=small_type(), va="center",
                        linespacing=1, annotation_clip=False)  # fmt: skip


def set_plain_log(ax: Any, subs: tuple[float, ...] = (1, 3)) -> None:
    """Make the vertical scale logarithmic, with ticks such as 0.01 and 0.03, and no powers of 10.

    `subs` are the multiples of powers of 10 that have a tick with a number.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
