"""XoR: which solutions networks have, and where one gives way to the other."""

import numpy as np
import pandas as pd

from repatlas.studies.gating.rows.curves import NETWORK

RATE = 0.02
"""Step size of the networks on XoR, whose losses are compared with a formula."""


def last_units(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of mass of units that are on at one item alone, at the last epoch.

    The number of patterns of items is there, too.
    """
    last = rows[rows["step"] == rows["step"].max()]
    of_one = (last["measure"] == "items_share") & (last["neuron"] == 1)
    return last[of_one | (last["measure"] == "patterns")]


def crossing_rows(units: pd.DataFrame) -> pd.DataFrame:
    """Return where the share of units at one item falls through one half, for each seed.

    It also returns the width of delta over which the share falls from 3/4 to 1/4. A seed has a
    network for each delta. `x` is 1 / ln(1 / sigma) for the crossing, and ln ln(1 / sigma) for the
    logarithm of the width.
    """
    shares = units[units["measure"] == "items_share"]
    found = []
    for (sigma, seed), curve in shares.groupby(["sigma", "seed"]):
        ordered = curve.sort_values("delta")
        delta, share = ordered["delta"].to_numpy(), ordered["value"].to_numpy()
        at = {level: falls_through(delta, share, level) for level in (0.75, 0.5, 0.25)}
        log = np.log(1 / sigma)
        width = at[0.25] - at[0.75]
        common = ordered.iloc[0][NETWORK].to_dict() | {"delta": None, "seed": seed, "variant": ""}
        common["run"] = f"{ordered.iloc[0]['run']}, every delta"
        found += [
            common | {"measure": "crossing", "value": at[0.5], "x": 1 / log},
            common | {"measure": "width", "value": width, "x": 1 / log},
            common | {"measure": "log width", "value": _log(width), "x": np.log(log)},
        ]
    return pd.DataFrame(found)


def _log(width: float) -> float:
    return float(np.log(width)) if width > 0 else float("nan")


def falls_through(x: np.ndarray, y: np.ndarray, level: float) -> float:
    """Return the first place where a curve goes from a level or above to below it.

    It is interpolated linearly, and nan if the curve never does.
    """
    falls = np.flatnonzero((y[:-1] >= level) & (y[1:] < level))
    if not len(falls):
        return float("nan")
    i = falls[0]
    return float(x[i] + (x[i + 1] - x[i]) * (y[i] - level) / (y[i] - y[i + 1]))
