"""What cannot work, since it is too large or too small, is refused before anything is trained."""

import copy
from pathlib import Path

import pytest

from repatlas.config.config import ConfigError, read_config
from repatlas.config.shapes import SHAPE
from repatlas.operations import sizes
from repatlas.operations.allocation import (
    Networks,
    measuring_allocation,
    shapes,
    training_allocation,
    units_of,
)
from repatlas.operations.expected import expected_files
from repatlas.plan.plan import Plan
from repatlas.record import Refused

IMAGES = {"experiment": "images", "data_set": "digits", "epochs": [0, 1], "seeds": 1}
IMAGES |= {"training": {}, "measures": ["alignment"]}
IMAGES |= {"network": {"architecture": "small_cnn", "activation": "relu", "width": 4}}
ALIGNED = {"kind": "aligned", "inputs": 10, "clusters": 8, "kernel": "random"}
NUMBERS = [
    ("sweeps.noise.steps.1", 2**31),
    ("sweeps.noise.steps.1", 10**30),
    ("sweeps.noise.seeds", 10**7),
    ("sweeps.noise.training.samples", 2**31),
    ("sweeps.noise.training.batch", 10**12),
    ("sweeps.noise.training.learning_rate", 1e39),
    ("sweeps.noise.training.learning_rate", 1e300),
    ("sweeps.noise.training.learning_rate", 1e-320),
    ("sweeps.noise.training.stop_below", 1e-320),
    ("sweeps.noise.task.noise_variance.0", 1e300),
    ("sweeps.noise.task.noise_variance.0", 1e-320),
    ("sweeps.draws.task.geometry.0", 2**31),
    ("decoders.train_samples", 10**12),
    ("decoders.test_samples", 10**15),
    ("decoders.regularisation", 1e300),
    ("decoders.regularisation", 1e-320),
    ("decoders.test_deviations.0", 1e300),
    ("decoders.test_deviations.0", 1e-320),
    ("sweeps.digits.epochs.1", 2**31),
    ("sweeps.digits.network.width", 10**9),
    ("sweeps.digits.training.learning_rate", 1e-320),
]


@pytest.fixture
def values(small_values):
    """A config with a sweep of every kind."""
    draws = {
        "task": ALIGNED | {"geometry": [0, 1, 2]},
        "network": {"activation": "relu", "width": 8},
    }
    small_values["sweeps"]["draws"] = small_values["sweeps"]["delta"] | draws
    small_values["decoders"]["test_deviations"] = [1.0, 3.0]
    small_values["sweeps"]["digits"] = copy.deepcopy(IMAGES)
    return small_values


def put(values, path, value):
    *folders, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for folder in folders:
        values = values[folder]
    values[last] = value


def test_they_are_valid(values):
    read_config(values)


@pytest.mark.parametrize(("path", "value"), NUMBERS)
def test_a_number_is_refused_that_no_column_or_no_network_holds(values, path, value):
    put(values, path, value)
    with pytest.raises(ConfigError) as refused:
        read_config(values)
    sentence = str(refused.value)
    assert f"found {value!r}, allowed: " in sentence
    assert "\n" not in sentence


def test_ten_thousand_test_deviations_are_refused(values):
    put(values, "decoders.test_deviations", [1 + n / 1000 for n in range(10_000)])
    with pytest.raises(ConfigError, match=r"test_deviations: allowed: a list of at most 100$"):
        read_config(values)


LARGE = {
    "steps": (
        {"sweeps.deep.steps.1": 2 * 10**9},
        "sweeps.deep: found networks of one seed, one job, whose training takes some ",
    ),
    "samples": (
        {"sweeps.deep.training.samples": 10**9},
        "sweeps.deep: found networks of one seed, one job, whose training takes some 401 GB,"
        " allowed: 16, what this machine has;",
    ),
    "batch": (
        {"sweeps.deep.training.samples": 10**7, "sweeps.deep.training.batch": 10**7},
        "sweeps.deep: found networks of one seed, one job, whose training takes some ",
    ),
    "network": (
        {"sweeps.deep.network.width": 100_000, "sweeps.deep.steps": [0, 1]},
        "sweeps.deep: found networks of one seed, one job, whose training takes some ",
    ),
    "training of decoders": (
        {"decoders.train_samples": 10**9},
        "sweeps.deep, decoders: found networks of one seed, one job, whose measuring takes some ",
    ),
    "tests of decoders": (
        {"decoders.test_samples": 10**9},
        "sweeps.deep, decoders: found networks of one seed, one job, whose measuring takes some"
        " 401 GB, allowed: 16,",
    ),
    "network on images": (
        {"sweeps.digits_small.network.width": 100_000},
        "sweeps.digits_small: found networks of one seed, one job, whose training takes some ",
    ),
}


@pytest.fixture
def planned(config_values):
    """Plan a part of config.yaml with these changes."""

    def planned(changes, **more):
        sweeps = {name: config_values["sweeps"][name] for name in ("deep", "digits_small")}
        values = copy.deepcopy(config_values | {"sweeps": sweeps, "figures": {}})
        for path, value in changes.items():
            put(values, path, value)
        return Plan(read_config(values | more))

    return planned


@pytest.fixture
def check(planned, monkeypatch):
    """Check a part of config.yaml with these changes, on a machine with 16 GB."""
    monkeypatch.setattr(sizes, "gigabytes", lambda: 16)

    def check(changes, on_cluster=False, **more):
        plan = planned(changes, **more)
        sizes.check_sizes(plan, expected_files(plan), "config.yaml", on_cluster)

    return check


@pytest.mark.parametrize("preview", [False, True])
def test_what_the_repository_computes_may_start_on_a_small_machine(
    config_values, monkeypatch, preview
):
    monkeypatch.setattr(sizes, "gigabytes", lambda: 2)
    plan = Plan(read_config(config_values | {"preview": preview}))
    sizes.check_sizes(plan, expected_files(plan), "config.yaml", on_cluster=False)


@pytest.mark.parametrize(("changes", "words"), LARGE.values(), ids=LARGE)
def test_a_job_of_too_much_is_refused_with_its_estimate(check, changes, words):
    with pytest.raises(ConfigError) as refused:
        check(changes)
    sentence = str(refused.value)
    assert words in sentence
    assert sentence.startswith("config.yaml: ")
    assert sentence.endswith("; `--config anyway=true` tries it all the same")
    assert "\n" not in sentence


def test_what_a_larger_machine_computed_is_not_refused(planned, check, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    changes = LARGE["tests of decoders"][0]
    expected = expected_files(planned(changes))
    for wanted in expected.values():
        wanted.path.parent.mkdir(parents=True, exist_ok=True)
        wanted.path.touch()
    check(changes)
    of_clusters = Path("results/metrics/clusters")
    [one, *_] = [path for path in expected if of_clusters in path.parents]
    expected[one].path.unlink()
    with pytest.raises(ConfigError, match="whose measuring takes some"):
        check(changes)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sweeps.deep.steps.1": 2 * 10**9}, "the largest numbers are steps 2,000,000,000, "),
        ({"sweeps.deep.training.samples": 10**9}, "are training.samples 1,000,000,000, "),
        ({"decoders.train_samples": 10**9}, "are train_samples 1,000,000,000, "),
    ],
)
def test_a_refused_job_names_the_keys_with_the_largest_numbers(check, changes, named):
    with pytest.raises(ConfigError) as refused:
        check(changes)
    assert named in str(refused.value)


@pytest.mark.parametrize(("changes", "words"), LARGE.values(), ids=LARGE)
def test_who_says_so_may_start_it_anyway(check, changes, words):
    check(changes, anyway=True)


def test_on_a_cluster_the_memory_of_this_machine_does_not_count(check):
    check({"sweeps.deep.training.samples": 10**9}, on_cluster=True)


def test_on_a_cluster_more_than_any_node_has_is_refused(check):
    with pytest.raises(ConfigError, match="GB, allowed: 4,000, what a node has;"):
        check({"sweeps.deep.network.width": 100_000, "sweeps.deep.steps": [0]}, on_cluster=True)


def test_that_it_is_allowed_anyway_changes_no_job(config_values):
    plans = [Plan(read_config(config_values | {"anyway": anyway})) for anyway in (False, True)]
    first, second = (expected_files(plan) for plan in plans)
    assert first == second


def test_the_networks_of_one_shape_ask_together_for_what_they_ask_for_each(values):
    plan = Plan(read_config(values))
    shard = next(shard for shard in plan.shards if shard.family.startswith("aligned"))
    sweep = plan.studies["structure"].sweeps["draws"][0]
    train, measure = plan.train_job(shard), plan.measure_job(shard)
    few = shapes(sweep, dict(sweep), shard.family)
    each = [Networks(*run) for run in measure.wanted().values()]
    assert len(few) < len(each) == sum(networks.number for networks in few)
    decoders = plan.config.decoders
    training = sum(n.size.training(n.spec, n.steps[-1], {}) for n in each)
    measuring = sum(n.size.measuring(n.spec, n.measures, decoders, {}) for n in each)
    assert (units_of("train", train.text), units_of("measure", measure.text)) == (
        training,
        measuring,
    )
    assert training_allocation(few) == training_allocation(each)
    assert measuring_allocation(few, decoders) == measuring_allocation(each, decoders)


def test_an_axis_that_tells_families_apart_and_is_not_named_is_refused(check, monkeypatch):
    monkeypatch.setattr("repatlas.config.shapes.SHAPE", SHAPE - {"width"})
    with pytest.raises(Refused, match=r"config/shapes.py: found no axis in SHAPE that tells fam"):
        check({"sweeps.deep.network.width": [32, 64]})


def test_a_million_networks_of_a_seed_are_refused_at_once(values):
    put(values, "sweeps.delta.task.delta", [n / 500_000 for n in range(500_000)])
    with pytest.raises(ConfigError, match=r"sweeps.delta: found 1,000,000 networks of each seed, "):
        read_config(values)
