"""Outputs of networks, to be drawn and compared."""

import numpy as np
import pandas as pd

from repatlas.dynamics.agreement import output_agreement
from repatlas.studies.gating.rows.curves import NETWORK

DRAWN_SEED = 0
"""Outputs are drawn of one network of each kind; numbers are of all."""


def outputs(rows: pd.DataFrame, variant: str = "all") -> pd.DataFrame:
    found = rows[(rows["measure"] == "output") & rows["value"].notna()]
    return found[found["variant"] == variant] if variant else found


def drawn_outputs(rows: pd.DataFrame, variant: str = "all") -> pd.DataFrame:
    """Return the outputs of the first network; an empty variant means all outputs."""
    found = outputs(rows, variant)
    return found[found["seed"] == DRAWN_SEED]


def output_agreement_rows(tested: pd.DataFrame, reference: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return how far outputs are from other networks' outputs, for the same seed and task.

    There are the relative squared error and the largest difference, at each epoch that both
    have.
    """
    found = []
    others = {
        (*key, seed, step): matrix for key, seed, step, _, matrix in _matrices(outputs(reference))
    }
    for key, seed, step, about, matrix in _matrices(outputs(tested)):
        other = others.get((*key, seed, step))
        if other is None:
            continue
        common = about | {"seed": seed, "step": step, "reference": name}
        values = output_agreement(matrix, other)._asdict()
        found += [
            common | {"measure": "output_agreement", "variant": variant, "value": value}
            for variant, value in values.items()
        ]
    return pd.DataFrame(found)


def _matrices(rows: pd.DataFrame):
    """Yield task, seed, epoch, settings, and outputs, (n_out, N), of each network and epoch."""
    for (_, seed, step), of_one in rows.groupby(["run", "seed", "step"], sort=False):
        first = of_one.iloc[0]
        matrix = np.zeros((int(of_one["neuron"].max()) + 1, int(of_one["cluster"].max()) + 1))
        matrix[of_one["neuron"].astype(int), of_one["cluster"].astype(int)] = of_one["value"]
        key = (first["blocks"], first["contexts"])
        yield key, int(seed), int(step), first[NETWORK].to_dict(), matrix
