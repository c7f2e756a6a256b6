"""What cannot work, since it is too large or too small, is refused before anything is trained."""

import copy

import pytest

from repatlas.config.config import ConfigError, read_config

IMAGES = {"experiment": "images", "data_set": "digits", "epochs": [0, 1], "seeds": 1}
IMAGES |= {"training": {}, "measures": ["alignment"]}
IMAGES |= {"network": {"architecture": "small_cnn", "activation": "relu", "width": 4}}
ALIGNED = {"kind": "aligned", "inputs": 10, "clusters": 8, "kernel": "random"}
NUMBERS = [
    ("sweeps.noise.steps.1", 2**31),
    ("sweeps.noise.seeds", 10**7),
    ("sweeps.noise.training.samples", 2**31),
    ("sweeps.noise.training.batch", 10**12),
    ("sweeps.noise.training.learning_rate", 1e39),
    ("sweeps.noise.training.learning_rate", 1e-320),
    ("sweeps.noise.task.noise_variance.0", 1e300),
    ("sweeps.draws.task.geometry.0", 2**31),
    ("decoders.train_samples", 10**12),
    ("decoders.test_samples", 10**15),
    ("decoders.regularisation", 1e300),
    ("decoders.test_deviations.0", 1e300),
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


def test_a_million_networks_of_a_seed_are_refused_at_once(values):
    put(values, "sweeps.delta.task.delta", [n / 500_000 for n in range(500_000)])
    with pytest.raises(ConfigError, match=r"sweeps.delta: found 1,000,000 networks of each seed, "):
        read_config(values)
