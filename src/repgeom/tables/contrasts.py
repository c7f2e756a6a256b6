"""Paired differences between two kinds of network, with intervals over the networks."""

import pandas as pd

from repgeom.intervals import mean_interval


def contrast_rows(
    first: pd.DataFrame, second: pd.DataFrame, contrast: str, by: list[str]
) -> pd.DataFrame:
    """The mean of first - second over the seeds that both have, with its interval: one row for each
    combination of the columns `by`, which the two have in common.

    Each has one row at most for a combination and seed; those without a value (of networks that
    diverged, say) are left out with their partner.
    """
    pairs = first.merge(second, on=[*by, "seed"], suffixes=("", "_second"))
    pairs["difference"] = pairs["value"] - pairs["value_second"]
    pairs = pairs.dropna(subset="difference").sort_values([*by, "seed"])
    rows = []
    for values, group in pairs.groupby(by, dropna=False):
        interval = mean_interval(group["difference"].to_numpy())
        about = dict(zip(by, values, strict=True)) | {"contrast": contrast}
        rows.append(about | interval._asdict())
    return pd.DataFrame(rows, columns=[*by, "contrast", "value", "low", "high"])
