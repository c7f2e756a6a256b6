"""Figure 6: two hidden layers."""

import numpy as np
import pandas as pd

from repatlas.studies.gating.rows.curves import agreement_rows, curves_of, reference_rows, thinned
from repatlas.studies.gating.rows.outputs import drawn_outputs, output_agreement_rows

EVERY = 20
"""Epochs between the points of curves."""
STEEPEST = 0.1
"""The share of epochs in which the loss falls most."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated, shallow = rows["relu"], rows["gated"], rows["shallow"]
    shallow = shallow[shallow["contexts"] == relu["contexts"].iloc[0]]
    return pd.concat(
        [
            *(thinned(each, EVERY) for each in (relu, gated)),
            agreement_rows(gated, relu, "relu", ("contexts",)),
            reference_rows(relu),
            *(stage_rows(each) for each in (relu, gated)),
            *(drawn_outputs(each) for each in (relu, gated)),
            output_agreement_rows(gated, relu, "relu"),
            *(_at_end(each) for each in (relu, shallow)),
        ],
        ignore_index=True,
    )


def _at_end(rows: pd.DataFrame) -> pd.DataFrame:
    shown = rows["measure"].isin(["linearity", "active_share", "layer_alignment"])
    return rows[shown & (rows["step"] == rows.loc[shown, "step"].max())]


def stage_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each network: the fraction of the total fall of its loss that falls in the
    steepest tenth of epochs."""
    found = []
    for about, seeds, _, curves in curves_of(rows):
        for seed, curve in zip(seeds, curves, strict=True):
            common = about.to_dict() | {"seed": seed}
            falls = np.sort(-np.diff(curve))[::-1]
            steepest = falls[: round(STEEPEST * len(falls))].sum()
            fall = curve[0] - curve[-1]
            share = float(steepest / fall) if fall > 0 else np.nan
            found.append(common | {"measure": "steepest_share", "variant": "", "value": share})
    return pd.DataFrame(found)
