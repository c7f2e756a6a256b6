"""Figure 6: reshaped activations."""

import pandas as pd

from repatlas.studies.structure.rows.aligned import aligned_rows


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all steps. The figure draws one; the others show how the result depends on it."""
    return aligned_rows(rows["lines"])
