"""The preview trains a part of the whole, and keeps its measures, figures and steps."""

import pytest
from changed_configs import checkpoints, grid

from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan


@pytest.mark.parametrize("text", ["true", "True", True, "1"])
def test_preview_may_come_as_text_from_the_command_line(config_values, text):
    assert read_config(config_values | {"preview": text}).preview is True


@pytest.mark.parametrize("text", ["false", False])
def test_preview_may_be_turned_off_from_the_command_line(config_values, text):
    assert read_config(config_values | {"preview": text}).preview is False


def test_a_preview_takes_the_first_choices_of_an_axis_of_the_network(config_values):
    sweep = config_values["sweeps"]["noise"]
    sweep["network"]["activation"] = ["relu", "tanh"]
    sweep["preview"] = {"choices": 1}
    study = read_config(config_values | {"preview": True}).studies["structure"]
    assert study.sweeps["noise"][0].coarse().network.activation == ["relu"]


def test_a_preview_has_no_job_for_networks_that_it_leaves_out(config_values):
    config_values["sweeps"]["deep"]["preview"] = {"choices": 2}
    plan = Plan(read_config(config_values | {"preview": True}))
    groups = [result.what for result in plan.results.values() if result.stage == "train"]
    assert groups and all(group.networks(seed) for group in groups for seed in group.seeds)


def test_the_preview_is_a_part_of_the_whole(config_values):
    whole = checkpoints(Plan(read_config(config_values)))
    preview = checkpoints(Plan(read_config(config_values | {"preview": True})))
    assert preview < whole
    assert len(preview) < len(whole) / 10


def test_the_preview_keeps_the_measures_figures_and_steps(config_values):
    config = read_config(config_values | {"preview": True})
    (study,), (previewed,) = (each.studies.values() for each in (config, config.as_trained()))
    assert previewed.sweeps.keys() == study.sweeps.keys()
    for name, grids in study.sweeps.items():
        for whole, coarse in zip(grids, previewed.sweeps[name], strict=True):
            assert (coarse.measures, coarse.steps) == (whole.measures, whole.steps)
            assert coarse.seeds == whole.preview.seeds


@pytest.mark.parametrize(
    ("values", "chosen"),
    [(1, [0.0]), (2, [0.0, 1.0]), (3, [0.0, 0.5, 1.0]), (4, [0.0, 0.3, 0.7, 1.0]), (99, None)],
)
def test_a_preview_s_values_are_evenly_chosen_from_the_first_to_the_last(
    config_values, values, chosen
):
    config_values["sweeps"]["noise"]["preview"] = {"values": values}
    delta = grid(config_values, "noise").task.delta
    assert grid(config_values, "noise").coarse().task.delta == (chosen or delta)


def test_without_a_preview_each_sweep_is_whole(config_values):
    config = read_config(config_values)
    assert config.as_trained() == config
