"""Figure S7: neural collapse."""

import pandas as pd

from repatlas.studies.structure.rows.panels import accuracy_rows, at_step

MEASURES = (
    "nc1",
    "within_share",
    "nc3",
    "nc4",
    "class_cosine",
    "feature_norm",
)
NETWORK = ["run", "seed", "step", "measure", "variant", "deviation", "layer"]
"""Columns that tell the rows of one number: two sweeps may have a network in common."""


def per_network(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    sweep = rows["sweep"]
    parts = [at_step(sweep, sweep["step"].max()), rows["training"]]
    if "longer" in rows:
        parts.append(rows["longer"])
    shown = pd.concat([_collapse_rows(part) for part in parts], ignore_index=True)
    return shown.drop_duplicates(NETWORK, ignore_index=True)


def _collapse_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of collapse, target alignment at the centres, and accuracy."""
    is_alignment = (rows["measure"] == "target_alignment") & (rows["variant"] == "centres")
    lost = rows["variant"] == "diverged"
    kept = rows[rows["measure"].isin(MEASURES) | is_alignment | lost]
    return pd.concat([kept, accuracy_rows(rows[~lost])])
