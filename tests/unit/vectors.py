"""Read what other implementations computed; tests/vectors/README.json says which and how."""

import json
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).parents[1] / "vectors"


def inputs(name):
    return np.load(VECTORS / f"{name}_inputs.npz")


def expected(name):
    """Return the expected values, case by case."""
    return json.loads((VECTORS / f"{name}_expected.json").read_text())
