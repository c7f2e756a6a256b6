"""What tables say of networks: which have learned, means, and where a curve reaches a value."""

import numpy as np
import pandas as pd

from repatlas.experiments.classification.columns import COLUMNS

LEARNED = 0.99
"""Networks with a lower training accuracy at the end have not learned what they were shown."""
LEARNED_OF = {"fashion_mnist": 0.8, "cifar10": 0.5}
"""The training accuracy of networks that have learned, for data sets that are not learned by heart.
Ten passes over the 60,000 images of Fashion-MNIST end at an accuracy of about 0.9. The limit of
photographs is five times chance, and was set before any network was trained on them."""


def accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the training accuracy of each network at its last step. In a table it shows which
    networks are left out, and how many."""
    own = rows[(rows["measure"] == "accuracy") & (rows["variant"] == "training")]
    return own[own["step"] == own.groupby("run")["step"].transform("max")]


def have_learned(ends: pd.DataFrame) -> pd.Series:
    """Return True for each network that has learned, from its row of `accuracies`."""
    return ends["value"] >= _least(ends)


def limits(ends: pd.DataFrame) -> str:
    """Return the accuracies below which networks of these data sets have not learned.

    >>> limits(pd.DataFrame({"data_set": ["fashion_mnist", "digits", "digits"]}))
    '80% or 99%'
    """
    return " or ".join(f"{least:.0%}" for least in sorted(_least(ends).unique()))


def learned(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of networks that have learned."""
    return rows[_networks(rows, "").isin(_learned(rows))]


def both_learned(
    pairs: pd.DataFrame, rows: pd.DataFrame, least: float | None = None
) -> pd.DataFrame:
    """Return the rows of pairs whose networks have both learned, according to `rows`.

    They have learned if they have this training accuracy or, if none is given, the limit of their
    data set. With 0, all that did not diverge have learned.
    """
    found = _learned(rows, least)
    return pairs[_networks(pairs, "").isin(found) & _networks(pairs, "other_").isin(found)]


def means(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the mean and the standard deviation over networks, by architecture and these
    columns."""
    grouped = rows.groupby(["run", *COLUMNS, *by], dropna=False, sort=False)["value"]
    found = grouped.agg(value="mean", sd="std").reset_index()
    return found.assign(contrast="mean")


def first_reached(places: np.ndarray, values: np.ndarray, level: float) -> float:
    """Return the place where values, in the order of places, first reach a level, or nan.

    It is interpolated in the logarithm of the place, or in the place itself after a place at 0.

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
    """Return run and seed of each row, as one text."""
    return rows[f"{side}run"].astype(str) + "/" + rows[f"{side}seed"].astype(str)


def _least(ends: pd.DataFrame) -> pd.Series:
    return ends["data_set"].astype(str).map(LEARNED_OF).astype(float).fillna(LEARNED)


def _learned(rows: pd.DataFrame, least: float | None = None) -> set[str]:
    ends = accuracies(rows)
    enough = have_learned(ends) if least is None else ends["value"] >= least
    return set(_networks(ends[enough], ""))
