"""A multiverse in the workflow: its settings share networks, and resume like other sweeps."""

from functools import partial

import pytest


def with_settings(number, config):
    rates = {"training.learning_rate": [0.1, 0.5, 1.0]}
    config["multiverse"] = {"settings": number, "choices": rates}


@pytest.mark.slow
def test_more_settings_train_their_networks_alone(project):
    project.edit_config(partial(with_settings, 2))
    # The first setting is the config itself: its networks are there.
    new = {"train": 2, "measure": 2, "tabulate": 3, "multiverse": 1}
    assert project.plan() == new
    project.run()
    assert {spec["training"]["learning_rate"] for spec in project.trained_specs()} == {0.5}
    page = (project.results / "structure/figures/multiverse.md").read_text()
    assert page.startswith("# The claims in 2 settings")
    assert project.plan() == {}
    project.edit_config(partial(with_settings, 3))
    assert project.plan() == new
