"""Rows of measures along an axis, and medians over units."""

from typing import Any

import pandas as pd

from repatlas.inference.intervals import FEWEST, Interval, median_interval

DRAWN = ("alignment", "ccgp", "decoding", "dimensionality", "parallelism")
"""The measures that are one number, or one for each variable."""
UNSHOWN = ["run", "first_axis", "times", "statistic", "permuted"]
UNSHOWN += [f"other_{name}" for name in UNSHOWN[:3]]
"""What tables are made of, and do not have."""
PER_CURVE = ["representation", "line", "place", "measure", "about"]


def shown_columns(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows without the columns that tables do not have."""
    return rows.drop(columns=UNSHOWN, errors="ignore")


def along(rows: pd.DataFrame, axes: dict[str, str | None]) -> pd.DataFrame:
    """Return the values of all measures with their place on an axis, and medians over units.

    axes: the brace that is the axis, for each set of representations. `line` has the values of the
    other braces.
    """
    shown = rows[rows["draw"].isna() & rows["measure"].isin(DRAWN)].copy()
    shown["about"] = shown["about"].fillna("")
    shown["axis"] = shown["representation"].map(axes)
    shown["place"] = [str(row[row["axis"]]) for _, row in shown.iterrows()]
    shown["line"] = [
        _without(label, str(row[row["axis"]]), row["axis"])
        for label, (_, row) in zip(shown["label"], shown.iterrows(), strict=True)
    ]
    return shown_columns(pd.concat([shown, _over_units(shown)], ignore_index=True))


def _without(label: str, place: str, axis: str) -> str:
    """Return a label without the value of the axis."""
    own = place if axis == "layer" else f"{axis} {place}"
    parts = label.split(", ")
    return ", ".join(part for part in parts if part != own)


def _over_units(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the median over units for each place on each curve of several units.

    If there are six units or more, it has its exact 95 % interval.
    """
    found = []
    for keys, group in rows[rows["unit"].notna()].groupby(PER_CURVE, sort=False):
        interval = median_interval(group["value"].to_numpy(dtype=float))
        number = int(group["value"].notna().sum())
        found.append(
            dict(zip(PER_CURVE, keys, strict=True))
            | {"axis": group["axis"].iloc[0]}
            | median_over_units(group, interval, number)
        )
    return pd.DataFrame(found)


def median_over_units(rows: pd.DataFrame, interval: Interval, units: int) -> dict[str, Any]:
    """Return the columns of a median's row that follow from its interval and its number of
    units."""
    return {
        "order": rows["order"].min(),
        "variant": f"median over units, {rows['variant'].iloc[0]}",
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "chance": rows["chance"].median(),
        "n": units,
        "of": "units",
        "reason": None if units >= FEWEST else f"{units} units, {FEWEST} needed",
    }
