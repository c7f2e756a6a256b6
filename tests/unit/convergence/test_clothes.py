"""Clothes next to digits in Figure C6, and other figures of them:
config/convergence-photographs.yaml, which overrides the config."""

import os
from pathlib import Path

import numpy as np
import pytest
from claim_rows import rows_of
from naming_rows import drawn
from selections import some
from stages import make_metrics, path_of, run

from repatlas.artifacts import layout
from repatlas.artifacts.files import read_table
from repatlas.claims.ledger import read_ledger
from repatlas.claims.settings import grids_of, other_settings
from repatlas.claims.verdicts import judge
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.plan.captions import caption
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.stages import tabulate
from repatlas.studies.convergence.columns import TABLE_SCHEMA
from repatlas.studies.convergence.figures.figC6 import drawing as figC6

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
    assert some(set(plain.shards)) <= set(more.shards)
    added = set(more.shards) - set(plain.shards)
    assert {shard.family for shard in added} == {"fashion-mnist-mlp", "cifar10-small-cnn"}
    for shard in plain.shards:
        assert more.train_job(shard) == plain.train_job(shard)


def test_comparisons_are_added_to_those_of_digits(loaded, clothes):
    plain, more = Plan(read_config(loaded())), Plan(read_config(clothes))
    assert set(plain.tiles) < set(more.tiles)
    drawn = {figure.name for figure in more.figures} - {figure.name for figure in plain.figures}
    photographs = {f"figC{number}_photographs" for number in range(1, 10)}
    assert drawn == photographs | {"figC5_convolutions"}
    compared = {figure.name for figure in more.figures if more.tiles_of(figure)}
    assert compared & drawn == {f"figC{number}_photographs" for number in (1, 2, 3, 7, 8)}


def test_captions_say_what_the_networks_on_photographs_are(clothes):
    def words_of(figure):
        return " ".join(str(caption(plan, Product("convergence", figure))).split())

    plan = Plan(read_config(clothes))
    assert "4 convolutions and a full layer" in words_of("figC5_convolutions")
    assert "Similar by name are automobile and truck" in words_of("figC6_photographs")
    assert "logits correlate most" not in words_of("figC6_photographs")
    assert "automobile and truck" not in words_of("figC6")
    assert "of convolutions the items are positions" in words_of("figC8_photographs")


def test_the_caption_of_figure_c7_says_nothing_of_networks_that_it_lacks(clothes):
    plan = Plan(read_config(clothes))
    lacking, having = (
        " ".join(str(caption(plan, Product("convergence", figure))).split())
        for figure in ("figC7_photographs", "figC7")
    )
    assert "4000 images" in lacking
    assert "C: training loss" in having
    assert "C: training loss" not in lacking


def test_the_claim_on_digits_is_about_the_same_networks_as_before(clothes):
    plan = Plan(read_config(clothes))
    (figure,) = (f for f in plan.figures if f.name == "figC6")
    job = plan.tabulate_job(figure).model_dump(mode="json")
    ledger = read_ledger("convergence")
    (claim,) = (each for each in ledger.claims if each.id == "C11")
    wanted = [ledger.settings[name] for name in claim.settings]
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
    plan = Plan(read_config(values))
    (figure,) = plan.figures
    metrics = [str(make_metrics(plan, shard)) for shard in plan.shards_of(figure)]
    path = path_of(plan, layout.TABLE, figure)
    run(tabulate, plan.tabulate_job(figure), path, "--metrics", *metrics)
    table = read_table(path, "table", TABLE_SCHEMA)[1].to_pandas()
    (claim,) = (each for each in read_ledger("convergence").claims if each.id == "C11b")
    (finding,) = judge(claim, rows_of(table))
    assert np.isfinite(finding.value)
    assert finding.seeds == SEEDS
    assert "left out" not in drawn(figC6, table)
