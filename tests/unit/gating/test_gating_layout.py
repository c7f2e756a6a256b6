"""Every figure of the study as a page wants it, from the study in small."""

import pytest
from layout_faults import LEAST_WIDTH, faults_of

from repatlas.config.study import figures_of

pytestmark = pytest.mark.slow
every_figure = pytest.mark.parametrize("figure", figures_of("gating"))


@every_figure
def test_a_figure_fits_its_page(small_run, figure):
    assert faults_of("gating", figure, small_run.table(figure)) == []


@every_figure
def test_a_preview_of_one_seed_fits_the_least_width(small_run, figure):
    table = small_run.table(figure)
    one_seed = table[table["seed"].isna() | (table["seed"] == 0)].reset_index(drop=True)
    assert faults_of("gating", figure, one_seed, preview=True, width=LEAST_WIDTH) == []
