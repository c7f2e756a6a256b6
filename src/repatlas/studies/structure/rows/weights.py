"""What the input weights of all networks of a sweep tell, a number for each network."""

import numpy as np
import pandas as pd


def weight_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Statistics of each network over its neurons with a positive readout weight, at the last step:

    angle_spread     standard deviation of the angle between weights and inter-class axis, degrees
    intra_kept       correlation of the signs of their intra-class parts before and after training
    inter_energy     sum of inter^2 over that of inter^2 + intra^2
    intra_movement   mean |change of intra| over mean |change of inter|
    """
    weights = metrics[(metrics["measure"] == "weight") & metrics["value"].notna()]
    return _per_network(weights, ["intra", "inter"], _spread_and_movement)


def update_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """The cosine between the update that is expected before training and the change of weights by
    the next step at which both are measured: its median over the neurons of each network."""
    rows = metrics[metrics["measure"].isin(["expected_update", "position"])]
    rows = rows[rows["value"].notna()].copy()
    rows["variant"] = rows["measure"] + " " + rows["variant"]
    return _per_network(rows, None, _agreement)


def _per_network(rows: pd.DataFrame, columns: list[str] | None, tell) -> pd.DataFrame:
    found = []
    for _, network in rows.groupby(["run", "seed"]):
        wide = network.pivot_table(index=["step", "neuron"], columns="variant", values="value")
        steps = wide.index.get_level_values("step").unique().sort_values()
        if len(steps) < 2:
            continue
        last = steps[1] if columns is None else steps[-1]
        like = network[network["step"] == last].iloc[0].drop(["neuron", "value"])
        for measure, value in tell(wide.loc[steps[0]], wide.loc[last]).items():
            if not np.isfinite(value):  # of signs that are all alike, say
                continue
            about = {"measure": measure, "variant": "positive readout", "value": value}
            found.append(like.to_dict() | about)
    return pd.DataFrame(found)


def _spread_and_movement(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    angle = np.degrees(np.arctan2(after["intra"], after["inter"]))
    signs = np.sign(before["intra"]), np.sign(after["intra"])
    energy = (after**2).sum()
    moved = (after - before).abs().mean()
    return {
        "angle_spread": angle.std(ddof=0),
        "intra_kept": signs[0].corr(signs[1]),
        "inter_energy": energy["inter"] / (energy["inter"] + energy["intra"]),
        "intra_movement": moved["intra"] / moved["inter"] if moved["inter"] > 0 else np.nan,
    }


def _agreement(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
    expected = before.filter(like="expected_update ").to_numpy()
    place = [name for name in before if name.startswith("position ")]
    change = (after[place] - before[place]).to_numpy()
    cosines = (expected * change).sum(axis=1) / (
        np.linalg.norm(expected, axis=1) * np.linalg.norm(change, axis=1)
    )
    return {"field_agreement": float(np.median(cosines))}
