"""Figure S6: networks on images, layer by layer."""

import pandas as pd

from repatlas.studies.structure.rows.images import effects

MEASURES = ("target_alignment", "input_alignment")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return both alignments at every layer, and the differences between the activations there."""
    lost = rows["images"]["variant"] == "diverged"
    shown = rows["images"][rows["images"]["measure"].isin(MEASURES) | lost]
    return pd.concat([shown, effects(shown)], ignore_index=True)
