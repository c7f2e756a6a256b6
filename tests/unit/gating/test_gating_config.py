"""config/gating.yaml, the claims file of gating, and what its figures refuse."""

import copy

import pytest

from repatlas.claims.ledger import read_ledger
from repatlas.claims.settings import grids_of, other_settings
from repatlas.config.config import ConfigError, read_config
from repatlas.named import named
from repatlas.plan.plan import Plan
from repatlas.studies.gating.settings.items import OF_RUNS


@pytest.fixture(scope="module")
def plan(whole_values):
    return Plan(read_config(whole_values))


def test_it_has_the_networks_of_the_paper_and_theories(plan):
    networks = {network for figure in plan.figures for network in plan.networks(figure)}
    # The sweep has 30 values of delta, 4 scales and 10 seeds, and 2 scales of tanh.
    of_xor = [shard for shard, _ in networks if shard.family.startswith("xor")]
    assert len(of_xor) == 30 * 4 * 10 + 30 * 2 * 10
    assert 2100 < len(networks) < 2300


def test_every_claim_is_about_networks_that_its_figure_draws(plan):
    ledger = read_ledger("gating")
    jobs = {f.name: plan.tabulate_job(f).model_dump(mode="json") for f in plan.figures}
    for claim in ledger.claims:
        wanted = [ledger.settings[name] for name in claim.settings]
        assert other_settings(wanted, grids_of(jobs[claim.figure])) == [], claim.id


def test_no_claim_is_about_nothing():
    for claim in read_ledger("gating").claims:
        exact = all(check.statistic == "exact" for check in claim.checks)
        assert claim.settings or exact, claim.id


def test_measures_of_runs_are_those_that_say_so(plan):
    measured = {name for shard in plan.shards for name in measures_of(plan.measure_job(shard))}
    assert set(OF_RUNS) == {name for name in measured if named("measures", name).OF == "run"}


def measures_of(job):
    return {name for wanted in job.wanted().values() for name in wanted.measures}


def test_a_preview_leaves_fits_and_more_contexts_out(whole_values):
    plan = Plan(read_config(whole_values | {"preview": True}))
    families = {shard.family for shard in plan.shards}
    assert not [family for family in families if "recruited" in family]
    assert not [family for family in families if "-n12-" in family or "-n13-" in family]


def network(**more):
    return lambda sweep: sweep["network"].update(more)


def task(**more):
    return lambda sweep: sweep.__setitem__("task", sweep["task"] | more)


def measures(*names):
    return lambda sweep: sweep.__setitem__("measures", list(names))


REFUSED = {
    "gates of a context that there is not": (
        "heterogeneous_gated",
        network(pathways="14 23"),
        "network.pathways: found '14 23' for 3 contexts, allowed: those",
    ),
    "other tasks than those that it is about": (
        "heterogeneous_relu",
        task(blocks="homogeneous"),
        "figures.fig04.relu: found task.blocks homogeneous in sweep 'heterogeneous_relu', allowed:"
        " heterogeneous",
    ),
    "another kind of network": (
        "heterogeneous_modules",
        network(kind="mean_field"),
        "figures.fig04.modules: found network.kind mean_field in sweep 'heterogeneous_modules',"
        " allowed: gated",
    ),
    "several widths, which a figure would pool": (
        "heterogeneous_relu",
        network(width=[350, 700]),
        "figures.fig04.relu: found network.width 350, 700, allowed: one value",
    ),
    "losses that are not measured": (
        "xor_losses",
        measures("units"),
        "figures.fig02.losses: the sweep should measure loss",
    ),
    "an axis with one place": (
        "transition",
        task(delta=0.5),
        "figures.fig02.transition: found task.delta 0.5 alone, allowed: two values or more",
    ),
    "a fit without a common pathway": (
        "heterogeneous_fit",
        network(common=False),
        "network.common: found a network of kind 'recruited' without a common pathway",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(case, whole_values):
    name, change, sentence = REFUSED[case]
    values = copy.deepcopy(whole_values)
    change(values["sweeps"][name])
    with pytest.raises(ConfigError) as refused:
        read_config(values)
    assert sentence in str(refused.value)
