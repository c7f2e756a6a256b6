"""Medians over networks and paired differences between two kinds of network, with intervals."""

import pandas as pd

from repatlas.inference.intervals import median_interval
from repatlas.inference.pooling import refuse_mixed_kinds

TANH_RELU = "tanh - relu"
SIGN_CHANGE = f"{TANH_RELU} changes sign"
"""The value is the first delta, or alignment of inputs and targets, at which it rises through 0."""

THRESHOLD = 0.75
"""A network has the geometry of the targets if its target alignment is at least this."""
REACHED = f"target alignment reaches {THRESHOLD:g}"
"""The value is the first delta at which it does."""


def median_rows(values: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the median over seeds with its interval, one row for each combination of columns `by`
    that has a value. The ends are nan for fewer than six seeds.

    `values` has at most one row for each combination and seed. Raises ValueError for rows of
    several kinds of network.
    """
    refuse_mixed_kinds(values, by)
    rows = []
    for about, group in values.dropna(subset="value").groupby(by, dropna=False):
        interval = median_interval(group["value"].to_numpy())
        rows.append(dict(zip(by, about, strict=True)) | interval._asdict())
    return pd.DataFrame(rows, columns=[*by, "value", "low", "high"])


def differences(first: pd.DataFrame, second: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return first - second for each combination of the columns `by` and seed that both have.

    Repeated rows of a combination and seed would all pair. Rows without a value, for example of
    networks that diverged, are left out with their partner.
    """
    for rows in (first, second):
        refuse_mixed_kinds(rows, by)
    pairs = first.merge(second, on=[*by, "seed"], suffixes=("", "_second"))
    pairs["value"] = pairs["value"] - pairs["value_second"]
    return pairs.dropna(subset="value")[[*by, "seed", "value"]]


def contrast_rows(
    first: pd.DataFrame, second: pd.DataFrame, contrast: str, by: list[str]
) -> pd.DataFrame:
    """Return the median of first - second over the seeds of both, with its interval.

    It has one row for each combination of the columns `by` that both have.
    """
    return median_rows(differences(first, second, by), by).assign(contrast=contrast)


def tanh_minus_relu(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the differences between the activations, one for each combination of the columns `by`
    and seed: the paper's effect."""
    tanh, relu = (rows[rows["activation"] == name] for name in ("tanh", "relu"))
    return differences(tanh, relu, by)
