"""Clothes next to digits in Figure C6, and other figures of them:
config/convergence-photographs.yaml, which overrides the config."""

import os
from pathlib import Path

import numpy as np
import pytest
from claim_rows import rows_of
from figure_tables import read_figure_table
from naming_rows import drawn
from selections import some
from stages import groups_of, make

from repatlas.claims.claims_file import read_claims
from repatlas.claims.settings import grids_of, other_settings
from repatlas.claims.verdicts import judge
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.studies.convergence import figC6
from repatlas.workflow.plan import Plan

IMAGES, STEPS, SEEDS = 1000, 280, 2


@pytest.fixture
def loaded(repository):
    def loaded(*files):
        return load([repository / file for file in ("config.yaml", *files)]).values

    return loaded


@pytest.fixture
def clothes(loaded):
    return loaded("config/convergence-photographs.yaml")


@pytest.fixture
def files():
    """The folder with the files of Fashion-MNIST, which are not part of the project."""
    folder = Path(os.environ.get("REPATLAS_DATA", ""), "fashion-mnist")
    if "REPATLAS_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("REPATLAS_DATA names no folder with fashion-mnist")
    return folder


def test_networks_are_added_and_none_is_trained_again(loaded, clothes):
    plain, more = Plan(read_config(loaded())), Plan(read_config(clothes))
    trained = {n: r.identity for n, r in plain.results.items() if n.startswith("runs/")}
    assert some(trained).items() <= {n: r.identity for n, r in more.results.items()}.items()
    added = {
        group.place: group for group in groups_of(more) if f"runs/{group.place}.json" not in trained
    }
    families = {family for g in added.values() for grid, _ in g.grids for family in grid.families}
    assert families == {"fashion-mnist-mlp", "cifar10-small-cnn"}


def test_comparisons_are_added_to_those_of_digits(loaded, clothes):
    plain, more = Plan(read_config(loaded())), Plan(read_config(clothes))
    known = {name for name in plain.results if name.startswith("comparisons/")}
    assert known < {*more.results}
    figures = more.studies["convergence"].figures
    drawn = {*figures} - {*plain.studies["convergence"].figures}
    photographs = {f"figC{number}_photographs" for number in range(1, 10)}
    assert drawn == photographs | {"figC5_convolutions"}
    tables = {name: more.results[f"convergence/tables/{name}.parquet"] for name in figures}
    compared = {name for name, table in tables.items() if table.inputs["pairs"]}
    assert compared & drawn == {f"figC{number}_photographs" for number in (1, 2, 3, 7, 8)}


def test_the_claim_on_digits_is_about_the_same_networks_as_before(clothes):
    job = Plan(read_config(clothes)).results["convergence/tables/figC6.parquet"].recipe
    file = read_claims("convergence")
    (claim,) = (each for each in file.claims if each.id == "C11")
    wanted = [file.settings[name] for name in claim.settings]
    assert other_settings(wanted, grids_of(job)) == []


@pytest.mark.slow
def test_on_a_few_images_the_claim_on_the_distinct_class_is_judged(
    clothes, files, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    sweep = clothes["studies"]["convergence"]["sweeps"]["narrow_clothes"]
    small = sweep | {"task": {"images": IMAGES}, "steps": [0, STEPS]}
    small |= {"seeds": SEEDS, "preview": {"seeds": 1}}
    small["more_measures"] = {STEPS: ["class_correlations"]}
    values = {
        "study": "convergence",
        "image_sets": {"fashion_mnist": {"folder": str(files)}},
        "sweeps": {"clothes": small},
        "figures": {"figC6": {"narrow": ["clothes"]}},
    }
    path = make(Plan(read_config(values)), "convergence/tables/figC6.parquet")
    table = read_figure_table(path)[1].to_pandas()
    (claim,) = (each for each in read_claims("convergence").claims if each.id == "C11b")
    (finding,) = judge(claim, rows_of(table))
    assert np.isfinite(finding.value)
    assert finding.seeds == SEEDS
    assert "left out" not in drawn(figC6, table)
