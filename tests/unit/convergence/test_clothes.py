"""Clothes next to digits in Figure C6, and other figures of them:
config/convergence-photographs.yaml, which overrides the config."""

import pytest
from selections import some
from stages import groups_of

from repatlas.claims.claims_file import read_claims
from repatlas.claims.settings import grids_of, other_settings
from repatlas.config.config import read_config
from repatlas.config.load import load
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


def test_networks_are_added_and_none_is_trained_again(loaded, clothes):
    plain, more = Plan(read_config(loaded())), Plan(read_config(clothes))
    trained = {n: r.identity for n, r in plain.results.items() if n.startswith("runs/")}
    assert some(trained).items() <= {n: r.identity for n, r in more.results.items()}.items()
    added = {
        group.place: group for group in groups_of(more) if f"runs/{group.place}.json" not in trained
    }
    families = {family for g in added.values() for grid, _ in g.grids for family in grid.families}
    assert families == {"fashion-mnist-mlp", "cifar10-small-cnn"}


def test_the_claim_on_digits_is_about_the_same_networks_as_before(clothes):
    job = Plan(read_config(clothes)).results["convergence/tables/figC6.parquet"].recipe
    file = read_claims("convergence")
    (claim,) = (each for each in file.claims if each.id == "C11")
    wanted = [file.settings[name] for name in claim.settings]
    assert other_settings(wanted, grids_of(job)) == []
