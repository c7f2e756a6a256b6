"""Where the difference between activations changes sign (Figures 2B and S3)."""

import pandas as pd

from repatlas.inference.contrasts import REACHED, SIGN_CHANGE, THRESHOLD
from repatlas.inference.intervals import sign_change_interval

SHARE = f"{SIGN_CHANGE}, share of networks"


def sign_change_rows(differences: pd.DataFrame, by: list[str], axis: str) -> pd.DataFrame:
    """Return where the differences of pairs of networks first rise through 0 along the column
    `axis`.

    There is a row for each combination of the columns `by`, and the share of pairs that rise so.
    """
    rows = [
        row
        for values, group in differences.groupby(by, dropna=False)
        for row in _sign_change(dict(zip(by, values, strict=True)), group, axis)
    ]
    return pd.DataFrame(rows)


def threshold_rows(alignment: pd.DataFrame, by: list[str], axis: str) -> pd.DataFrame:
    """Return where the target alignment of networks first reaches THRESHOLD along the column
    `axis`.

    There is a median over networks for each combination of the columns `by`.
    """
    above = alignment.assign(value=alignment["value"] - THRESHOLD)
    found = sign_change_rows(above, by, axis)
    if not len(found):
        return found
    return found[found["contrast"] == SIGN_CHANGE].assign(contrast=REACHED)


def _sign_change(about: dict, group: pd.DataFrame, axis: str) -> list[dict]:
    """Return the change of sign over networks that have all values of the axis, if two or more
    have."""
    curves = group.pivot_table(index="seed", columns=axis, values="value").dropna()
    if not len(curves) or len(curves.columns) < 2:
        return []
    interval, share = sign_change_interval(curves.columns.to_numpy(), curves.to_numpy())
    return [
        about | {"contrast": SIGN_CHANGE} | interval._asdict(),
        about | {"contrast": SHARE, "value": share},
    ]
