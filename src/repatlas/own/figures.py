"""Plots of what measure, compare, compare_models and over_time return, in the look of the
figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from textwrap import fill
from typing import Any

import numpy as np

from repatlas.inference.intervals import median_interval
from repatlas.own.result import NULLS, DataFrame
from repatlas.own.similarities import TITLES as SIMILARITIES
from repatlas.plots.palette import BLUE, WHITE

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
REASON = 24
"""Characters of a line of a reason in a panel."""
SURE = 0.05


def plot_layers(found: DataFrame | Mapping[str, DataFrame], along: str = "layer") -> Any:
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
    from repatlas.plots.along import draw_chance
    from repatlas.plots.marks import draw_line, hairlines
    from repatlas.plots.representations import title_of

    table = _together(found, along)
    names = list(dict.fromkeys(table[along]))

    def draw(ax: Any, own: DataFrame) -> None:
        own = own.assign(place=own[along].map(names.index))
        if "unit" in own:
            hairlines(ax, own, "place", "unit", color=BLUE, alpha=0.5)
        draw_line(ax, _points(own, along), "place", 1.2, color=BLUE, marker="o", markersize=4)
        draw_chance(ax, own)
        _name(ax, list(map(str, names)))
        ax.set(xlabel=along.capitalize())

    titles = map(title_of, table["measure"], table["about"])
    return _drawn(table, titles, list(map(str, names)), draw)


def _together(found: DataFrame | Mapping[str, DataFrame], along: str) -> DataFrame:
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
    _refuse_others(found, "measure", "measure", "about", "value", "low", "high", "chance", "reason")
    return found.assign(about=found["about"].fillna(""))


def _points(own: DataFrame, along: str) -> DataFrame:
    """Return a row for each place: its value, or the median over units, with its interval."""
    import pandas as pd

    found = []
    for name, rows in own.groupby(along, sort=False):
        if "unit" in rows and rows["unit"].nunique() > 1:
            median = median_interval(rows["value"].to_numpy(dtype=float))
            rows = rows.head(1).assign(**median._asdict())
        if len(rows) > 1:
            raise ValueError(
                f"found has {len(rows)} values of {rows['measure'].iloc[0]} at {name!r}; allowed "
                f"is one, or a column 'unit' that distinguishes them."
            )
        found.append(rows)
    return pd.concat(found)


def plot_pairs(found: DataFrame) -> Any:
    """Plot the similarities of all pairs as a matrix for each measure, and return the axes,
    (measures,).

    found: the result of compare, whose order the names keep. White crosses: p_family is above 0.05.
    Raises ValueError for a data frame that is no result of compare.

    >>> from repatlas.own import compare
    >>> rng = np.random.default_rng(0)
    >>> layers = {name: rng.standard_normal((40, 5)) for name in ("conv", "fc")}
    >>> [ax.get_title() for ax in plot_pairs(compare(layers, measures=["alignment"], draws=0))]
    ['Alignment']
    """
    _refuse_others(found, "compare", "a", "b", "measure", "value", "p_family")
    first, second = list(dict.fromkeys(found["a"])), list(dict.fromkeys(found["b"]))
    # Among all pairs of one set, no pair is there in both orders, and none of one with itself.
    alone = len({*first, *second}) == len(first) + 1 and first[0] not in second
    if alone:
        first = second = [first[0], *second]
    places = {"order": found["a"].map(first.index), "other_order": found["b"].map(second.index)}

    def draw(ax: Any, own: DataFrame) -> None:
        from repatlas.plots.pair_matrix import draw_similarities

        draw_similarities(ax, own, alone)
        ax.set_yticks(np.arange(len(first)) + 0.5, first)
        _name(ax, second, 0.5)

    return _drawn(found.assign(**places), found["measure"].map(SIMILARITIES), second, draw, 1.35)


def plot_over_time(found: DataFrame) -> Any:
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
    _refuse_others(found, "over_time", "about", "train", "test", "value", "p_family")
    times = list(map(str, dict.fromkeys(found["train"])))

    def draw(ax: Any, own: DataFrame) -> None:
        from repatlas.plots.over_time import draw_accuracies

        shape = len(times), len(times)
        values = own["value"].to_numpy(dtype=float).reshape(shape)
        sure = own["p_family"].to_numpy(dtype=float).reshape(shape) <= SURE
        image = draw_accuracies(ax, values, sure)
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label="Accuracy")
        _name(ax, times)
        ax.set_yticks(range(len(times)), times)

    return _drawn(found, found["about"], times, draw, 1.35)


def plot_models(found: DataFrame) -> Any:
    """Plot the difference of each pair of models with its interval, and return the axes,
    (measures,).

    found: the result of compare_models. Right of the line at 0 the first model of a pair is nearer
    to the data. Markers are filled where p_family is 0.05 or less.
    Raises ValueError for a data frame that is no result of compare_models.

    >>> import numpy as np
    >>> from repatlas.own import compare_models
    >>> brain, *models = np.random.default_rng(0).standard_normal((4, 40, 5))
    >>> [ax.get_title() for ax in plot_models(compare_models(dict(zip("abc", models)), brain))]
    ['Alignment']
    """
    _refuse_others(found, "compare_models", "a", "b", "measure", "value", "low", "high", "p_family")
    names = [f"{row.a} vs {row.b}" for row in found.itertuples()]

    def draw(ax: Any, own: DataFrame) -> None:
        from repatlas.plots.marks import GUIDE, draw_line

        ax.axvline(0, **GUIDE)
        dots = {"color": BLUE, "linestyle": "none", "marker": "o", "markersize": 4}
        own = own.assign(place=range(len(own)))
        for inside, rows in own.groupby(np.where(own["p_family"] <= SURE, BLUE, WHITE)):
            draw_line(ax, rows, "place", 1.2, across=True, markerfacecolor=inside, **dots)
        ax.set_yticks(range(len(own)), names[: len(own)])
        ax.invert_yaxis()
        ax.set(xlabel="Difference of similarities")

    return _drawn(found, found["measure"].map(SIMILARITIES), names, draw, 1.2)


def plot_nulls(found: DataFrame) -> Any:
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
    import pandas as pd
    from matplotlib.patches import Patch

    from repatlas.plots.null_distributions import NULLS as COLOURS
    from repatlas.plots.null_distributions import draw_with_nulls
    from repatlas.plots.representations import title_of

    draws = pd.DataFrame(nulls).explode("draws")
    draws = draws.rename(columns={"null": "variant", "draws": "value"}).assign(draw=0)
    every = pd.concat([found.assign(variant=""), draws])

    def draw(ax: Any, own: DataFrame) -> None:
        names = list(own["about"])
        of_measure = every[every["measure"] == own["measure"].iloc[0]]
        for place, name in enumerate(names):
            draw_with_nulls(ax, of_measure[of_measure["about"] == name], place)
        _name(ax, names)
        ax.set(xlim=(-0.6, len(names) - 0.4))
        if not ax.figure.legends:
            handles = [Patch(color=of, label=f"null: {name}") for name, of in COLOURS.items()]
            ax.figure.legend(handles=handles, loc="outside upper center", ncols=2)

    shown = found[found["measure"].isin(draws["measure"])]
    titles = [title_of(measure, "") for measure in shown["measure"]]
    return _drawn(shown, titles, list(found["about"]), draw)


def _refuse_others(found: DataFrame, function: str, *columns: str) -> None:
    """Refuse a table that is no result of this function."""
    if {*columns} - set(found) or found.empty:
        raise ValueError(f"found is no result of {function}: it needs {', '.join(columns)}.")


def _drawn(
    found: DataFrame,
    titles: Iterable[str],
    names: list[str],
    draw: Callable[[Any, DataFrame], None],
    size: float = 1.0,
) -> Any:
    """Return axes, one for the rows of each title, in which these are drawn, or the reason why they
    have no value. names: below each panel."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    from repatlas.plots.style import say

    groups = list(found.groupby(np.array([*titles], dtype=object), sort=False))
    columns = min(len(groups), MOST)
    rows, longest = -(-len(groups) // columns), max(map(len, names))
    height = size * HEIGHT + (CHARACTER * longest if longest > LONGEST else 0)
    inches = 0.6 + size * WIDTH * columns, 0.5 + height * rows
    options: dict[str, Any] = {"figsize": inches, "squeeze": False, "layout": "constrained"}
    with plt.rc_context(LOOK):
        _, axes = plt.subplots(rows, columns, **options)
        for ax in axes.flat[len(groups) :]:
            ax.remove()
        for ax, (title, own) in zip(axes.flat, groups, strict=False):
            ax.set_title(title)
            if own["value"].notna().any():
                draw(ax, own)
            else:
                say(ax, fill(own["reason"].iloc[0], REASON))
    return axes.ravel()[: len(groups)]


def _name(ax: Any, names: list[str], start: float = 0.0) -> None:
    turned = max(map(len, names)) > LONGEST
    ax.set_xticks(np.arange(len(names)) + start, names)
    ax.tick_params(axis="x", rotation=90 if turned else 0)
