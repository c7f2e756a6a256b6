"""What the figures of a user's arrays show and say, from tables made up. Every further set,
layer, epoch and variable is reported. Every line has a different look. A panel without values
gives a reason."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from figure_tables import as_drawn
from one_more import is_told
from said_and_shown import NO_VALUE, PROMISE, empty_panels, texts_of

from repatlas.config.config import COLOURS
from repatlas.config.study import figures_of
from repatlas.experiments.files.columns import label_of
from repatlas.geometry.design import BETWEEN
from repatlas.inference.nulls import MOVED, SHUFFLED
from repatlas.named import named, names
from repatlas.own.similarities import TITLES
from repatlas.plots import representations
from repatlas.plots.points import draw_points
from repatlas.plots.style import Style, applied
from repatlas.studies.own.rows import DRAWN

USUAL = {
    "sets": ("network", "brain"),
    "layers": ("conv", "fc"),
    "epochs": (0, 10),
    "variables": ("side", "colour"),
    "units": (None,),
}
STYLE = Style(COLOURS, 5.5, 7.0, False)
REASON = "two conditions needed"
DRAWS = 5


def representations_of(sets, layers, epochs, units):
    """Return the columns of each representation."""
    for name in sets:
        every = enumerate(product(units, epochs, layers))
        for order, (unit, epoch, layer) in every:
            label = label_of({"layer": layer, "epoch": epoch})
            yield {"representation": name, "label": label, "unit": unit, "order": order}, {
                "layer": layer, "epoch": epoch, "first_axis": "epoch", "run": f"{name}{order}",
                "times": ["0 ms", "10 ms", "20 ms"],
            }  # fmt: skip


def measured(variables):
    """Return the rows of one representation: values, draws of both nulls, and conditions as
    points."""
    common = {"variant": "debiased", "low": 0.4, "high": 0.8, "chance": 0.5, "n": 24, "of": "items"}
    for measure in DRAWN:
        for about in variables if measure != "dimensionality" else [""]:
            of_both = {"measure": measure, "about": about}
            yield common | of_both | {"value": 0.6}
            if measure != "dimensionality":
                for null, draw in product((SHUFFLED, MOVED), range(DRAWS)):
                    yield of_both | {"variant": null, "draw": draw, "value": 0.45 + 0.02 * draw}
    for cluster, axis in product(range(4), range(2)):
        about = f"value {cluster // 2}{BETWEEN}value {cluster % 2}"
        value = float((cluster // 2, cluster % 2)[axis])
        yield {"measure": "geometry", "about": about, "cluster": cluster, "neuron": axis,
               "variant": "", "value": value}  # fmt: skip
    for about, fit, test in product(variables, range(3), range(3)):
        times = {"cluster": fit, "neuron": test}
        yield common | times | {"measure": "over_time", "about": about, "value": 0.6, "p": 0.01}
    yield {"measure": "explained", "neuron": 0, "variant": "", "value": 0.9}


def rows(sets, layers, epochs, variables, units):
    found = [
        about | columns | row
        for about, columns in representations_of(sets, layers, epochs, units)
        for row in measured(variables)
    ]
    empty = dict.fromkeys(["low", "high", "chance", "draw", "cluster", "neuron", "n", "p"], np.nan)
    return pd.DataFrame([empty | {"of": None, "reason": None} | row for row in found])


def pairs(sets, layers, epochs, variables, units):
    """Return all pairs of the first set and the last."""
    every = [about for about, _ in representations_of(sets, layers, epochs, units)]
    first = [about for about in every if about["representation"] == sets[0]]
    second = [about for about in every if about["representation"] == sets[-1]]
    found = [
        a | {f"other_{name}": value for name, value in b.items()}
        | {"measure": measure, "value": 0.5, "low": 0.4, "high": 0.6, "chance": 0.0, "n": 24}
        | {"variant": "", "of": "items", "reason": None, "statistic": 0.5, "permuted": [0.1, 0.2]}
        for measure in ("alignment", "svcca")
        for a, b in product(first, second)
        if a is not b
    ]  # fmt: skip
    return pd.DataFrame(found)


def drawing(figure, change=lambda rows: rows, **more):
    values = USUAL | more
    made = pairs(**values) if figure == "pairs" else rows(**values)
    table = named("studies.own", figure).tabulate({"of": change(made)}, None)
    table = as_drawn(table, "files")
    with applied(STYLE):
        return named("studies.own", figure).draw(table, STYLE)


usual = cache(drawing)
MORE = {
    "sets": "monkey",
    "layers": "pool",
    "epochs": 30,
    "variables": "size",
}
OF_PAIRS = ("layers", "epochs")
"""A comparison is of two sets, and of no variable; points are the conditions of all variables."""
CASES = [
    pytest.param(figure, part, marks=[] if figure == "over_layers" else pytest.mark.slow)
    for figure in figures_of("own")
    for part in MORE
    if part in OF_PAIRS or (figure != "pairs" and (figure, part) != ("geometry", "variables"))
]


@pytest.mark.parametrize(("figure", "part"), CASES)
def test_one_value_more_is_told(figure, part):
    more = {part: (*USUAL[part], MORE[part])}
    assert is_told(usual(figure), drawing(figure, **more), MORE[part], str(MORE[part]))


def without_values(rows):
    """Return rows as they are for arrays that no measure could measure."""
    nothing = {name: np.nan for name in ("value", "low", "high", "statistic") if name in rows}
    rows = rows[rows["draw"].isna()] if "draw" in rows else rows.assign(permuted=None)
    return rows.assign(**nothing, reason=REASON)


@pytest.mark.parametrize("units", [(None,), ("0", "1")])
@pytest.mark.parametrize("figure", figures_of("own"))
def test_where_nothing_was_measured_no_panel_is_empty_without_a_reason(figure, units):
    drawn = drawing(figure, without_values, units=units)
    assert empty_panels(drawn) == []
    assert not [text for text in texts_of(drawn) if NO_VALUE.search(text)]
    assert not any(PROMISE.search(text) for text in texts_of(drawn))
    assert any(REASON in text for text in texts_of(drawn))


@pytest.mark.parametrize("number", [3, 8, 20])
def test_every_line_has_a_look_of_its_own(number):
    drawn = drawing("over_layers", epochs=tuple(range(number)), sets=("network",))
    lines = [line for line in drawn.axes[0].lines if line.get_label()[0] != "_"]
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == len(lines) == number


def points(first, others):
    """Return the drawing of conditions of two variables with these numbers of values."""
    of_conditions = [
        {"measure": "geometry", "about": f"one {a}{BETWEEN}other {b}", "cluster": a * others + b,
         "neuron": axis, "value": float((a, b)[axis])}
        for a, b, axis in product(range(first), range(others), range(2))
    ]  # fmt: skip
    about = {"representation": "network", "label": "fc", "order": 0, "unit": None, "reason": None}
    return draw_points(pd.DataFrame([about | row for row in of_conditions]), STYLE)


def test_every_value_of_the_first_variable_has_a_colour_however_many_there_are():
    [ax] = [ax for ax in points(9, 1).axes if ax.lines]
    dots = [line for line in ax.lines if line.get_marker() != "None"]
    assert len({line.get_color() for line in dots}) == 9


def test_values_of_other_variables_have_markers_or_the_figure_says_where_they_begin_again():
    for others, said in ((14, False), (15, True)):
        drawn = points(1, others)
        [ax] = [ax for ax in drawn.axes if ax.lines]
        markers = {line.get_marker() for line in ax.lines} - {"None"}
        assert len(markers) == 14
        sentence = "After 14 of 15 values markers begin again."
        assert any(sentence in text for text in texts_of(drawn)) == said


def test_every_measure_and_similarity_has_a_panel():
    # A panel has one number of a variable. Collapse has several, and is in the table of metrics.
    own = {*names("own.measures")} - {"collapse", "geometry", "over_time"}
    assert own == {*DRAWN} == {*representations.TITLES}
    assert {*names("own.similarities")} == {*TITLES}
