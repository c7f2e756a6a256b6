"""The guard of every mean: it is over networks that differ in their seed alone."""

import pandas as pd

FOUND = {
    "seed",
    "value",
    "low",
    "high",
    "diverged_step",
    "converged_step",
    "intra",
    "inter",
    "x",
    "y",
    "text",
}
"""Columns of what was found, and the seed. All others tell kinds of networks or what was measured,
whatever a task may add to them."""
LAST = ("participation_ratio", "run")
"""Columns that follow from others; the others say better what differs."""


def refuse_mixed_kinds(rows: pd.DataFrame, by: list[str]) -> None:
    """Refuse rows that a figure would draw as one architecture, if they are from several.

    `by` are the columns that the figure shows or averages over. Rows with the same values in them
    must be equal in all other columns that distinguish networks or measures. Raises ValueError,
    which names the column and its values.
    """
    told = [name for name in rows if name not in FOUND and name not in by]
    kinds = rows[[*by, *told]].drop_duplicates()
    if not kinds.duplicated(by).any():
        return
    for name in sorted(told, key=LAST.__contains__):
        values = kinds[[*by, name]].drop_duplicates()
        several = values[values.duplicated(by, keep=False)]
        if len(several):
            found = several.merge(several[by].head(1))[name]
            raise ValueError(
                f"{name}: found {', '.join(found.map(str))} for what the figure shows as one kind"
                " of network, allowed: one value, since a mean is over seeds alone"
            )


def not_diverged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of networks that did not diverge."""
    return rows[rows["diverged_step"].isna()]
