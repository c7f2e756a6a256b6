"""Figure 5: deep networks."""

import pandas as pd

from repatlas.studies.structure.rows.aligned import aligned_rows


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """All networks: those that did not converge have no converged_step."""
    return aligned_rows(rows["layers"])
