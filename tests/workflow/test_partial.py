"""`make partial`: the figures as far as a run has come."""

import pandas as pd
import pytest
from PIL import Image

ONLY = ("--figure", "fig02")


def metrics(project, seed):
    return sorted((project.results / "metrics/clusters").glob(f"separable-*/seed-{seed}.parquet"))


@pytest.mark.slow
def test_a_figure_is_drawn_from_the_seeds_that_are_measured_and_says_how_many(project):
    for path in metrics(project, 1):
        path.resolve().unlink()
    before = project.contents("runs", "metrics", "structure")
    said = project.ask("partial", *ONLY).stdout
    assert "fig02: 1 of 2 seeds: results/partial/structure/figures/fig02.png" in said
    folder = project.results / "partial/structure"
    table = pd.read_parquet(folder / "tables/fig02.parquet")
    assert set(table["seed"].dropna()) == {0}
    usual = project.results / "structure/figures/fig02.png"
    with Image.open(folder / "figures/fig02.png") as partial, Image.open(usual) as whole:
        assert partial.height > whole.height or partial.tobytes() != whole.tobytes()
    assert project.contents("runs", "metrics", "structure") == before


@pytest.mark.slow
def test_where_all_seeds_are_there_the_picture_is_the_usual_one(project):
    assert "fig02: whole: " in project.ask("partial", *ONLY).stdout
    own, usual = (
        Image.open(project.results / folder / "structure/figures/fig02.png")
        for folder in ("partial", "")
    )
    assert own.tobytes() == usual.tobytes()
    assert project.verify()[0] == 0  # what is partial is no orphan


@pytest.mark.slow
def test_without_the_network_that_a_figure_shows_there_is_none(project):
    for path in metrics(project, 0):
        path.resolve().unlink()
    ended = project.ask("partial", *ONLY)
    assert ended.stdout.splitlines() == [
        "fig02: nothing to draw yet",
        "no figure has its networks of seed 0 yet, in results",
    ]
    assert ended.returncode == 1


@pytest.mark.slow
def test_what_is_of_another_config_is_not_drawn(project):
    def change(values):
        values["sweeps"]["separability"]["measures"] = ["accuracy", "alignment", "parallelism"]
        values["sweeps"]["separability"]["measures"] += ["ccgp", "decoding", "kernel"]

    project.edit_config(change)
    assert "fig02: nothing to draw yet" in project.ask("partial", *ONLY).stdout
