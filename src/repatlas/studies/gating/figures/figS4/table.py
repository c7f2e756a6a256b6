"""Figure S4: gates that clusters of units show."""

import pandas as pd

from repatlas.studies.gating.rows.curves import agreement_rows

GATES = ("gate_recall", "centroid", "gate_mass", "silhouette")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return gates as they were found, and the agreement of a fitted mean field.

    The mean field has the gates of all contexts except one. It is compared only with networks in
    which clusters found exactly these gates.
    """
    relu, fits = rows["relu"], rows.get("fits", rows["relu"][:0])
    parts = [each[each["measure"].isin(GATES)] for each in (relu, rows["linear"])]
    recalls = relu[(relu["measure"] == "gate_recall") & (relu["variant"] == "contexts")]
    whole = recalls[recalls["value"] == 1][["run", "seed"]]
    found = relu.merge(whole, on=["run", "seed"])
    parts.append(agreement_rows(fits, found, "relu", ("blocks", "contexts")))
    return pd.concat(parts, ignore_index=True)
