"""Groups of neurons that share their readout weights, by the signs of these: "++", "+0"."""

import pandas as pd


def group_names(table: pd.DataFrame) -> list[str]:
    """Return the groups of the readout; groups with weights to both outputs come first."""
    groups = table.loc[table["measure"] == "group_error", "variant"].unique()
    return sorted(groups, key=lambda name: ("0" in name, name))


def signs(group: str) -> str:
    """Return the name of a group with true minus signs, which are as wide as plus signs."""
    return group.replace("-", "\N{MINUS SIGN}")
