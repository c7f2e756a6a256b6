"""Make the table of stored geometries of `look_up` again, from a whole run of `structure`.

python docs/tutorials/geometries.py [RESULTS]      writes geometries.parquet, in two minutes
"""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from repatlas.atlas import load
from repatlas.atlas.lookup import FEATURES, PROPERTIES, codes_of, features_of

NOISE = [0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
FOUR = {"task": "separable", "hidden_bias": "trained", "width": 120, "step": 2000}
FOUR |= {"delta": [i / 10 for i in range(11)], "noise_variance": NOISE, "seed": range(12)}
MANY = {"experiment": "clusters", "rank": [5, 26], "step": 23400}


def rows(results: str) -> Iterator[dict[str, Any]]:
    """Yield the settings and the geometry of the last hidden layer of each network."""
    for network in [*load(results, **MANY), *load(results, **FOUR)]:
        codes = codes_of(network.targets)
        layer = np.asarray(network.layers[-1], float)
        features = features_of(layer, codes, np.zeros(1)).tolist()
        kind = dict(zip(("conditions", "variables"), codes.shape, strict=True))
        about = {name: network.about.get(name) for name in [*PROPERTIES, "seed", "step", "run"]}
        yield kind | about | dict(zip(FEATURES, features, strict=True))


if __name__ == "__main__":
    pd.DataFrame(rows(*(sys.argv[1:] or ["results"]))).to_parquet("geometries.parquet")
