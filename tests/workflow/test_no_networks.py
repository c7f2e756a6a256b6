"""A figure for which no network is trained, alone in the config."""

import pandas as pd
import pytest


def figure_9_alone(project):
    project.config.write_text("figures: {fig09: {}}\n")
    return project


@pytest.fixture(scope="module")
def made(shared, make_project):
    """A project in which it was made. For reading only."""
    return shared("figure 9", lambda folder: figure_9_alone(make_project(folder)).run())


def test_a_figure_without_networks_is_made_by_the_same_command(fresh, made, tmp_path):
    assert figure_9_alone(fresh).plan() == {"tabulate": 1, "plot": 1, "judge": 1}
    assert made.plan() == {}
    assert made.verify() == (0, "5 fresh, 0 stale, 0 damaged, 0 missing, 0 orphan")
    assert {path.name for path in made.results.rglob("fig09.*")} >= {"fig09.pdf", "fig09.png"}
    table = pd.read_parquet(made.results / "structure/tables/fig09.parquet")
    assert table["run"].isna().all()

    edited = made.clone(tmp_path / "edited")
    edited.edit_source("studies/structure/tables/fig09.py", "ANGLE = 75.0", "ANGLE = 60.0")
    assert edited.plan() == {"tabulate": 1, "plot": 1, "judge": 1}
    edited.remove()


def test_the_preview_of_a_figure_without_networks_is_the_figure(made, tmp_path):
    project = made.clone(tmp_path / "project")
    project.run("--config", "preview=true")
    whole, preview = (
        pd.read_parquet(project.results / folder / "fig09.parquet")
        for folder in ("structure/tables", "preview/structure/tables")
    )
    pd.testing.assert_frame_equal(whole, preview)
    project.remove()
