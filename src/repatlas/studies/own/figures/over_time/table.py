"""Decoding at one time by decoders of another time."""

import numpy as np
import pandas as pd

from repatlas.inference.intervals import median_interval
from repatlas.studies.own.rows import median_over_units

PER_CELL = ["representation", "label", "about", "cluster", "neuron", "line", "place"]


def tabulate(rows: dict[str, pd.DataFrame], step: None) -> pd.DataFrame:
    """Return the accuracy of each pair of times, and medians over units. `line` is the time of the
    fit, `place` the time of the test. p is for all pairs of times together: p_family."""
    own = rows["of"][rows["of"]["measure"] == "over_time"]
    own = own.assign(p_family=own["p"], p=np.nan)
    medians = []
    for keys, group in own[own["unit"].notna()].groupby(PER_CELL, sort=False):
        interval = median_interval(group["value"].to_numpy(dtype=float))
        medians.append(
            dict(zip(PER_CELL, keys, strict=True))
            | {"measure": "over_time"}
            | median_over_units(group, interval, int(group["value"].notna().sum()))
        )
        if np.isnan(interval.value):
            medians[-1]["reason"] = group["reason"].iloc[0]
    return pd.concat([own, pd.DataFrame(medians)], ignore_index=True)
