"""Figure S2: the paper's simplified dynamics, compared with standard training."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.studies.structure.rows.panels import GROUP, PANELS, panel_rows

CONTRAST = "simplified - standard"
DISTANCE = f"{CONTRAST}, mean distance over training, over that of the other activation"
OTHER = {"tanh": "relu", "relu": "tanh"}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the measures of every network and the effect of the activation in each training.

    The difference between the two trainings is there for each step, and their mean distance over
    training.
    """
    simplified, standard = (panel_rows(rows[role]) for role in ("simplified", "standard"))
    by = [*GROUP, "activation"]
    both = not_diverged(simplified), not_diverged(standard)
    kinds = [*GROUP, "readout", "errors"]
    effects = [
        median_rows(tanh_minus_relu(kind, kinds), kinds).assign(contrast=TANH_RELU) for kind in both
    ]
    differences = contrast_rows(*both, CONTRAST, by)
    return pd.concat(
        [simplified, standard, *effects, differences, _distances(*both)], ignore_index=True
    )


def _distances(simplified: pd.DataFrame, standard: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance over the steps of the simplified dynamics from standard training,
    divided by the mean distance between standard training of the two activations."""
    of_step, of_network = [*GROUP, "activation", "seed"], [*GROUP, "activation", "seed"]
    of_network.remove("step")
    own = standard.loc[standard["measure"].isin(PANELS), [*of_step, "value"]]
    other = own.assign(activation=own["activation"].map(OTHER))
    found = simplified[[*of_step, "value"]].merge(own, on=of_step, suffixes=("", "_own"))
    found = found.merge(other, on=of_step, suffixes=("", "_other"))
    distances = found.assign(
        near=(found["value"] - found["value_own"]).abs(),
        far=(found["value_other"] - found["value_own"]).abs(),
    )
    means = distances.groupby(of_network, dropna=False)[["near", "far"]].mean().reset_index()
    means = means[means["far"] > 0]
    ratios = means.assign(value=means["near"] / means["far"])[[*of_network, "value"]]
    return median_rows(ratios, of_network[:-1]).assign(contrast=DISTANCE)
