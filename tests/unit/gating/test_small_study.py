"""The whole study in small, from its config to its claims."""

import pandas as pd
import pytest

from repatlas.config.study import figures_of

FIGURES = figures_of("gating")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_drawn_from_its_table(small_run, figure):
    stored = small_run.folder / f"results/gating/tables/{figure}.parquet"
    assert pd.read_parquet(stored).notna().any().all()
    for suffix in ("pdf", "png"):
        assert (small_run.folder / f"results/gating/figures/{figure}.{suffix}").stat().st_size


def test_every_claim_finds_its_rows_or_says_what_the_run_lacks(small_run):
    claims = small_run.claims()
    lacking = claims[claims["check"].isna()]
    # Networks of 40 epochs have reached no level of the loss; 5 contexts are left out here, and the
    # epochs that outputs, units and gates are asked for.
    for row in lacking.itertuples():
        assert row.why.startswith(("found ", "it needs ")), row.claim
    judged = set(claims.loc[claims["check"].notna(), "claim"])
    assert judged >= {"1b", "2b", "3b", "4", "6", "7", "8b", "16c", "22b", "b4"}
