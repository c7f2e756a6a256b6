"""Singular values of pathways over training, and how large their maps become."""

import pandas as pd

from repatlas.studies.gating.rows.curves import NETWORK

EVERY = 40
"""Epochs between the points that are drawn."""
KEPT = 10
"""Singular values of each pathway that are drawn, the largest."""


def drawn_singular_values(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the singular values of one network of each kind."""
    found = rows[(rows["measure"] == "singular_value") & (rows["seed"] == 0)]
    return found[(found["step"] % EVERY == 0) & (found["neuron"] < KEPT)]


def norms_by_size(rows: pd.DataFrame) -> pd.DataFrame:
    """Return |M_p| of context pathways at the last epoch, as the mean over pathways of a size.

    `neuron` is the size. Each network also has the mean of size C - 1 divided by the largest of the
    others.
    """
    last = rows[rows["step"] == rows["step"].max()]
    found = last[(last["measure"] == "pathway_norm") & (last["variant"] != "common")]
    sized = found.assign(size=found["variant"].str.len())
    parts = []
    for (_, seed), of_one in sized.groupby(["run", "seed"]):
        about = of_one.iloc[0]
        common = about[NETWORK].to_dict() | {"seed": seed, "step": about["step"], "variant": ""}
        means = of_one.groupby("size")["value"].mean()
        parts += [
            common | {"measure": "norm_of_size", "neuron": size, "value": value}
            for size, value in means.items()
        ]
        winner = about["contexts"] - 1
        ratio = means[winner] / means.drop(winner).max()
        parts.append(common | {"measure": "size_ratio", "value": ratio})
    return pd.DataFrame(parts)
