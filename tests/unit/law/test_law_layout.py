"""The figure of the law as a page wants it."""

import pytest
from budget import over_budget_beside_the_exceptions, words_of_a_legend
from claimed_panels import claims_without_panel
from drawn_pages import LEAST_WIDTH, page_of
from test_activation_law import networks

from repatlas.studies.law.fig01 import tabulate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def table():
    """Return a table of 40 drawn and 2 named functions."""
    rows = networks(0.05)["drawn"]
    some = rows[rows["function"] < 2]
    names = some["function"].map({0: "elu", 1: "hard_tanh"})
    named = some.assign(functions="named", function=None, activation=names)
    named["run"] = named["run"] + " named"
    return tabulate({"drawn": rows, "named": named.astype({"function": "Int32"})}, 2000)


def test_the_figure_fits_its_page_and_keeps_the_budget(table):
    page = page_of("law", "fig01", table)
    assert page.faults() == []
    assert over_budget_beside_the_exceptions("law", "fig01", page.figure) == set()
    assert words_of_a_legend(page.figure) == []
    assert claims_without_panel("law", "fig01", page.figure) == {}


def test_a_preview_fits_the_least_width(table):
    few = table[(table["seed"] == 0) & ~table["measure"].str.startswith("explained")]
    page = page_of("law", "fig01", few, width=LEAST_WIDTH, preview=True)
    assert page.faults() == []
