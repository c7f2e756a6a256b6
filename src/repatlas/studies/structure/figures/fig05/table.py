"""Figure 5: deep networks."""

import pandas as pd

from repatlas.studies.structure.rows.aligned import aligned_rows

PARITY = "centres, parities"


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all networks. Networks that did not converge have no converged_step. No panel draws
    the variant of parities."""
    parts = [aligned_rows(rows["layers"])]
    if "parity" in rows:
        parity = rows["parity"]
        drawn = (parity["measure"] == "target_alignment") & (parity["variant"] == "centres")
        parts.append(parity[drawn].assign(variant=PARITY))
    return pd.concat(parts, ignore_index=True)
