"""Figure S3: where the difference between activations vanishes or reverses."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.intervals import sign_change_interval
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, panel_rows

MEASURES = ("target_alignment", "parallelism", "ccgp")
REVERSED = ("target_alignment", "parallelism")
"""The measures whose change of sign is sought. CCGP is 0 for both activations over a range of
tasks."""
SIGN_CHANGE = f"{TANH_RELU} changes sign"
"""The value is the delta, or the alignment of inputs and targets, at which it does."""
SHARE = f"{SIGN_CHANGE}, share of networks"
TASK = [*GROUP, "kernel"]


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """The differences at every step, since the answer depends on the length of training."""
    parts = [
        part
        for role, axis in (("separability", "delta"), ("lines", "alignment"))
        for part in _parts(panel_rows(rows[role]), axis)
    ]
    return pd.concat(parts, ignore_index=True)


def _parts(rows: pd.DataFrame, axis: str) -> list[pd.DataFrame]:
    lost = rows["variant"] == "diverged"
    shown = rows[lost | rows["measure"].isin(MEASURES)]
    differences = tanh_minus_relu(not_diverged(shown), [*TASK, axis])
    reversible = differences[differences["measure"].isin(REVERSED)]
    changes = [
        change
        for values, group in reversible.groupby(TASK, dropna=False)
        for change in _sign_change(dict(zip(TASK, values, strict=True)), group, axis)
    ]
    return [
        shown,
        median_rows(differences, [*TASK, axis]).assign(contrast=TANH_RELU),
        pd.DataFrame(changes),
    ]


def _sign_change(about: dict, group: pd.DataFrame, axis: str) -> list[dict]:
    """The change of sign over networks that have all values of the axis, if there are two or
    more."""
    curves = group.pivot_table(index="seed", columns=axis, values="value").dropna()
    if not len(curves) or len(curves.columns) < 2:
        return []
    interval, share = sign_change_interval(curves.columns.to_numpy(), curves.to_numpy())
    return [
        about | {"contrast": SIGN_CHANGE} | interval._asdict(),
        about | {"contrast": SHARE, "value": share},
    ]
