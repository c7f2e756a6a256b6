"""Figure C3: directions versus neurons."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS
from repatlas.studies.convergence.rows.networks import (
    accuracies,
    both_learned,
    first_reached,
    means,
)

ENOUGH = 0.99
"""The fraction of the accuracy of the whole layer, or of the directions that are cut."""
CORRELATION = 0.95
CUT = "svcca, orthogonal, cut to m neurons"
CUT_OF = 10
"""Directions whose neurons are counted."""
SHOWN = (8, 16, 32, 64, 128)
"""Neurons that directions are cut to in the drawing."""
LIKE = {
    "svcca, orthogonal": ("random neurons, others at mean", "largest neurons, others at mean"),
    "svcca, least squares": ("random neurons, regressed", "largest neurons, regressed"),
}
"""The neurons that directions are compared with, decoded in the same way."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    found = both_learned(rows["directions"], networks)
    found = found[found["step"] == found["step"].max()]
    drawn = found[(found["variant"] != CUT) | found["unit"].isin(SHOWN)]
    by = ["comparison", "step", "layer", "items", "measure", "variant", "at", "unit"]
    return pd.concat(
        [means(drawn, by), needed_rows(found), accuracies(networks)],
        ignore_index=True,
    )


def needed_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return these numbers for each network and layer, with the comparison's variants:

    "needed": the number of directions, or neurons, for 99 % of the accuracy with the whole layer.
    It is the width of the layer if this accuracy is not reached.
    "needed_ratio": the number for SVCCA divided by the number for the variant, both with the same
    decoder.
    "neurons_of_a_direction": the share of the layer's neurons that the first 10 directions need on
    average to correlate by 0.95 with the full directions.
    "neurons_per_direction": the neurons for 99 % of the accuracy with 10 directions, divided by 10.
    All are interpolated in the logarithm of the number.
    """
    found = []
    for _, of_one in rows.groupby(["run", "seed", "layer"], sort=False):
        found += _needed(of_one)
    return pd.DataFrame(found)


def _needed(rows: pd.DataFrame) -> list[dict]:
    about = rows.iloc[0][["comparison", "run", "seed", "step", "layer", "items", *SETTINGS]]
    accuracy = rows[rows["measure"] == "accuracy"]
    [whole] = accuracy[accuracy["variant"] == "whole"].itertuples()
    width, level = float(whole.at), ENOUGH * whole.value
    curves = accuracy[~accuracy["variant"].isin(["whole", CUT])]
    needed = {
        name: _reached(curve, "at", level, width) for name, curve in curves.groupby("variant")
    }
    found = [("needed", name, value) for name, value in needed.items()]
    for name, others in LIKE.items():
        for other in others:
            if name in needed and other in needed:
                found.append(("needed_ratio", other, needed[name] / needed[other]))
    correlation = rows[rows["measure"] == "cut_correlation"]
    neurons = _reached(correlation, "at", CORRELATION, width)
    found.append(("neurons_of_a_direction", "svcca", neurons / width))
    uncut = curves[(curves["variant"] == "svcca, orthogonal") & (curves["at"] == CUT_OF)]
    cut = accuracy[(accuracy["variant"] == CUT) & (accuracy["at"] == CUT_OF)]
    if len(uncut):
        neurons = _reached(cut, "unit", ENOUGH * uncut["value"].iloc[0], width)
        found.append(("neurons_per_direction", "svcca, orthogonal", neurons / CUT_OF))
    names = ("measure", "variant", "value")
    return [about.to_dict() | dict(zip(names, each, strict=True)) for each in found]


def _reached(curve: pd.DataFrame, along: str, level: float, width: float) -> float:
    """Return where a curve first reaches a level, or the width if it does not; nan without
    values."""
    curve = curve.dropna(subset="value").sort_values(along)
    if not len(curve):
        return np.nan
    values = curve["value"].to_numpy(float)
    place = first_reached(curve[along].to_numpy(float), values, level)
    return width if np.isnan(place) else place
