"""The networks of a sweep, in groups of a few seeds."""

import pytest

from repatlas.config.config import read_config
from repatlas.workflow.groups import groups_of, sweeps_of
from repatlas.workflow.plan import Plan


@pytest.fixture
def groups(small_values):
    """Return the groups of a sweep with these changes, of a config that draws no figure."""
    del small_values["figures"]

    def groups(sweep, **changes):
        values = small_values["sweeps"][sweep] | changes
        for key in {*changes.get("each", [{}])[0]}:
            del values[key]
        small_values["sweeps"][sweep] = values
        study = read_config(small_values).studies["structure"]
        return [*groups_of("structure", sweep, sweeps_of(study)[sweep])]

    return groups


def test_seeds_are_on_a_fixed_grid_so_one_more_seed_changes_one_group(groups):
    found = {n: [(g.label, g.seeds) for g in groups("noise", seeds=n)] for n in (4, 5, 9)}
    assert found[4] == [("seeds-0", [0, 1, 2, 3])]
    assert found[5] == [("seeds-0", [0, 1, 2, 3]), ("seeds-4", [4])]
    assert found[9][:2] == [("seeds-0", [0, 1, 2, 3]), ("seeds-4", [4, 5, 6, 7])]


def test_a_sweep_of_several_grids_wants_a_network_once_with_the_steps_and_measures_of_all(groups):
    """The second grid has a seed less."""
    noise = {"kind": "separable", "inputs": 12, "noise_variance": 1.0}
    one = {"task": noise | {"delta": [0.0, 0.5]}, "steps": [0, 2, 5], "measures": ["alignment"]}
    other = {"task": noise | {"delta": 0.5}, "steps": [1, 5], "measures": ["ccgp"], "seeds": 1}
    (group,) = groups("noise", each=[one, other])
    both, alone = group.networks(0), group.networks(1)
    assert len(both) == len(alone) == 4
    for run in both.values():
        if run.spec.task.delta == 0.5:
            assert run.steps == [0, 1, 2, 5]
            assert run.measures == {"alignment": [0, 2, 5], "ccgp": [1, 5]}
        else:
            assert (run.steps, run.measures) == ([0, 2, 5], {"alignment": [0, 2, 5]})
    assert {tuple(run.measures) for run in alone.values()} == {("alignment",)}


def test_more_may_be_measured_at_some_of_the_steps(groups):
    more = {2: ["ccgp", "decoding", "parallelism"], 5: ["ccgp"]}
    (group,) = groups("noise", measures=["alignment"], more_measures=more)
    for run in group.networks(0).values():
        assert run.measures == {
            "alignment": [0, 2, 5],
            "ccgp": [2, 5],
            "decoding": [2],
            "parallelism": [2],
        }


def test_networks_on_images_are_a_job_for_each_seed(config_values):
    plan = Plan(read_config(config_values))
    of_images = [r.what for n, r in plan.results.items() if n.startswith("runs/")]
    of_images = [group for group in of_images if group.experiment == "images"]
    assert of_images
    assert all(len(group.seeds) == 1 for group in of_images)
