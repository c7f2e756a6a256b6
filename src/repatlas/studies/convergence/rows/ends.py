"""How well networks do at the end."""

import pandas as pd


def last_accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies on the training and test images of each network, at its last step."""
    own = rows[rows["measure"] == "accuracy"]
    return own[own["step"] == own.groupby("run")["step"].transform("max")]
