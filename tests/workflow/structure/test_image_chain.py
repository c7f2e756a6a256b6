"""Networks on images, from a tiny config: what a change costs."""

import re
import socket

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
    """Change values in the sweep of networks on images."""
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


def test_images_to_be_fetched_without_a_network_end_in_one_sentence(fresh):
    fresh.use("images")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        source = {"folder": "data", "download": True, "url": url}
        change(fresh, data_set="fashion_mnist")
        fresh.edit_config(lambda config: config.update(image_sets={"fashion_mnist": source}))
        output = fresh.fail("--until", "prepare")
    assert "Traceback" not in output
    [sentence] = set(re.findall(r"^ *(repatlas .*: error: .*)$", output, re.MULTILINE))
    place = f"{url}/train-images-idx3-ubyte.gz"
    assert sentence.startswith(f"repatlas prepare: error: {place}: can't be fetched (")
    assert not list((fresh.folder / "data").iterdir())
    assert not list(fresh.results.glob("images/*"))
