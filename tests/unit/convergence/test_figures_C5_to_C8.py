"""The sweeps and comparisons of Figures C5 to C8 in config/convergence.yaml."""

from pathlib import Path

import pytest
import yaml

from repatlas.config.config import ConfigError, read_config

CONFIG = Path(__file__).parents[3] / "config/convergence.yaml"
FIGURES = ("figC5", "figC6", "figC7", "figC8")


@pytest.fixture
def values():
    return yaml.safe_load(CONFIG.read_text())


def test_memorising_networks_are_those_that_generalise_but_for_their_labels(values):
    values["sweeps"]["memorising"]["task"]["images"] = 500
    with pytest.raises(ConfigError, match=r"found task.images 500, allowed: as in figures.figC7"):
        read_config(values)


def test_distances_that_a_figure_draws_are_measured(values):
    [widths] = [each for each in values["compare"] if each["between"] == ["widths"]]
    widths["similarities"] = ["together"]
    with pytest.raises(ConfigError, match=r"figC8.*lacks 'subsets'"):
        read_config(values)


def test_classes_of_two_kinds_of_networks_are_not_pooled(values):
    values["sweeps"]["narrow"]["network"]["width"] = [16, 32]
    with pytest.raises(ConfigError, match="found 2 kinds of networks on digits, allowed: one"):
        read_config(values)


@pytest.mark.parametrize("sweeps", ["unfrozen", "frozen", "generalising memorising", "corrupted"])
def test_medians_are_not_over_networks_of_two_activations(values, sweeps):
    for sweep in sweeps.split():
        network = values["sweeps"][sweep]["network"]
        values["sweeps"][sweep]["network"] = network | {"activation": ["relu", "tanh"]}
    with pytest.raises(ConfigError, match=r"network\.activation relu, tanh, allowed: one value"):
        read_config(values)
