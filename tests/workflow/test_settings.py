"""A multiverse in the workflow: its settings share networks, and resume like other sweeps."""

from functools import partial

import pytest


def with_settings(number, config):
    rates = {"training.learning_rate": [0.1, 0.5, 1.0]}
    config["multiverse"] = {"settings": number, "choices": rates}


@pytest.mark.slow
def test_more_settings_train_their_networks_alone(project):
    for number, rate in ((2, 0.5), (3, 1.0)):
        project.edit_config(partial(with_settings, number))
        assert project.plan()["multiverse"] == 1
        project.run()
        # The first setting is the config itself: its networks are there.
        assert {each["training"]["learning_rate"] for each in project.trained_specs()} == {rate}
        page = (project.results / "structure/figures/multiverse.md").read_text()
        assert page.startswith(f"# The claims in {number} settings")
        assert project.plan() == {}
