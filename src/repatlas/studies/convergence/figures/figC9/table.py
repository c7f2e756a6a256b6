"""Figure C9: noise directions. Canonical correlations of the last hidden layer with itself at the
end of training, and accuracy without its stable or its unstable part."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS
from repatlas.studies.convergence.rows.networks import accuracies, learned, means
from repatlas.studies.convergence.rows.toy import affine_rows, toy_rows

SHOWN = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 0.75)
"""The fractions of training at which the canonical correlations are shown, in descending order."""
WITHIN = 0.005
"""Test accuracy has converged where it stays within this distance of its last value."""
HALFWAY = 0.5
QUARTER = 4
PARTS = ("part_correlation", "accuracy_without_part")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    seeds = max(networks["seed"].nunique(), 1)
    found = learned(networks)
    last = found.groupby("run")["step"].transform("max")
    found = found.assign(at=(found["step"] / last).astype(float))
    correlations = found[found["measure"] == "correlation_with_end"]
    is_floor = correlations["variant"].str.endswith(" floor")
    curves = correlations[~is_floor]
    places = curves["at"].unique()
    shown = [] if not len(places) else [places[np.abs(places - part).argmin()] for part in SHOWN]
    parts = found[found["measure"].isin(PARTS)]
    early = parts.loc[parts["measure"] == "accuracy_without_part", "step"].unique()
    whole = found[(found["measure"] == "accuracy") & (found["variant"] == "test")]
    drawn = [_complete_positions(curves[curves["at"].isin(shown)]), correlations[is_floor], parts]
    drawn.append(whole[whole["step"].isin(early)])
    by = ["measure", "variant", "layer", "step", "at", "unit"]
    return pd.concat(
        [
            means(pd.concat(drawn), by),
            late_rows(curves, whole),
            late_part_rows(parts),
            lost_rows(parts, whole),
            accuracies(networks),
            toy_rows(seeds),
            affine_rows(seeds),
        ],
        ignore_index=True,
    )


def late_rows(correlations: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return "converged_at" and "late_share" of each network.

    "converged_at" is the fraction of training after which its test accuracy stays within half a
    point of the last. Correlations with the end rise from the start to 1. "late_share" is the share
    of this rise after "converged_at", for the mean of the largest ("top") and of the smallest
    ("bottom") quarter of the correlations. It is nan if there was no rise.
    """
    found = []
    for network, of_one in correlations.groupby(["run", "seed"], sort=False):
        own = accuracy[(accuracy["run"] == network[0]) & (accuracy["seed"] == network[1])]
        settled = converged_at(own)
        about = _about(of_one)
        found.append(about | {"measure": "converged_at", "variant": "", "value": settled})
        first, then = (
            np.sort(of_one.loc[np.isclose(of_one["at"], at), "value"])[::-1] for at in (0, settled)
        )
        for part in ("top", "bottom"):
            to_rise = 1 - _quarter(first, part)
            left = 1 - _quarter(then, part)
            share = left / to_rise if to_rise > 1e-9 else np.nan
            found.append(about | {"measure": "late_share", "variant": part, "value": share})
    return pd.DataFrame(found)


def converged_at(accuracy: pd.DataFrame) -> float:
    """Return the fraction of training after which accuracy stays, from the rows of one network."""
    accuracy = accuracy.sort_values("at")
    values = accuracy["value"].to_numpy(float)
    away = np.flatnonzero(np.abs(values - values[-1]) > WITHIN + 1e-9)
    return float(accuracy["at"].iloc[away[-1] + 1 if len(away) else 0])


def late_part_rows(parts: pd.DataFrame) -> pd.DataFrame:
    """Return "late_part_correlation" of each network.

    A part of the early layer correlates most ("top") or least ("bottom") with the layer halfway
    through training. The value is its correlation with the layer, mean over the checkpoints of the
    second half of training.
    """
    late = parts[(parts["measure"] == "part_correlation") & (parts["at"] > HALFWAY)]
    late = late[~late["variant"].str.endswith(" floor")]
    found = [
        _about(of_one)
        | {"measure": "late_part_correlation", "variant": part, "value": of_one["value"].mean()}
        for (_, _, part), of_one in late.groupby(["run", "seed", "variant"], sort=False)
    ]
    return pd.DataFrame(found)


def lost_rows(parts: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return "accuracy_lost" of each network: its test accuracy early in training less its accuracy
    when a part of the last hidden layer is taken off. The variant says which part, and how."""
    without = parts[parts["measure"] == "accuracy_without_part"]
    whole = accuracy.set_index(["run", "seed", "step"])["value"].rename("whole")
    found = without.join(whole, on=["run", "seed", "step"])
    lost = found.assign(measure="accuracy_lost", value=found["whole"] - found["value"])
    return lost.drop(columns="whole")


def _complete_positions(correlations: pd.DataFrame) -> pd.DataFrame:
    """Return the correlations at positions of the sorted list that all networks of a run have. Dead
    units lower the rank of a layer, so some lists are shorter."""
    there = correlations.groupby(["run", "step", "unit"])["seed"].transform("size")
    return correlations[there == correlations.groupby("run")["seed"].transform("nunique")]


def _quarter(correlations: np.ndarray, part: str) -> float:
    """Return the mean of the largest, or the smallest, quarter of correlations in descending
    order."""
    each = max(len(correlations) // QUARTER, 1)
    return float((correlations[:each] if part == "top" else correlations[-each:]).mean())


def _about(rows: pd.DataFrame) -> dict:
    return rows.iloc[0][["run", "seed", "layer", *SETTINGS]].to_dict()
