"""config/gating.yaml, the claims file of gating, and what its figures refuse."""

import copy

import pytest
from stages import groups_of

from repatlas.config.config import ConfigError, read_config
from repatlas.workflow.plan import Plan


@pytest.fixture(scope="module")
def plan(whole_values):
    return Plan(read_config(whole_values))


def test_it_has_the_networks_of_the_paper_and_theories(plan):
    networks = {
        (key, seed): run.spec
        for group in groups_of(plan)
        for seed in group.seeds
        for key, run in group.networks(seed).items()
    }
    # The sweep has 30 values of delta, 4 scales and 10 seeds, and 2 scales of tanh.
    of_xor = [spec for spec in networks.values() if spec.family.startswith("xor")]
    assert len(of_xor) == 30 * 4 * 10 + 30 * 2 * 10
    assert 2100 < len(networks) < 2300


def test_a_preview_leaves_fits_and_more_contexts_out(whole_values):
    plan = Plan(read_config(whole_values | {"preview": True}))
    families = {
        family for group in groups_of(plan) for grid, _ in group.grids for family in grid.families
    }
    assert not [family for family in families if "recruited" in family]
    assert not [family for family in families if "-n12-" in family or "-n13-" in family]


def network(**more):
    return lambda sweep: sweep["network"].update(more)


def task(**more):
    return lambda sweep: sweep.__setitem__("task", sweep["task"] | more)


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
    "several widths, which a figure would pool": (
        "heterogeneous_relu",
        network(width=[350, 700]),
        "figures.fig04.relu: found network.width 350, 700, allowed: one value",
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
