"""The geometry of hidden layers at matched loss."""

import pandas as pd

from repatlas.experiments.items.columns import COLUMNS
from repatlas.measures.matched_geometry import LEVELS
from repatlas.studies.gating.rows.curves import NETWORK

MATCHED = (
    *("target_alignment", "input_alignment", "participation_ratio"),
    *("context_parallelism", "context_ccgp", "parallelism", "ccgp", "decoding"),
)


def at_levels(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at matched loss.

    `x` has the epoch, which differs between networks. As `step` it would separate rows that are
    compared.
    """
    matched = rows[rows["measure"].isin(MATCHED) & rows["layer"].isna()]
    return matched.assign(x=matched["step"].astype(float), step=pd.NA)


def not_reached(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of networks of each kind whose loss fell below each level (`variant`)."""
    reached = rows[(rows["measure"] == "target_alignment")]
    found = []
    for run, of_run in rows.groupby("run"):
        seeds = of_run["seed"].nunique()
        # A share belongs to no single network, so it has no step at which a network diverged.
        common = of_run.iloc[0][["run", *COLUMNS]].to_dict()
        for level in LEVELS:
            mine = reached[(reached["run"] == run) & (reached["variant"] == f"{level:g}")]
            share = mine["seed"].nunique() / seeds
            found.append(common | {"measure": "reached", "variant": f"{level:g}", "value": share})
    return pd.DataFrame(found)


def diverged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each network that diverged, so that figures can count it. Most have no row
    at matched loss. The value is the epoch."""
    lost = rows.dropna(subset="diverged_step").drop_duplicates(["run", "seed"])
    found = lost[[*NETWORK, "seed"]]
    return found.assign(measure="diverged", variant="", value=found["diverged_step"])
