"""Tables of a user's arrays depend on what they draw, and on nothing else in the config."""

import csv

import numpy as np
import pytest
from stages import make

from repatlas.artifacts.files import read_table
from repatlas.config.config import read_config
from repatlas.workflow import code, scopes
from repatlas.workflow.plan import Plan

ARRAYS = {"arrays": "{layer}.npy", "rows": "rows.csv", "item": "item", "null_draws": 19}
ARRAYS |= {"variables": {"side": ["left", "right"]}}
NETWORKS = {
    "task": {"kind": "separable", "inputs": 10, "delta": 0.5},
    "network": {"activation": "tanh", "width": 8},
    "training": {"learning_rate": 0.1, "batch": 20, "samples": 60},
    "steps": [1],
    "seeds": 1,
    "measures": ["accuracy"],
}


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, layer in enumerate(("early", "late")):
        np.save(f"{layer}.npy", np.random.default_rng(number).standard_normal((12, 6)))
    with open("rows.csv", "w", newline="", encoding="utf-8") as file:
        rows = [(f"item{number}", ("left", "right")[number % 2]) for number in range(12)]
        csv.writer(file).writerows([("item", "side"), *rows])
    return {"study": "own", "measures": ["alignment"], "representations": {"mine": ARRAYS}}


def test_a_brace_called_layer_stays_text_beside_networks(own):
    own |= {"figures": {"over_layers": {"of": ["mine"]}}, "sweeps": {"networks": NETWORKS}}
    table = make(Plan(read_config(own)), "own/tables/over_layers.parquet")
    assert {*read_table(table, "table")[1]["layer"].to_pylist()} == {"early", "late"}


def test_an_edit_of_how_compared_arrays_are_labelled_makes_their_table_again(own):
    own["representations"]["other"] = ARRAYS
    own["compare"] = [{"between": ["mine", "other"], "measures": ["rsa"]}]
    own["figures"] = {"pairs": {"of": "mine-other"}}
    options = (found := Plan(read_config(own))).studies["own"].figures["pairs"]
    modules = scopes.figure("own", "pairs", found.grids_of("own", options))
    assert "repatlas.experiments.files.columns" in code.digests(*modules)
