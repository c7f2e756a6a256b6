"""The geometry of hidden layers at matched loss."""

import pandas as pd

from repatlas.measures.matched_geometry import LEVELS
from repatlas.studies.gating.rows.curves import NETWORK

MATCHED = (
    *("target_alignment", "input_alignment", "participation_ratio"),
    *("context_parallelism", "context_ccgp", "parallelism", "ccgp", "decoding"),
)


def not_reached(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of networks of each kind whose loss fell below each level (`variant`)."""
    reached = rows[(rows["measure"] == "target_alignment")]
    found = []
    for run, of_run in rows.groupby("run"):
        seeds = of_run["seed"].nunique()
        common = of_run.iloc[0][NETWORK].to_dict()
        for level in LEVELS:
            mine = reached[(reached["run"] == run) & (reached["variant"] == f"{level:g}")]
            share = mine["seed"].nunique() / seeds
            found.append(common | {"measure": "reached", "variant": f"{level:g}", "value": share})
    return pd.DataFrame(found)
