"""Figure S3: where the difference between activations vanishes or reverses."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, accuracy_rows, panel_rows
from repatlas.studies.structure.rows.sign_changes import sign_change_rows

MEASURES = ("target_alignment", "parallelism", "ccgp")
REVERSED = ("target_alignment", "parallelism")
"""The measures whose change of sign is sought. CCGP is 0 for both activations over a range of
tasks."""
TASK = [*GROUP, "kernel"]


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the differences at every step, since the answer depends on the length of training."""
    parts = [
        part
        for role, axis in (("separability", "delta"), ("lines", "alignment"))
        for part in _parts(panel_rows(rows[role]), axis)
    ]
    if "clipped" in rows:
        clipped = panel_rows(rows["clipped"])
        parts += [clipped[clipped["measure"].isin(MEASURES)], accuracy_rows(clipped)]
    return pd.concat(parts, ignore_index=True)


def _parts(rows: pd.DataFrame, axis: str) -> list[pd.DataFrame]:
    lost = rows["variant"] == "diverged"
    shown = rows[lost | rows["measure"].isin(MEASURES)]
    differences = tanh_minus_relu(not_diverged(shown), [*TASK, axis])
    reversible = differences[differences["measure"].isin(REVERSED)]
    return [
        shown,
        accuracy_rows(rows),
        median_rows(differences, [*TASK, axis]).assign(contrast=TANH_RELU),
        sign_change_rows(reversible, TASK, axis),
    ]
