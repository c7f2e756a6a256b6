"""How well networks do at the end."""

import pandas as pd


def last_accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """On the images that each network was trained on and on the test images, at its last step."""
    own = rows[rows["measure"] == "accuracy"]
    return own[own["step"] == own.groupby("run")["step"].transform("max")]
