"""Networks on images, from a tiny config: what a change costs."""

import re

import pytest

pytestmark = pytest.mark.slow

DRAWING = {"plot": 2, "judge": 1}
"""Jobs, by rule: Figures 4C and S6, and the claims."""


@pytest.fixture(scope="module")
def drawn(results_of):
    return results_of("images")


@pytest.fixture
def project(drawn, tmp_path):
    """A project with all results, to change."""
    project = drawn.clone(tmp_path / "project")
    yield project
    project.remove()


def test_everything_is_made_and_fresh(drawn):
    assert drawn.plan() == {}
    assert drawn.verify()[0] == 0


def change(project, **values):
    project.edit_config(lambda config: config["sweeps"]["digits"].update(values))


def test_more_epochs_continue_the_networks(project):
    change(project, epochs=[0, 5])
    assert project.plan() == {"train": 2, "measure": 2} | DRAWING
    project.run()
    logs = project.train_logs()
    assert len(logs) == 2  # one for each seed
    for log in logs:
        epochs = re.findall(r"^(\w+), .*: epoch (\d+) of", log.read_text(), re.M)
        # Each job begins at another network.
        assert sorted(epochs) == [(name, n) for name in ("relu", "tanh") for n in "45"]
    table = project.table("fig04C")
    networks = table[table["architecture"].notna() & table["contrast"].isna()]
    assert set(networks["step"]) == {0, 5}
    assert project.plan() == {}


def test_an_edit_of_a_data_set_makes_nothing_of_networks_on_clusters_again(project):
    file = "images/data_sets/digits.py"
    project.edit_source(file, "digits.target.astype", "digits['target'].astype")
    assert project.plan() == {"prepare": 1, "train": 2, "measure": 2} | DRAWING
