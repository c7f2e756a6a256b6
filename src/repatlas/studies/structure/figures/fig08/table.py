"""Figure 8: constraints on the readout."""

from itertools import combinations

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, panel_rows

TOGETHER = ["measure"]


def per_network(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return panel_rows(rows["sweep"])


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the effect of the activation for each readout, and its differences between
    readouts."""
    effects = tanh_minus_relu(not_diverged(rows), [*GROUP, "readout"])
    of = {name: group.drop(columns="readout") for name, group in effects.groupby("readout")}
    between = [
        contrast_rows(of[other], of[one], f"{TANH_RELU}, {other} - {one}", GROUP)
        for one, other in combinations(of, 2)
    ]
    medians = median_rows(effects, [*GROUP, "readout"]).assign(contrast=TANH_RELU)
    return pd.concat([medians, *between], ignore_index=True)
