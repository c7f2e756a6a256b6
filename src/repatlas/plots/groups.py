"""Groups of neurons that share their readout weights, by the signs of these: "++", "+0"."""

import pandas as pd


def group_names(table: pd.DataFrame) -> list[str]:
    """The groups of the readout; those that speak to both outputs come first."""
    groups = table.loc[table["measure"] == "group_error", "variant"].unique()
    return sorted(groups, key=lambda name: ("0" in name, name))


def signs(group: str) -> str:
    """The name of a group with true minus signs, which are as wide as the others."""
    return group.replace("-", "\N{MINUS SIGN}")
