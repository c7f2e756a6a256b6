"""A figure for which no network is trained, alone in the config."""

import pandas as pd
import pytest


@pytest.fixture
def figure_project(fresh):
    fresh.config.write_text("figures: {fig09: {}}\n")
    return fresh


@pytest.mark.slow
def test_a_figure_without_networks_is_made_by_the_same_command(figure_project):
    assert figure_project.plan() == {"tabulate": 1, "plot": 1}
    figure_project.run()
    assert figure_project.plan() == {}
    assert figure_project.verify() == (0, "3 fresh, 0 damaged, 0 missing, 0 orphan")
    assert {path.name for path in figure_project.results.rglob("fig09.*")} >= {
        "fig09.pdf",
        "fig09.png",
    }
    table = pd.read_parquet(figure_project.results / "structure/tables/fig09.parquet")
    assert table["run"].isna().all()

    figure_project.edit_source(
        "studies/structure/figures/fig09/table.py", "ANGLE = 75.0", "ANGLE = 60.0"
    )
    assert figure_project.plan() == {"tabulate": 1, "plot": 1}


@pytest.mark.slow
def test_the_preview_of_a_figure_without_networks_is_the_figure(figure_project):
    figure_project.run()
    figure_project.run("--config", "preview=true")
    whole, preview = (
        pd.read_parquet(figure_project.results / folder / "fig09.parquet")
        for folder in ("structure/tables", "preview/structure/tables")
    )
    pd.testing.assert_frame_equal(whole, preview)
