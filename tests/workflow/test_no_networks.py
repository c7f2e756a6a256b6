"""A figure for which no network is trained, alone in the config."""

import pandas as pd
import pytest


@pytest.fixture
def alone(fresh):
    fresh.config.write_text("figures: {fig09: {}}\n")
    return fresh


@pytest.mark.slow
def test_a_figure_without_networks_is_made_by_the_same_command(alone):
    assert alone.plan() == {"tabulate": 1, "plot": 1, "judge": 1}
    alone.run()
    assert alone.plan() == {}
    assert alone.verify() == (0, "5 fresh, 0 stale, 0 damaged, 0 missing, 0 orphan")
    assert {path.name for path in alone.results.rglob("fig09.*")} >= {"fig09.pdf", "fig09.png"}
    table = pd.read_parquet(alone.results / "structure/tables/fig09.parquet")
    assert table["run"].isna().all()

    alone.edit_source("studies/structure/figures/fig09/table.py", "ANGLE = 75.0", "ANGLE = 60.0")
    assert alone.plan() == {"tabulate": 1, "plot": 1, "judge": 1}


@pytest.mark.slow
def test_the_preview_of_a_figure_without_networks_is_the_figure(alone):
    alone.run()
    alone.run("--config", "preview=true")
    whole, preview = (
        pd.read_parquet(alone.results / folder / "fig09.parquet")
        for folder in ("structure/tables", "preview/structure/tables")
    )
    pd.testing.assert_frame_equal(whole, preview)
