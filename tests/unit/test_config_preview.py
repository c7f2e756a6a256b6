"""The preview trains a part of the whole, and keeps its measures, figures and steps."""

import pytest
from changed_configs import checkpoints, grid

from repatlas.artifacts.recipes.networks import trains
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan


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
    jobs = [plan.train_job(shard) for shard in plan.shards if trains(shard.experiment)]
    assert all(job.wanted() for job in jobs)


def test_the_preview_is_a_part_of_the_whole(config_values):
    whole = checkpoints(Plan(read_config(config_values)))
    preview = checkpoints(Plan(read_config(config_values | {"preview": True})))
    assert preview < whole
    assert len(preview) < len(whole) / 10


def test_the_preview_keeps_the_measures_figures_and_steps(config_values):
    config = read_config(config_values | {"preview": True})
    for (_, name, whole), (_, same, coarse) in zip(
        config.sweeps(), config.as_trained().sweeps(), strict=True
    ):
        assert (same, coarse.measures, coarse.steps) == (name, whole.measures, whole.steps)
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
