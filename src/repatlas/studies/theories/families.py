"""The families of networks that theories predict."""

import pandas as pd

CLUSTERS = {"separable": "clusters", "common_separable": "common clusters"}
SMALL = 0.01
"""ReLU networks on contexts from smaller initial weights have the closed form of pathways."""
FAMILIES = (
    *("clusters tanh", "clusters relu", "common clusters tanh", "common clusters relu"),
    *("contexts linear", "contexts relu", "contexts relu, large start"),
    *("contexts tanh", "contexts tanh, large start", "xor relu", "xor tanh"),
)
"""All families, in the order in which they are shown."""


def family_of(row: pd.Series) -> str:
    """Return the family of a network with these settings.

    >>> family_of(pd.Series({"task": "contexts", "network": "tanh", "sigma": 1.0}))
    'contexts tanh, large start'
    """
    name = f"{CLUSTERS.get(row['task'], row['task'])} {row['network']}"
    large = row["task"] == "contexts" and row["sigma"] is not None and row["sigma"] >= 1
    return f"{name}, large start" if large else name
