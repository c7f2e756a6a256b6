"""Figure C5: layers that are frozen in the course of training."""

import pandas as pd

from repatlas.experiments.classification.training import SCHEDULES
from repatlas.studies.convergence.rows.hidden import hidden_layers
from repatlas.studies.convergence.rows.networks import learned

EVERY = 2
"""Passes between the points of curves."""
ARM = ["frozen", "passes"]


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the table with all networks whose layers are frozen.

    If they learn less, that is an effect of freezing. Without them only the best would be left.
    """
    frozen = rows["frozen"]
    unfrozen = rows_by_length(rows["unfrozen"], lengths(frozen))
    ends = [at_the_end(frozen), at_the_end(unfrozen)]
    everything = [*ends, gains(*ends), curves(pd.concat([frozen, unfrozen])), schedules(frozen)]
    return pd.concat([part for part in everything if len(part)], ignore_index=True)


def lengths(frozen: pd.DataFrame) -> dict[int, int]:
    """Return the last step of training by the number of passes."""
    return frozen.groupby("passes")["step"].max().to_dict()


def rows_by_length(unfrozen: pd.DataFrame, lengths: dict[int, int]) -> pd.DataFrame:
    """Return the rows of networks without frozen layers, once for each length of training.

    Rows are up to its last step, with its `passes`. The networks are the same for each length.
    Networks that have not learned by its end are left out of it.
    """
    measured = set(unfrozen.loc[unfrozen["measure"] == "accuracy", "step"])
    parts = [
        learned(unfrozen[unfrozen["step"] <= last]).assign(passes=passes)
        for passes, last in lengths.items()
        if last in measured
    ]
    return pd.concat(parts) if parts else unfrozen[:0]


def at_the_end(rows: pd.DataFrame) -> pd.DataFrame:
    """Return accuracies and the share of gradients saved, at the last step of each length of
    training."""
    own = rows[rows["measure"].isin(["accuracy", "saved_gradients"])]
    return own[own["step"] == own.groupby(ARM, dropna=False)["step"].transform("max")]


def gains(frozen: pd.DataFrame, unfrozen: pd.DataFrame) -> pd.DataFrame:
    """Return test accuracy with frozen layers minus the accuracy without, for the same seed."""
    tests = [ends[(ends["measure"] == "accuracy") & (ends["variant"] == "test")]
             for ends in (frozen, unfrozen)]  # fmt: skip
    none = tests[1][["passes", "seed", "value"]].rename(columns={"value": "without"})
    found = tests[0].merge(none, on=["passes", "seed"])
    gain = found.assign(measure="gain", value=found["value"] - found["without"])
    return gain.drop(columns="without")


def curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return test accuracy over training, at some of the ends of passes: the mean and the standard
    deviation over networks."""
    own = rows[(rows["measure"] == "accuracy_curve") & (rows["variant"] == "test")]
    steps = sorted(own["step"].unique())
    drawn = own[own["step"].isin(steps[::EVERY])]
    by = [*ARM, "activation", "width", "depth", "data_set", "network", "step", "measure", "variant"]
    grouped = drawn.groupby(by, dropna=False, sort=False)["value"]
    found = grouped.agg(value="mean", sd="std").reset_index()
    return found.assign(contrast="mean")


def schedules(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fraction of training at which each layer with weights is frozen.

    The last layer never is, and has no row.
    """
    found = []
    kinds = rows.assign(layers=hidden_layers(rows) + 1)[["frozen", "depth", "layers"]]
    for frozen, depth, layers in kinds.drop_duplicates().itertuples(index=False):
        found += [
            {"measure": "frozen_from", "variant": "schedule", "frozen": frozen, "layer": layer,
             "depth": depth, "value": SCHEDULES[frozen](layer / layers)}
            for layer in range(1, int(layers))
        ]  # fmt: skip
    return pd.DataFrame(found)
