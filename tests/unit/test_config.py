"""A config is read as its author means it, with defaults for what it leaves out."""

import pytest
from changed_configs import change

from repatlas.config.config import ConfigError, StyleSettings, read_config
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.workflow.plan import Plan

ACTIVATIONS = {name: activation_of(name) for name in names("networks.activations")}


def test_every_activation_has_a_colour_of_its_own_by_default():
    colours = StyleSettings().colours
    assert colours.keys() == ACTIVATIONS.keys()
    assert len(set(colours.values())) == len(colours)


def test_a_colour_that_is_chosen_leaves_the_others_as_they_are(config_values):
    change(config_values, "style.colours.relu", "#123456")
    found = read_config(config_values).style.colours
    assert found == StyleSettings().colours | {"relu": "#123456"}
    assert StyleSettings().colours["relu"] != "#123456"


def test_a_figure_may_draw_what_another_draws(config_values):
    config_values["figures"]["mine"] = config_values["figures"]["fig08"] | {"draw": "fig08"}
    results = Plan(read_config(config_values)).results
    mine, theirs = (results[f"structure/figures/{n}.pdf"].recipe for n in ("mine", "fig08"))
    assert {name for name in mine if mine[name] != theirs[name]} == {"figure", "title"}


def test_a_figure_of_no_figure_s_name_is_refused(config_values):
    config_values["figures"]["mine"] = {"sweep": "readouts"}
    with pytest.raises(ConfigError, match=r"figures.mine.draw: found 'mine', allowed: fig01"):
        read_config(config_values)


def test_a_sweep_changes_the_settings_of_the_decoders_that_it_names(small_values):
    small_values["decoders"] = {"train_samples": 40, "test_samples": 48}
    for sweep in small_values["sweeps"].values():
        sweep["decoders"] = {"test_samples": 56}
    config = read_config(small_values)
    [noise] = config.studies["structure"].sweeps["noise"]
    found = config.decoders_of(noise)
    assert (found.train_samples, found.test_samples) == (40, 56)
