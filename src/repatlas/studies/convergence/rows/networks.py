"""What tables say of networks: which have learned, means, and where a curve reaches a value."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS

LEARNED = 0.99
"""Networks with a lower training accuracy at the end have not learned what they were shown."""


def accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """The training accuracy of each network at its last step: it says in a table which networks are
    left out, and how many."""
    own = rows[(rows["measure"] == "accuracy") & (rows["variant"] == "training")]
    return own[own["step"] == own.groupby("run")["step"].transform("max")]


def learned(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of networks that have learned."""
    return rows[_networks(rows, "").isin(_learned(rows))]


def both_learned(pairs: pd.DataFrame, rows: pd.DataFrame, least: float = LEARNED) -> pd.DataFrame:
    """The rows of pairs whose networks, both among those of `rows`, have learned: to this training
    accuracy; with 0, all that did not diverge."""
    found = _learned(rows, least)
    return pairs[_networks(pairs, "").isin(found) & _networks(pairs, "other_").isin(found)]


def means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean and standard deviation over networks, by kind of network and these columns."""
    grouped = rows.groupby(["run", *SETTINGS, *by], dropna=False, sort=False)["value"]
    found = grouped.agg(value="mean", sd="std").reset_index()
    return found.assign(contrast="mean")


def first_reached(places: np.ndarray, values: np.ndarray, level: float) -> float:
    """The place where values, in the order of places, first reach a level: interpolated in the
    logarithm of the place, or in the place itself after a place at 0. nan where they do not.

    >>> round(first_reached(np.array([0, 1, 4]), np.array([0.0, 0.5, 1.0]), 0.75), 6)
    2.0
    """
    reached = np.flatnonzero(values >= level)
    if not len(reached):
        return np.nan
    after = reached[0]
    if after == 0:
        return float(places[0])
    before = after - 1
    part = (level - values[before]) / (values[after] - values[before])
    if places[before] <= 0:
        return float(places[before] + part * (places[after] - places[before]))
    return float(places[before] * (places[after] / places[before]) ** part)


def _networks(rows: pd.DataFrame, side: str) -> pd.Series:
    """Run and seed of each row, as one text."""
    return rows[f"{side}run"].astype(str) + "/" + rows[f"{side}seed"].astype(str)


def _learned(rows: pd.DataFrame, least: float = LEARNED) -> set[str]:
    ends = accuracies(rows)
    return set(_networks(ends[ends["value"] >= least], ""))
