"""Figure S4: gates that clusters of units show."""

import pandas as pd

from repatlas.studies.gating.rows.curves import agreement_rows

GATES = ("gate_recall", "centroid", "gate_mass", "silhouette")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Gates as they were found; and where a mean field with the gates of all contexts but one was
    fitted, how well it agrees with networks in which clusters found just these: no more is said of
    gates that were not all found."""
    relu, fits = rows["relu"], rows.get("fits", rows["relu"][:0])
    parts = [each[each["measure"].isin(GATES)] for each in (relu, rows["linear"])]
    recalls = relu[(relu["measure"] == "gate_recall") & (relu["variant"] == "contexts")]
    whole = recalls[recalls["value"] == 1][["run", "seed"]]
    found = relu.merge(whole, on=["run", "seed"])
    parts.append(agreement_rows(fits, found, "relu", ("blocks", "contexts")))
    return pd.concat(parts, ignore_index=True)
