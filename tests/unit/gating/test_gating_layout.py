"""Every figure of the study as a page wants it, from the study in small."""

from functools import cache

import pandas as pd
import pytest
from budget import (
    markers_of_another_activation,
    over_budget_beside_the_exceptions,
    words_of_a_legend,
)
from claimed_panels import claims_without_panel
from drawn_pages import LEAST_WIDTH, faults_of, page_of
from said_and_shown import CLAIM, spreads

from repatlas.config.config import COLOURS
from repatlas.config.study import figures_of
from repatlas.inference.intervals import FEWEST
from repatlas.named import named
from repatlas.plots.style import Style, applied

pytestmark = pytest.mark.slow
every_figure = pytest.mark.parametrize("figure", figures_of("gating"))


@pytest.fixture(scope="module")
def page(small_run):
    """Return a figure on its page. Tests that only look at it share one drawing."""
    return cache(lambda figure: page_of("gating", figure, small_run.table(figure)))


@every_figure
def test_a_figure_fits_its_page(page, figure):
    assert page(figure).faults() == []


@every_figure
def test_a_preview_of_one_seed_fits_the_least_width(small_run, figure):
    table = small_run.table(figure)
    one_seed = table[table["seed"].isna() | (table["seed"] == 0)].reset_index(drop=True)
    assert faults_of("gating", figure, one_seed, preview=True, width=LEAST_WIDTH) == []


@every_figure
def test_a_preview_of_two_seeds_claims_and_draws_no_interval_or_deviation(small_run, figure):
    table = small_run.table(figure)
    assert table["seed"].nunique() < FEWEST
    drawn = drawing(figure, table, preview=True)
    assert not CLAIM.search(drawn.get_label()), drawn.get_label()
    assert spreads(drawn) == []


@every_figure
def test_a_figure_keeps_the_budget_and_its_legends_are_in_its_panels(page, figure):
    drawn = page(figure).figure
    assert over_budget_beside_the_exceptions("gating", figure, drawn) == set()
    assert words_of_a_legend(drawn) == []


@every_figure
def test_tanh_has_filled_circles_and_relu_open_squares(page, figure):
    assert markers_of_another_activation(page(figure).figure) == []


@every_figure
def test_claims_name_panels_that_their_figure_has(small_run, figure):
    table = small_run.table(figure)
    of_seeds = table[table["seed"].notna()]
    more = [of_seeds.assign(seed=of_seeds["seed"] + 2 * number) for number in (1, 2)]
    drawn = drawing(figure, pd.concat([table, *more], ignore_index=True))
    assert claims_without_panel("gating", figure, drawn) == {}


def drawing(figure, table, preview=False):
    style = Style(COLOURS, 5.5, 7.0, preview)
    with applied(style):
        return named("studies.gating", figure).draw(table, style)
