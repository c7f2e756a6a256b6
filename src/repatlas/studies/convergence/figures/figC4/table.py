"""Figure C4: learning dynamics."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS
from repatlas.studies.convergence.rows.networks import (
    accuracies,
    first_reached,
    learned,
    means,
)

ENDING = "_to_end"
SHOWN = (0.0, 0.35, 0.75, 1.0)
"""The parts of training at which all pairs of layers are shown: at the checkpoints closest by."""
FIRST, LAST = 0.05, 0.5
"""The parts of training between which the order of layers is judged."""
LEVEL = 0.95
FLOOR = " floor"
KEPT = "kept_directions"


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    found = to_end(learned(networks))
    is_floor = found["variant"].str.endswith(FLOOR)
    floors, curves = found[is_floor].assign(variant="floor"), found[~is_floor].assign(variant="")
    itself = curves[curves["layer"] == curves["other_layer"]]
    steps = _closest(curves)
    maps = curves[curves["measure"].isin(["pwcca", "svcca"]) & curves["step"].isin(steps)]
    others = maps[maps["layer"] != maps["other_layer"]]
    measured = itself[itself["measure"] != KEPT]
    moved = progress(measured[measured["measure"] == "pwcca"])
    by = ["measure", "variant", "items", "step", "at", "layer", "other_layer", "other_step"]
    return pd.concat(
        [
            means(pd.concat([others, itself, floors, moved]), by),
            order_rows(pd.concat([measured, moved])),
            time_rows(measured[measured["measure"] == "pwcca"]),
            accuracies(networks),
        ],
        ignore_index=True,
    )


def to_end(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the similarities of layers with layers at the end, and the directions that SVCCA
    keeps.

    `other_layer` is the number of the layer at the end, and `at` the fraction of training.
    """
    rows = rows[rows["measure"].str.endswith(ENDING) | (rows["measure"] == KEPT)]
    last = rows.groupby("run")["step"].transform("max")
    return rows.assign(
        measure=rows["measure"].str.removesuffix(ENDING),
        items=rows["variant"].str.removesuffix(FLOOR),
        other_layer=rows["unit"],
        other_step=last,
        at=(rows["step"] / last).astype(float),
        unit=None,
    )


def progress(rows: pd.DataFrame) -> pd.DataFrame:
    """Return (s_t - s_0) / (1 - s_0) of each layer, as the variant "progress".

    A layer that could not progress is left out.
    """
    start = rows[rows["step"] == 0]
    start = start.set_index(["run", "seed", "layer"])["value"]
    own = pd.MultiIndex.from_frame(rows[["run", "seed", "layer"]])
    first = start.reindex(own).to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (rows["value"] - first) / (1 - first)
    return rows.assign(variant="progress", value=value)[first < 1 - 1e-9]


def order_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return "order_of_layers", Kendall's tau of a hidden layer's depth and its similarity at the
    end.

    The similarity is between the layer and itself at the end. tau is the mean over the steps from 5
    % to 50 % of training. It is below 0 if layers converge from the bottom up. The variant names
    the similarity.
    """
    from scipy.stats import kendalltau

    hidden = rows[_hidden(rows) & rows["at"].between(FIRST - 1e-9, LAST + 1e-9)]
    found = []
    for about, of_one in hidden.groupby(["run", "seed", "measure", "variant"], sort=False):
        taus = [kendalltau(g["layer"], g["value"]).statistic for _, g in of_one.groupby("step")]
        name = " ".join(part for part in about[2:] if part)
        found.append(_of(of_one, "order_of_layers", name) | {"value": float(np.mean(taus))})
    return pd.DataFrame(found)


def time_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return "time_to_0.95": the fraction of training after which a layer first has this
    similarity to itself at the end."""
    found = []
    for (_, _, layer, name), of_one in rows.groupby(["run", "seed", "layer", "measure"]):
        curve = of_one.sort_values("at")
        value = first_reached(curve["at"].to_numpy(float), curve["value"].to_numpy(float), LEVEL)
        found.append(_of(of_one, f"time_to_{LEVEL}", name) | {"layer": layer, "value": value})
    return pd.DataFrame(found)


def _of(rows: pd.DataFrame, measure: str, variant: str) -> dict:
    """Return the columns of a row that is about one network."""
    about = rows.iloc[0][["run", "seed", "items", *SETTINGS]].to_dict()
    return about | {"measure": measure, "variant": variant}


def _hidden(rows: pd.DataFrame) -> pd.Series:
    return rows["layer"].between(1, rows["depth"])


def _closest(rows: pd.DataFrame) -> list[int]:
    """Return the checkpoints at which all pairs of layers are shown."""
    places = rows.drop_duplicates("step")
    return [
        int(places.loc[(places["at"] - part).abs().idxmin(), "step"])
        for part in SHOWN
        if len(places)
    ]
