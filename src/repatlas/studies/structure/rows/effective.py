"""The rows of effective weights in deep networks, and their gradient field (Figure S8)."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from repatlas.studies.structure.rows.trajectories import (
    DRAWN_SEED,
    GRID_POINTS,
    grid,
    plane,
    rows_on_plane,
)

UNITS = "positive readout"
"""The variant of a statistic over the units with a positive effective readout weight."""
UPDATES = {"field_agreement": "effective_update", "coupled_agreement": "coupled_update"}
"""What is compared with the change of effective weights, by the name of the cosine."""
IN_PLANE = ("intra", "inter")
LAYER = ["run", "seed", "layer"]
Statistics = Callable[[pd.DataFrame, np.ndarray], dict[str, float]]


def effective_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return statistics of each layer of each network, and its common_share at the last step.

    inter_selective: at the last step, the fraction of units whose inter-class part exceeds |intra|.

    angle_spread: at the last step, the standard deviation of the angle between effective weights
    and inter-class axis, in degrees.

    field_agreement: the cosine between the update that is expected at the first step and the change
    until the second step. Both are in the space of the centres. The value is the median over units
    that are measured at both steps.

    coupled_agreement: the same for the update that is expected if the weights of all layers change.

    own_share: at the first step, the length of the first of these updates divided by the length of
    the second. Lengths are over all units.
    """
    weights = metrics[metrics["measure"].isin(["effective_weight", *UPDATES.values()])]
    weights = weights[weights["value"].notna()]
    shares = metrics[metrics["measure"].isin(["common_share", "positive_share"])]
    shares = shares[shares["step"] == metrics["step"].max()]
    lost = metrics[metrics["variant"] == "diverged"]
    steps = np.sort(metrics["step"].unique())
    found = [*_per_layer(weights, steps[-1:], _at_the_end, steps[-1])]
    if len(steps) > 1:
        found += _per_layer(weights, steps[:2], _agreement, steps[-1])
    return pd.concat([pd.DataFrame(found), shares, lost], ignore_index=True)


def drawn_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the effective weights of the last layer of one network of each kind at all steps.

    There is also the gradient field at the first step, on a grid that holds these weights. Its
    arrows are divided by the longest one. Units are those with a positive effective readout weight
    at the last step. They have rows for the steps at which it is positive.
    """
    drawn = metrics[(metrics["seed"] == DRAWN_SEED) & metrics["value"].notna()]
    found = []
    for _, network in drawn.groupby("run"):
        last = network[network["layer"] == network["depth"]]
        weights = last[
            (last["measure"] == "effective_weight") & last["variant"].isin(IN_PLANE)
        ].assign(measure="weight")
        end = weights[weights["step"] == weights["step"].max()]
        weights = weights[weights["neuron"].isin(end["neuron"])]
        if len(weights):
            found += [weights, _field_rows(network, last, weights)]
    return pd.concat(found, ignore_index=True) if found else drawn.iloc[:0]


def _field_rows(network: pd.DataFrame, layer: pd.DataFrame, weights: pd.DataFrame) -> pd.DataFrame:
    # Not above: it imports scipy, and each config loads this file.
    from repatlas.dynamics.effective import OnAxes, effective_field

    first = network["step"].min()
    like = weights.iloc[0]
    centres = network[(network["measure"] == "centre") & (network["step"] == first)]
    places = grid(1.05 * weights["value"].abs().max(), GRID_POINTS)
    field = effective_field(
        places,
        plane(centres),
        OnAxes(*_parts(layer[layer["step"] == first])),
        np.sqrt(like["noise_variance"]),
        like["activation"],
    )
    longest = np.linalg.norm(field, axis=1).max()
    field = field / longest if longest > 0 else field
    return pd.concat(
        rows_on_plane(like, places, measure="field", variant=variant, value=values)
        for variant, values in zip(IN_PLANE, field.T, strict=True)
    )


def _parts(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the parts of the field that the units of a layer share, in the plane."""

    def values(measure: str) -> pd.DataFrame:
        return rows[rows["measure"] == measure].pivot_table(
            index="cluster", columns="variant", values="value"
        )

    pairs = [f"{axis}, {other}" for axis in IN_PLANE for other in IN_PLANE]
    drive = values("effective_drive")["mean"].to_numpy()
    images = values("effective_image")[list(IN_PLANE)].to_numpy()
    metric = values("effective_metric")[pairs].to_numpy().reshape(-1, 2, 2)
    return drive, images, metric


def _per_layer(
    weights: pd.DataFrame, steps: np.ndarray, statistics: Statistics, last: int
) -> Iterator[dict]:
    """Yield a row for each statistic of each layer of the networks that are measured at these
    steps; last: the step that the rows have."""
    for _, layer in weights.groupby(LAYER):
        if not set(steps) <= set(layer["step"]):
            continue
        like = layer.iloc[0].drop(["neuron", "value"]).to_dict() | {"step": last}
        for measure, value in statistics(layer, steps).items():
            if np.isfinite(value):
                yield like | {"measure": measure, "variant": UNITS, "value": value}


def _at_the_end(layer: pd.DataFrame, steps: np.ndarray) -> dict[str, float]:
    end = _wide(layer, "effective_weight", steps[-1])
    angle = np.degrees(np.arctan2(end["intra"], end["inter"]))
    return {
        "inter_selective": (end["intra"].abs() < end["inter"]).mean(),
        "angle_spread": angle.std(ddof=0),
    }


def _agreement(layer: pd.DataFrame, steps: np.ndarray) -> dict[str, float]:
    first, second = steps
    change = _wide(layer, "effective_weight", second) - _wide(layer, "effective_weight", first)
    change = change.dropna()
    own, coupled = (_wide(layer, update, first)[change.columns] for update in UPDATES.values())
    found = {"own_share": np.linalg.norm(own) / np.linalg.norm(coupled)}
    for measure, update in zip(UPDATES, (own, coupled), strict=True):
        one, other = update.loc[change.index].to_numpy(), change.to_numpy()
        lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        there = lengths > 0
        if there.any():
            cosines = (one * other).sum(axis=1)[there] / lengths[there]
            found[measure] = float(np.median(cosines))
    return found


def _wide(layer: pd.DataFrame, measure: str, step: int) -> pd.DataFrame:
    rows = layer[(layer["measure"] == measure) & (layer["step"] == step)]
    return rows.pivot_table(index="neuron", columns="variant", values="value")
