"""Which layers of networks are hidden ones."""

import pandas as pd


def hidden_layers(rows: pd.DataFrame) -> pd.Series:
    """Return how many hidden layers the network of each row has. After convolutions comes a full
    layer.

    >>> hidden_layers(pd.DataFrame({"network": ["mlp", "small_cnn"], "depth": [4, 4]})).tolist()
    [4, 5]
    """
    return rows["depth"] + rows["network"].eq("small_cnn").astype(int)
