"""One network of each shape tells the families of all networks of a grid."""

import math
from pathlib import Path

import pytest

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.config.shapes import thinned

CONFIG = Path(__file__).parents[2] / "config"


@pytest.mark.parametrize("study", ["structure", "gating", "convergence", "law", "theories"])
def test_each_family_of_a_grid_has_a_network_of_each_shape(study):
    config = read_config(load([CONFIG / f"{study}.yaml"]).values)
    for _, name, sweep in config.sweeps():
        few, values = thinned(sweep)
        assert {spec.family for spec in few.specs()} == {*sweep.families}, name
        number = len(sweep.specs()) / len(few.specs())
        assert number == math.prod(values.values()), name
