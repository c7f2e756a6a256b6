"""A user's arrays in an empty folder, and a config that names them."""

import csv
from pathlib import Path

import numpy as np
import pytest

ITEMS = 24


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def arrays():
    """Two layers of three networks (seeds), on 24 items of four conditions."""
    rng = np.random.default_rng(0)
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], ITEMS // 4, axis=0)
    with Path("items.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "side", "colour"])
        for item, (side, colour) in enumerate(codes):
            writer.writerow([f"i{item}", ["left", "right"][side], ["blue", "red"][colour]])
    for seed in range(3):
        for layer in ("conv", "fc"):
            values = codes @ rng.standard_normal((2, 8)) + rng.standard_normal((ITEMS, 8))
            Path("acts", str(seed)).mkdir(parents=True, exist_ok=True)
            np.save(f"acts/{seed}/{layer}.npy", values)


@pytest.fixture
def values():
    """The values of a config."""
    network = {
        "arrays": "acts/{seed}/{layer}.npy",
        "rows": "items.csv",
        "item": "item",
        "unit": "seed",
        "variables": {"side": ["left", "right"], "colour": ["blue", "red"]},
        "null_draws": 19,
    }
    return {
        "study": "own",
        "representations": {"network": network},
        "measures": ["alignment", "parallelism"],
        "compare": [
            {"between": ["network", "network"], "measures": ["alignment"], "permutations": 19}
        ],
        "figures": {"over_layers": {"of": ["network"]}, "pairs": {"of": "network-network"}},
    }
