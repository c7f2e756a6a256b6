"""Plots of what measure and compare return, on matplotlib axes, in the look of the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.intervals import median_interval
from repatlas.own.result import NULLS
from repatlas.own.similarities import TITLES as SIMILARITIES

if TYPE_CHECKING:
    import pandas as pd

LOOK: dict[str, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
}
"""Settings of the figures of the workflow. Its fonts are left out, since they are the whole
session's."""
WIDTH, HEIGHT, MOST = 2.0, 1.9, 4
"""Inches of a panel, and the most panels in a row."""
LONGEST, CHARACTER = 6, 0.065
"""Characters of names that fit side by side; inches of one, where names are turned."""
SURE = 0.05


def plot_layers(found: pd.DataFrame | Mapping[str, pd.DataFrame], along: str = "layer") -> Any:
    """Plot each measure against the layer, or another column, and return the axes, (panels,).

    found: results of measure by the name of the layer, in order; or one data frame of them with the
    column `along`. If there is a column "unit", such as the seed of the network, units are
    hairlines. Markers are then the median over units, with its 95 % interval if there are six units
    or more. Otherwise markers are values with their own intervals. A dotted line is chance.
    Raises ValueError for a data frame without the column, or nothing to plot.

    >>> from repatlas.own import measure
    >>> rng = np.random.default_rng(0)
    >>> layers = {name: rng.standard_normal((40, 5)) for name in ("conv", "fc")}
    >>> options = {"rows": "items", "measures": ["decoding"], "draws": 9}
    >>> found = {name: measure(x, ["cat", "dog"] * 20, **options) for name, x in layers.items()}
    >>> [ax.get_xlabel() for ax in plot_layers(found)]
    ['Layer']
    """
    table = _together(found, along)
    panels = list(dict.fromkeys(zip(table["measure"], table["about"].fillna(""), strict=True)))
    places = {name: float(number) for number, name in enumerate(dict.fromkeys(table[along]))}
    with _look() as plt:
        from repatlas.plots.representations import line_look, title_of
        from repatlas.plots.style import GREY

        axes = _axes(plt, len(panels), list(map(str, places)))
        colour, marker = line_look(0)
        for ax, (measure, about) in zip(axes, panels, strict=True):
            own = table[(table["measure"] == measure) & (table["about"].fillna("") == about)]
            points = _points(own, along, places)
            if "unit" in own:
                for _, unit in own.groupby("unit", sort=False):
                    x = unit[along].map(places)
                    ax.plot(x, unit["value"], color=colour, linewidth=0.4, alpha=0.5)
            x, value, low, high = points
            errors = np.abs(np.array([low, high]) - value)
            ax.plot(x, value, color=colour, marker=marker, markersize=4)
            has = np.isfinite(errors).all(axis=0)
            if has.any():
                ax.errorbar(x[has], value[has], errors[:, has], color=colour, linestyle="none")
            if np.isfinite(value).any() and own["chance"].notna().any():
                ax.axhline(own["chance"].median(), color=GREY, linewidth=0.8, linestyle=":")
            if not np.isfinite(value).any():
                _write_reason(ax, own["reason"].iloc[0])
            else:
                _name(ax, list(map(str, places)))
                ax.set(xlabel=along.capitalize())
            ax.set_title(title_of(measure, about))
    return axes


def _together(found: pd.DataFrame | Mapping[str, pd.DataFrame], along: str) -> pd.DataFrame:
    import pandas as pd

    if isinstance(found, Mapping):
        frames = [table.assign(**{along: name}) for name, table in found.items()]
        for table in frames:
            table.attrs = {}  # draws, which pandas would compare
        found = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({along: []})
    if along not in found:
        raise ValueError(
            f"found has no column {along!r}; allowed are results of measure by the name of the "
            f"{along}, as a mapping, or a data frame with this column."
        )
    if found.empty:
        raise ValueError("found is empty; allowed are one result of measure or more.")
    if lacking := {"measure", "about", "value", "low", "high", "chance", "reason"} - set(found):
        raise ValueError(f"found is no result of measure: it lacks {', '.join(sorted(lacking))}.")
    return found


def _points(own: pd.DataFrame, along: str, places: dict[Any, float]) -> NDArray[np.float64]:
    """Return where each marker is, its value and the ends of its interval, (4, points)."""
    found = []
    for name, rows in own.groupby(along, sort=False):
        values = rows["value"].to_numpy(dtype=float)
        several = "unit" in rows and rows["unit"].nunique() > 1
        if not several and len(values) > 1:
            raise ValueError(
                f"found has {len(values)} values of {rows['measure'].iloc[0]} at {name!r}; allowed "
                f"is one, or a column 'unit' that distinguishes them."
            )
        ends = median_interval(values) if several else rows[["value", "low", "high"]].iloc[0]
        found.append([places[name], *map(float, ends)])
    return np.array(found).T


def plot_pairs(found: pd.DataFrame) -> Any:
    """Plot the similarities of all pairs as a matrix for each measure, and return the axes,
    (measures,).

    found: the result of compare. Pairs of one set are in the order of a clustering where each has a
    value. White crosses: p_family is above 0.05.
    Raises ValueError for a data frame that is no result of compare.

    >>> from repatlas.own import compare
    >>> rng = np.random.default_rng(0)
    >>> layers = {name: rng.standard_normal((40, 5)) for name in ("conv", "fc")}
    >>> [ax.get_title() for ax in plot_pairs(compare(layers, measures=["alignment"], draws=0))]
    ['Alignment']
    """
    missing = {"a", "b", "measure", "value", "p_family"} - set(found)
    if missing or found.empty:
        raise ValueError("found is no result of compare: it needs a, b, measure, value, p_family.")
    measures = list(dict.fromkeys(found["measure"]))
    with _look() as plt:
        axes = _axes(plt, len(measures), list(map(str, found["b"])), 1.35)
        for ax, measure in zip(axes, measures, strict=True):
            _draw_matrix(ax, found[found["measure"] == measure])
            ax.set_title(SIMILARITIES[measure])
    return axes


def _draw_matrix(ax: Any, own: pd.DataFrame) -> None:
    first, second = list(dict.fromkeys(own["a"])), list(dict.fromkeys(own["b"]))
    values = {(row.a, row.b): row.value for row in own.itertuples()}
    unsure = {(row.a, row.b) for row in own.itertuples() if row.p_family > SURE}
    # Among all pairs of one set, no pair is there in both orders, and none of one with itself.
    alone = len(set(first) | set(second)) == len(first) + 1 and first[0] not in second
    if alone:
        first = second = _clustered([first[0], *second], values)
        values |= {(b, a): value for (a, b), value in values.items()}
        unsure |= {(b, a) for a, b in unsure}
    matrix = np.array([[values.get((a, b), np.nan) for b in second] for a in first], dtype=float)
    if not np.isfinite(matrix).any():
        _write_reason(ax, own["reason"].iloc[0])
        return
    least = min(0.0, float(np.nanmin(matrix)))
    image = ax.imshow(matrix, cmap="viridis", vmin=least, vmax=1, aspect="auto")
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    for row, a in enumerate(first):
        for column, b in enumerate(second):
            if (a, b) in unsure:
                ax.plot(column, row, "x", color="white", markersize=3, markeredgewidth=0.6)
    ax.set_yticks(range(len(first)), first)
    _name(ax, second)


def _clustered(names: list[str], values: dict[tuple[str, str], float]) -> list[str]:
    """Return names in the order of an average-linkage clustering of 1 - similarity."""
    from itertools import combinations

    distances = 1 - np.array([values[pair] for pair in combinations(names, 2)], dtype=float)
    if len(names) < 3 or np.isnan(distances).any():
        return names
    from scipy.cluster.hierarchy import leaves_list, linkage

    tree = linkage(distances.clip(min=0), "average", optimal_ordering=True)
    return [names[leaf] for leaf in leaves_list(tree)]


def plot_over_time(found: pd.DataFrame) -> Any:
    """Plot the accuracy of each pair of times as a matrix for each variable, and return the axes,
    (variables,).

    found: the result of over_time. White is chance, blue below it, as for a code that has turned
    around. Outlines are around the times whose p_family is 0.05 or less.
    Raises ValueError for a data frame that is no result of over_time.

    >>> from repatlas.own import over_time
    >>> rates = np.random.default_rng(0).standard_normal((40, 5, 3))
    >>> len(plot_over_time(over_time(rates, ["left", "right"] * 20, draws=9)))
    1
    """
    if {"about", "train", "test", "value", "p_family"} - set(found) or found.empty:
        raise ValueError("found is no result of over_time: it needs about, train, test, value.")
    variables = list(dict.fromkeys(found["about"]))
    with _look() as plt:
        from repatlas.plots.over_time import draw_accuracies

        axes = _axes(plt, len(variables), list(map(str, found["test"])), 1.35)
        for ax, about in zip(axes, variables, strict=True):
            own = found[found["about"] == about]
            times = list(dict.fromkeys(own["train"]))
            shape = len(times), len(times)
            values = own["value"].to_numpy(dtype=float).reshape(shape)
            sure = own["p_family"].to_numpy(dtype=float).reshape(shape) <= SURE
            if not np.isfinite(values).any():
                _write_reason(ax, own["reason"].iloc[0])
                continue
            image = draw_accuracies(ax, values, sure)
            ax.figure.colorbar(image, ax=ax, shrink=0.8, label="Accuracy")
            _name(ax, list(map(str, times)))
            ax.set_yticks(range(len(times)), list(map(str, times)))
            ax.set_title(about)
    return axes


def plot_nulls(found: pd.DataFrame) -> Any:
    """Plot each value with its interval and the draws of its nulls, and return the axes,
    (measures,).

    found: the result of measure, as it is: what pandas makes of it may lose the draws. Panels are
    measures, places variables. Grey: labels shuffled; blue: means of conditions moved apart.
    Raises ValueError for a data frame without draws.

    >>> from repatlas.own import measure
    >>> rates = np.random.default_rng(0).standard_normal((40, 5))
    >>> sides = ["left", "right"] * 20
    >>> found = measure(rates, sides, "trials", measures=["decoding"], draws=9)
    >>> len(plot_nulls(found))
    1
    """
    nulls = found.attrs.get(NULLS)
    if not nulls:
        raise ValueError(
            "found has no draws of nulls; allowed is a result of measure, before anything is made "
            "of it, with a measure that has p values."
        )
    measures = list(dict.fromkeys(each["measure"] for each in nulls))
    with _look() as plt:
        from repatlas.plots.null_distributions import NULLS as COLOURS
        from repatlas.plots.representations import title_of

        axes = _axes(plt, len(measures), list(map(str, found["about"])))
        for ax, measure in zip(axes, measures, strict=True):
            own = found[found["measure"] == measure]
            names = list(own["about"])
            for each in (each for each in nulls if each["measure"] == measure):
                shift = [*COLOURS].index(each["null"]) * 0.36 - 0.18
                _draw_draws(ax, names.index(each["about"]) + shift, each, COLOURS)
            for place, row in enumerate(own.itertuples()):
                ax.plot(place, row.value, "o", color="#D55E00", markersize=4, zorder=3)
                ax.plot([place] * 2, [row.low, row.high], color="#D55E00", zorder=3)
            _name(ax, names)
            ax.set(title=title_of(measure, ""), xlim=(-0.6, len(names) - 0.4))
        handles = [
            plt.Rectangle((0, 0), 1, 1, color=colour, label=f"null: {name}")
            for name, colour in COLOURS.items()
        ]
        axes[0].figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return axes


def _draw_draws(ax: Any, at: float, each: dict[str, Any], colours: Mapping[str, str]) -> None:
    draws = np.array(each["draws"], dtype=float)
    draws = draws[np.isfinite(draws)]
    if len(draws) > 1 and np.ptp(draws) > 0:
        for body in ax.violinplot(draws, [at], widths=0.34, showextrema=False)["bodies"]:
            body.set(facecolor=colours[each["null"]], alpha=1, linewidth=0)
    if len(draws):
        ax.plot([at - 0.12, at + 0.12], [np.median(draws)] * 2, color="0.3", linewidth=0.6)


@contextmanager
def _look() -> Iterator[Any]:
    """Set the look while axes are made and drawn on, with matplotlib.pyplot."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    with plt.rc_context(LOOK):
        yield plt


def _axes(plt: Any, number: int, names: list[str], size: float = 1.0) -> Any:
    """Return this number of axes of a new figure, (number,); names: below each."""
    columns = min(number, MOST)
    rows = -(-number // columns)
    longest = max(map(len, names))
    height = size * HEIGHT + (CHARACTER * longest if longest > LONGEST else 0)
    _, axes = plt.subplots(
        rows,
        columns,
        figsize=(0.6 + size * WIDTH * columns, 0.5 + height * rows),
        squeeze=False,
        layout="constrained",
    )
    for ax in axes.flat[number:]:
        ax.remove()
    return axes.ravel()[:number]


def _name(ax: Any, names: list[str]) -> None:
    turned = max(map(len, names)) > LONGEST
    ax.set_xticks(range(len(names)), names)
    ax.tick_params(axis="x", rotation=90 if turned else 0)


def _write_reason(ax: Any, reason: str) -> None:
    """Say in a panel why it has nothing to show."""
    import textwrap

    text = "\n".join(textwrap.wrap(reason, 24))
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", size=7, color="0.45")
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=[])
