"""The study of gated pathways through the real Snakemake, in small."""

import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_its_figures_are_made_and_its_claims_judged(results_of):
    project = results_of("gating")
    for figure in ("fig01", "fig02", "figS1"):
        for suffix in ("pdf", "png"):
            assert (project.results / f"gating/figures/{figure}.{suffix}").exists()
    claims = pd.read_parquet(project.results / "gating/claims/claims.parquet")
    verdicts = claims.drop_duplicates("claim").set_index("claim")
    # Two networks decide nothing; other figures are not drawn.
    assert verdicts.loc["17", "data"] == "other setting"
    assert verdicts.loc["17", "ours"] == "too few networks"
    assert "the config does not draw figS7" in verdicts.loc["1", "why"]
    assert project.plan() == {}
    assert project.verify()[0] == 0
