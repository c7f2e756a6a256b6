"""The page of the atlas holds the numbers and geometries of the stored networks."""

import json
import re
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pytest
from stages import make

from repatlas import atlas
from repatlas.atlas.page import TEMPLATE
from repatlas.config.config import read_config
from repatlas.geometry import centred_kernel
from repatlas.workflow.plan import Plan

DATA = re.compile(r"^const data = (.*);$", re.MULTILINE)
SWEEP = {
    "task": {
        "kind": "separable",
        "inputs": 12,
        "delta": [0.0, 1.0],
        "noise_variance": [0.0, 1.0],
    },
    "network": {"activation": ["tanh", "relu"], "width": 8},
    "training": {"batch": 20, "samples": 40},
    "steps": [50],
    "seeds": 3,
    "measures": ["accuracy", "alignment", "parallelism"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A grid of four cells and two activations, with a separability that lacks a value of noise."""
    folder = tmp_path_factory.mktemp("page")
    partial = SWEEP | {"task": SWEEP["task"] | {"delta": 0.5, "noise_variance": 1.0}}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        plan = Plan(read_config({"sweeps": {"grid": SWEEP, "partial": partial}}))
        make(plan, *(name for name in plan.results if name.startswith("metrics")))
    return folder / plan.folder


@pytest.fixture(scope="module")
def data(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "atlas.html"
    atlas.write_page(path, results)
    return json.loads(DATA.search(path.read_text("utf-8"))[1])


def test_points_have_the_geometry_of_the_network(results, data):
    """The kernel of the drawn points is the centred kernel of the hidden layer, scaled."""
    networks = atlas.load(results, activation="relu", delta=1.0, noise_variance=1.0)
    for network, points in zip(networks, data["cells"][1][1][1]["each"], strict=True):
        kernel = centred_kernel(network.layers[-1])
        np.testing.assert_allclose(
            np.array(points) @ np.transpose(points), kernel / np.trace(kernel), atol=2e-3
        )


def test_the_numbers_are_the_medians_of_what_was_measured(results, data):
    chosen = atlas.networks(results).query("activation == 'tanh' and delta == 1")
    run = chosen[chosen["noise_variance"] == 0.0]["run"].unique()
    wanted = pc.field("run").isin(run) & (pc.field("measure") == "input_alignment")
    rows = atlas.results(results).to_table(filter=wanted).to_pandas()
    values = rows[rows["variant"] == "centres"]["value"]
    assert len(values) == 3
    median, low, high = data["cells"][0][1][0]["found"][1]
    assert median == pytest.approx(np.median(values), abs=1e-4)
    assert low is None and high is None  # three networks have no interval


def test_chance_is_drawn_where_the_measure_of_a_random_geometry_is(data):
    assert {curve["name"]: curve["chance"] for curve in data["curves"]} == {
        "Target alignment": None,
        "Input alignment": None,
        "Parallelism score": 0.0,
        "CCGP, noise of deviation 3": 0.5,
    }


def test_networks_without_a_grid_are_refused(results, tmp_path, monkeypatch):
    stored = atlas.load(results, activation=["tanh", "relu"])
    uneven = [n for n in stored if (n.about["activation"] == "tanh") == (n.about["delta"] == 0.0)]
    monkeypatch.setattr("repatlas.atlas.page.load", lambda *_, **__: uneven)
    with pytest.raises(ValueError, match="no separability with networks of all activations"):
        atlas.write_page(tmp_path / "atlas.html", results)
    assert not (tmp_path / "atlas.html").exists()


def test_the_published_page_draws_as_the_template_of_today():
    from jinja2 import Environment

    published = (Path(__file__).parents[2] / "docs/atlas.html").read_text("utf-8")
    data = json.loads(DATA.search(published)[1])
    template = Environment(autoescape=True).from_string(TEMPLATE.read_text("utf-8"))
    assert template.render(data=data) == published
    assert len(published) < 3e6
