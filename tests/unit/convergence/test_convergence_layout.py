"""Every figure of the study has the layout of a page. Nothing lies on anything else, nothing is
small or cut off, and no line differs from another by colour alone. The cases are many networks and
few, one activation, networks that did not learn, a preview, and the smallest width that a config
allows."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import test_figC1 as c1
import test_figC2 as c2
import test_figC3 as c3
import test_figC4 as c4
import test_figC5 as c5
import test_figC6 as c6
import test_figC7 as c7
import test_figC8 as c8
import test_figC9 as c9
import test_figC10 as c10
import test_figC10_tasks as tasks
from budget import (
    markers_of_another_activation,
    over_budget_beside_the_exceptions,
    words_of_a_legend,
)
from claimed_panels import claims_without_panel
from drawn_pages import LEAST_WIDTH, faults_of, page_of
from figure_tables import as_drawn
from matplotlib.colors import to_hex
from one_more import is_told, places_of, rows_with_one_more
from said_and_shown import CLAIM, NO_VALUE, PROMISE, empty_panels, spreads, texts_of
from test_figC9 import small_toy  # noqa: F401

from repatlas.config.config import COLOURS
from repatlas.config.study import figures_of
from repatlas.named import named
from repatlas.plots.style import Style, applied

BOTH = ("relu", "tanh")
ROWS = {
    "figC1": lambda: c1.rows(),
    "figC2": lambda: c2.rows(),
    "figC3": lambda: c3.made(),
    "figC4": lambda: {"networks": c4.made()},
    "figC5": lambda: c5.freezing(),
    "figC6": lambda: c6.classes_of_networks(c6.usual, c6.alike),
    "figC7": lambda: c7.rows_of_both(),
    "figC8": lambda: c8.rows_of_widths(lambda width: 0.6 - 0.05 * np.log2(width), activations=BOTH),
    "figC9": lambda: {"networks": c9.made()},
    "figC10": lambda: c10.rows(6),
}
OF_ONE_KIND = {
    "figC1": lambda: c1.rows(3, activation="tanh"),
    "figC2": lambda: c2.rows(3, activation="tanh"),
    "figC3": lambda: c3.made(activations=["relu"]),
    "figC4": lambda: {"networks": c4.made(activations=["relu"])},
    "figC5": lambda: c5.freezing(seeds=3, arms=("linear",), lengths=(40,)),
    "figC6": lambda: c6.classes_of_networks(c6.usual, c6.alike, seeds=1),
    "figC7": lambda: c7.rows_of_both(seeds=3),
    "figC8": lambda: c8.rows_of_widths(lambda width: 0.4, (8, 64), seeds=3),
    "figC9": lambda: {"networks": c9.made(activations=["relu"])},
    "figC10": lambda: c10.rows(3),
}
OF_CONVOLUTIONS = {
    "figC5": lambda: {
        name: rows.assign(network="small_cnn", depth=4, data_set="cifar10")
        for name, rows in c5.freezing(seeds=4, arms=c5.ARMS[:2], lengths=(40,)).items()
    },
    "figC6": lambda: c6.classes_of_networks(
        c6.usual, c6.alike, seeds=4, classes=10, data_set="cifar10", network="small_cnn", depth=3
    ),
    "figC7": lambda: c7.rows_of_convolutions(4),
    "figC8": lambda: c8.rows_of_convolutions(4),
}
UNTAUGHT = {
    "figC1": lambda: c1.rows(3, lambda seed: 0.5),
    "figC2": lambda: c2.rows(3, lambda seed: 0.5),
    "figC3": lambda: c3.made(trained=0.5),
    "figC4": lambda: {"networks": c4.made(trained=0.5)},
    "figC9": lambda: {"networks": c9.made(trained=0.5)},
    "figC10": lambda: c10.rows(3, lambda seed: 0.5),
}
MODULES = {name: named("studies.convergence", name) for name in ROWS}
every_figure = pytest.mark.parametrize("figure", ROWS)


def with_quick(names, quick=("figC4",)):
    marked = [pytest.param(name, marks=[] if name in quick else pytest.mark.slow) for name in names]
    return pytest.mark.parametrize("figure", marked)


def found(figure, rows, **style):
    return faults_of("convergence", figure, as_drawn(MODULES[figure].tabulate(rows, None)), **style)


@cache
def page(figure):
    """Return a figure on its page. Tests that only look at it share one drawing.

    Figure C10 has the networks that learned tasks, which its panels B and C are of."""
    rows = tasks.rows(6) if figure == "figC10" else ROWS[figure]()
    return page_of("convergence", figure, as_drawn(MODULES[figure].tabulate(rows, None)))


def test_no_figure_is_left_out():
    assert set(ROWS) == set(OF_ONE_KIND) == set(figures_of("convergence"))


@with_quick(ROWS)
def test_a_figure_fits_its_page(figure):
    assert (found(figure, ROWS[figure]()) if figure == "figC10" else page(figure).faults()) == []


@pytest.mark.slow
@pytest.mark.parametrize("figure", OF_CONVOLUTIONS)
def test_a_figure_with_convolutions_fits_the_least_width(figure):
    assert found(figure, OF_CONVOLUTIONS[figure](), width=LEAST_WIDTH) == []


@pytest.mark.slow
def test_figure_c10_fits_its_page_with_networks_that_learned_tasks():
    # The shades of D are a ramp, whose dots lie on each other in these made-up networks.
    assert [each for each in page("figC10").faults() if "one of each" not in each.about] == []


@pytest.mark.slow
@every_figure
def test_a_figure_keeps_the_budget_and_its_legends_are_in_its_panels(figure):
    drawn = page(figure).figure
    assert over_budget_beside_the_exceptions("convergence", figure, drawn) == set()
    assert words_of_a_legend(drawn) == []


@pytest.mark.slow
@every_figure
def test_tanh_has_filled_circles_and_relu_open_squares(figure):
    assert markers_of_another_activation(page(figure).figure) == []


@with_quick(ROWS)
def test_claims_name_panels_that_their_figure_has(figure):
    assert claims_without_panel("convergence", figure, page(figure).figure) == {}


@pytest.mark.slow
@every_figure
def test_a_preview_of_few_networks_of_one_kind_fits_the_least_width(figure):
    assert found(figure, OF_ONE_KIND[figure](), preview=True, width=LEAST_WIDTH) == []


@pytest.mark.slow
@pytest.mark.parametrize("figure", UNTAUGHT)
def test_words_for_what_was_not_learned_fit_their_panels(figure):
    assert found(figure, UNTAUGHT[figure](), preview=True) == []


def drawing(figure, rows):
    style = Style(COLOURS, 5.5, 7.0, False)
    with applied(style):
        module = named("studies.convergence", figure)
        return module.draw(as_drawn(MODULES[figure].tabulate(rows, None)), style)


@with_quick(UNTAUGHT, quick=("figC4", "figC10"))
def test_of_networks_that_did_not_learn_no_panel_is_empty_or_shows_others(figure):
    drawn = drawing(figure, UNTAUGHT[figure]())
    assert empty_panels(drawn) == []
    assert not any(NO_VALUE.search(text) for text in texts_of(drawn))
    assert not PROMISE.search(drawn.get_label())
    # Curves in the colours of these activations are of trained networks.
    coloured = {COLOURS["tanh"], COLOURS["relu"]}
    shown = [line for ax in drawn.axes for line in ax.lines if len(line.get_xdata())]
    assert not [line for line in shown if to_hex(line.get_color(), False).upper() in coloured]


@with_quick(OF_ONE_KIND, quick=("figC4", "figC10"))
def test_of_few_networks_no_interval_or_deviation_is_promised_or_drawn(figure):
    drawn = drawing(figure, OF_ONE_KIND[figure]())
    assert not CLAIM.search(drawn.get_label()), drawn.get_label()
    assert spreads(drawn) == []
    assert not any(NO_VALUE.search(text) for text in texts_of(drawn))


@pytest.mark.parametrize("figure", ["figC4", "figC10"])
def test_of_six_networks_the_note_says_that_there_are_intervals(figure):
    rows = {"networks": c4.made(6)} if figure == "figC4" else c10.rows(6)
    assert PROMISE.search(drawing(figure, rows).get_label())


def test_every_share_of_random_labels_has_its_dots():
    rows = c7.rows_of_both()
    half = rows["corrupted"][rows["corrupted"]["corrupted"] == 0.5]
    more = half.assign(corrupted=0.4, run=half["run"] + "x")
    drawn = drawing("figC7", rows | {"corrupted": pd.concat([rows["corrupted"], more])})
    ticks = {label.get_text() for ax in drawn.axes for label in ax.get_xticklabels()}
    assert {"40 %", "50 %"} <= ticks


NEW = {
    "data_set": "fashion_mnist",
    "network.activation": "gelu",
    "network.depth": 7,
    "network.width": 48,
    "task.alignment": 0.35,
    "task.corrupted": 0.4,
    "task.delta": 0.6,
    "training.passes": 55,
}
"""A value of each setting that these networks do not have. They have every schedule of freezing
and every change of pixels."""


def all_rows(figure):
    return ROWS[figure]() | (tasks.rows(6) if figure == "figC10" else {})


@cache
def before(figure):
    """Return a figure to which all values are added, each by itself, drawn once."""
    return drawing(figure, all_rows(figure))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figure", "place"),
    [(f, place) for f in ROWS for place in places_of("convergence", f) if place in NEW],
)
def test_one_value_more_is_told_or_refused(figure, place):
    rows, value = all_rows(figure), NEW[place]
    if more := rows_with_one_more(rows, "convergence", figure, place, value):
        after = drawing(figure, more)
        assert is_told(before(figure), after, value, {"gelu": "GELU"}.get(value, str(value)))


@pytest.mark.parametrize("figure", ["figC5", "figC6", "figC7", "figC8"])
def test_no_panel_is_empty_and_no_interval_promised_where_no_network_has_learned(figure):
    def untaught(rows):
        ends = (rows["measure"] == "accuracy") & (rows["variant"] == "training")
        return rows.assign(value=rows["value"].mask(ends, 0.1))

    drawn = drawing(figure, {key: untaught(rows) for key, rows in ROWS[figure]().items()})
    assert empty_panels(drawn) == []
    assert not any(NO_VALUE.search(text) for text in texts_of(drawn))
    # All networks of different widths are shown, as the catalogue says.
    assert figure == "figC8" or not PROMISE.search(drawn.get_label())


def test_pairs_of_another_activation_than_relu_are_not_pooled_with_a_third():
    found = {}
    for kinds in (["gelu"], ["gelu", "tanh"]):
        table = c1.tabulate(c1.rows(3, activation=kinds), None)
        shown = table[table["measure"].isin(["unit_correlation", "sorted_matching"])]
        found[len(kinds)] = set(shown["activation"])
    assert found == {1: {"gelu"}, 2: {"gelu"}}
