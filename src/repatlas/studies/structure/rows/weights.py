"""What the input weights of all networks of a sweep changes, a number for each network."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from repatlas.studies.structure.rows.trajectories import class_errors, plane

POSITIVE = "positive readout"
"""The variant of a statistic over all neurons with a positive readout weight."""


def weight_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return statistics of each network over its neurons with a positive readout weight, at the
    last step:

    angle_spread     standard deviation of the angle between weights and inter-class axis, degrees.
    intra_kept       correlation of the signs of their intra-class parts before and after training.
    intra_movement   mean |change of intra| divided by mean |change of inter|.
    inter_energy     as in energy_rows.
    intra_fell       fraction of these neurons for which training lowers |intra|.
    inter_rose       fraction of these neurons for which training raises inter.

    The two fractions are also there for neurons that start with |intra| above |inter|, and for the
    others (variants "starts intra-class" and "starts inter-class").
    """
    moved = _per_network(_weights(metrics), _spread_and_movement)
    changed = [_per_network(_weights(metrics), _changes(start), start) for start in STARTS]
    return pd.concat([moved, energy_rows(metrics), *changed], ignore_index=True)


def energy_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return inter_energy, sum of inter^2 / sum of (inter^2 + intra^2), of each network's last
    step.

    The sums are over neurons with a positive readout weight.
    """
    return _per_network(_weights(metrics), _energy, steps_needed=1)


def update_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the cosine between the update that is expected before training and the change of
    weights.

    The change is until the next step at which both are measured. The value is the median over
    neurons of each network.
    """
    rows = metrics[metrics["measure"].isin(["expected_update", "position"])]
    rows = rows[rows["value"].notna()].copy()
    rows["variant"] = rows["measure"] + " " + rows["variant"]
    return _per_network(rows, _agreement, until=1)


def expected_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return expected_intra_movement: mean |intra| divided by mean |inter| of the expected update.

    Equation 1 gives the update of each network's neurons before training.
    """
    # Not above: it imports scipy, and each config loads this file.
    from repatlas.dynamics.field import gradient_field

    places = metrics[metrics["measure"].isin(["weight", "centre"]) & metrics["value"].notna()]
    found = []
    for _, network in places.groupby(["run", "seed"]):
        first = network[network["step"] == network["step"].min()]
        weights = first[first["measure"] == "weight"].pivot_table(
            index="neuron", columns="variant", values="value"
        )
        like = first.iloc[0].drop(["neuron", "cluster", "value"])
        centres = plane(first[first["measure"] == "centre"])
        update = gradient_field(
            weights[["intra", "inter"]].to_numpy(),
            centres,
            class_errors(len(centres)),
            np.sqrt(like["noise_variance"]),
            like["activation"],
        )
        intra, inter = np.abs(update).mean(axis=0)
        about = {"measure": "expected_intra_movement", "variant": POSITIVE}
        found.append(like.to_dict() | about | {"value": intra / inter})
    return pd.DataFrame(found)


def _weights(metrics: pd.DataFrame) -> pd.DataFrame:
    return metrics[(metrics["measure"] == "weight") & metrics["value"].notna()]


def _per_network(
    rows: pd.DataFrame,
    changes: Callable[[pd.DataFrame, pd.DataFrame], dict[str, float]],
    variant: str = POSITIVE,
    until: int = -1,
    steps_needed: int = 2,
) -> pd.DataFrame:
    """Return the result of `changes` for each network's rows at its first step and at step number
    `until`."""
    found = []
    for _, network in rows.groupby(["run", "seed"]):
        wide = network.pivot_table(index=["step", "neuron"], columns="variant", values="value")
        steps = wide.index.get_level_values("step").unique().sort_values()
        if len(steps) < steps_needed:
            continue
        last = steps[until]
        like = network[network["step"] == last].iloc[0].drop(["neuron", "value"])
        for measure, value in changes(wide.loc[steps[0]], wide.loc[last]).items():
            if not np.isfinite(value):  # for example, if all signs are equal
                continue
            about = {"measure": measure, "variant": variant, "value": value}
            found.append(like.to_dict() | about)
    return pd.DataFrame(found)


def _spread_and_movement(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    angle = np.degrees(np.arctan2(after["intra"], after["inter"]))
    signs = np.sign(before["intra"]), np.sign(after["intra"])
    moved = (after - before).abs().mean()
    return {
        "angle_spread": angle.std(ddof=0),
        "intra_kept": signs[0].corr(signs[1]),
        "intra_movement": moved["intra"] / moved["inter"] if moved["inter"] > 0 else np.nan,
    }


def _energy(_: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    energy = (after**2).sum()
    return {"inter_energy": energy["inter"] / (energy["inter"] + energy["intra"])}


STARTS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    POSITIVE: lambda before: before["intra"].notna(),
    "starts intra-class": lambda before: before["intra"].abs() > before["inter"].abs(),
    "starts inter-class": lambda before: before["intra"].abs() <= before["inter"].abs(),
}
"""Neurons by where their weights start, for each variant."""


def _changes(start: str) -> Callable[[pd.DataFrame, pd.DataFrame], dict[str, float]]:
    def changes(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
        chosen = STARTS[start](before)
        fell = after["intra"].abs() < before["intra"].abs()
        return {
            "intra_fell": fell[chosen].mean(),
            "inter_rose": (after["inter"] > before["inter"])[chosen].mean(),
        }

    return changes


def _agreement(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    expected = before.filter(like="expected_update ").to_numpy()
    place = [name for name in before if name.startswith("position ")]
    change = (after[place] - before[place]).to_numpy()
    cosines = (expected * change).sum(axis=1) / (
        np.linalg.norm(expected, axis=1) * np.linalg.norm(change, axis=1)
    )
    return {"field_agreement": float(np.median(cosines))}
