"""Figure 10: where in the plane of weights neurons start, and where they end (appendix E)."""

import numpy as np
import pandas as pd

from repatlas.inference.intervals import median_interval, proportion_interval
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED, drawn_centres, plane

REGIONS = ("x1 only", "both", "x2 only", "dead")
"""The regions of a neuron with positive readout weight: which centres of its class activate it. In
the plane they follow each other counter-clockwise."""
SELECTIVE = ("x1 only", "x2 only")
FLOWS = {"escape": (SELECTIVE, ("both",)), "return": (("both",), SELECTIVE)}
"""Where neurons start, and where they end: a flow and its reverse."""
CONVENTIONS = ("signs", "45 degrees")
"""The paper draws three regions and does not say where they end. By the signs of w . x1 and w . x2
a neuron is in "both" where both are positive; by the angle, where inter > |intra|. Where neither is
positive, the neuron is dead by both conventions: silent at both centres."""
SCOPES = ("alive", "all")
"""The scopes of an escape probability: neurons that die are left out, or count as not moved."""
TASK_COLUMNS = ["run", "activation", "delta", "noise_variance", "clusters", "targets", "depth"]


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    tasks = [_task_rows(metrics, step) for _, metrics in rows["weights"].groupby("run")]
    return pd.concat(tasks, ignore_index=True)


def _task_rows(metrics: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the rows of all networks of one task, and the start of the neurons of one network."""
    kept = metrics[metrics["diverged_step"].isna()]
    shown = (kept["measure"] == "target_alignment") & (kept["variant"] == "centres")
    centres = drawn_centres(metrics)
    parts = [metrics[metrics["variant"] == "diverged"], kept[shown & (kept["step"] == step)]]
    parts += [centres, boundary_rows(plane(centres))]
    if len(kept):
        start, end = regions(kept, 0), regions(kept, step)
        parts.append(_fate_rows(kept, end))
        for convention in CONVENTIONS:
            fates = start[convention], end[convention]
            parts.append(transition_rows(*fates, convention))
            parts += [flow_rows(*fates, convention, flow) for flow in FLOWS]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(**metrics.iloc[0][TASK_COLUMNS]).fillna({"step": step})


def regions(metrics: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the region of each neuron with positive readout weight at a step.

    It has one row for each seed and neuron, and one column for each convention.
    """
    at = metrics[metrics["step"] == step]
    weights = at[at["measure"] == "weight"].pivot_table(
        index=["seed", "neuron"], columns="variant", values="value"
    )
    # Only neurons with positive readout weight have rows of their weights.
    tuning = at[at["measure"] == "tuning"].pivot_table(
        index=["seed", "neuron"], columns="cluster", values="value"
    )
    x1, x2 = tuning.loc[weights.index, 0] > 0, tuning.loc[weights.index, 1] > 0
    intra, inter = weights["intra"], weights["inter"]
    dead = ~x1 & ~x2
    found = {
        "signs": np.select([dead, x1 & x2, x1], ["dead", "both", "x1 only"], "x2 only"),
        "45 degrees": np.select(
            [dead, inter > intra.abs(), intra > 0], ["dead", "both", "x1 only"], "x2 only"
        ),
    }
    return pd.DataFrame(found, index=weights.index)


def transition_rows(start: pd.Series, end: pd.Series, convention: str) -> pd.DataFrame:
    """Return how many neurons of all networks went from each region to each."""
    counts = pd.crosstab(start, end).reindex(index=REGIONS, columns=REGIONS, fill_value=0)
    return pd.DataFrame(
        {"measure": "neurons", "variant": f"{convention}: {a} to {b}", "value": counts.loc[a, b]}
        for a in REGIONS
        for b in REGIONS
    )


def flow_rows(start: pd.Series, end: pd.Series, convention: str, flow: str) -> pd.DataFrame:
    """Return P(ends in a region of the second kind | starts in one of the first) of FLOWS.

    There is the value of each network, and the median over networks with its interval. A pooled
    value takes all neurons as if they were independent.
    """
    rows = []
    before, after = FLOWS[flow]
    for scope in SCOPES:
        counted = start.isin(before) & ((end != "dead") | (scope == "all"))
        moved = end[counted].isin(after)
        fractions = moved.groupby("seed").mean()
        median = median_interval(fractions.to_numpy())
        pooled = proportion_interval(int(moved.sum()), len(moved))
        name = f"{convention}, {scope}"
        rows += [
            {"variant": f"{name}: network", "seed": seed, "value": fraction}
            for seed, fraction in fractions.items()
        ]
        rows.append({"variant": f"{name}: networks", **median._asdict()})
        rows.append({"variant": f"{name}: neurons", **pooled._asdict()})
    return pd.DataFrame(rows).assign(measure=flow)


def boundary_rows(centres: np.ndarray) -> pd.DataFrame:
    """Return the border from each region to the next, as a unit vector and its angle in degrees.

    centres: (P, 2), intra and inter.
    """
    x1, x2 = centres[:2]
    right, left = _ray(zero=x2, positive=x1), _ray(zero=x1, positive=x2)
    rays = {
        "signs: x1 only | both": right,
        "signs: both | x2 only": left,
        "signs: x2 only | dead": -right,
        "signs: dead | x1 only": -left,
        "45 degrees: x1 only | both": np.array([1.0, 1.0]) / np.sqrt(2),
        "45 degrees: both | x2 only": np.array([-1.0, 1.0]) / np.sqrt(2),
    }
    intra, inter = np.array(list(rays.values())).T
    return pd.DataFrame(
        {
            "measure": "boundary",
            "variant": list(rays),
            "intra": intra,
            "inter": inter,
            "value": np.degrees(np.arctan2(inter, intra)),
        }
    )


def _ray(zero: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Return the direction of the weights w with w . zero = 0 and w . positive > 0."""
    ray = np.array([-zero[1], zero[0]]) / np.linalg.norm(zero)
    return ray * np.sign(ray @ positive)


def _fate_rows(metrics: pd.DataFrame, end: pd.DataFrame) -> pd.DataFrame:
    """Return the start of each neuron of one network, and the region where it ends."""
    weights = metrics[
        (metrics["measure"] == "weight") & (metrics["step"] == 0) & (metrics["seed"] == DRAWN_SEED)
    ]
    places = weights.pivot_table(index=["seed", "neuron"], columns="variant", values="value")
    places = places.reindex(columns=["intra", "inter"])  # it has neither if it diverged
    drawn = places.join(end).reset_index()
    return pd.concat(
        pd.DataFrame(
            {
                "measure": "fate",
                "variant": f"{convention}: " + drawn[convention],
                "seed": drawn["seed"],
                "neuron": drawn["neuron"],
                "intra": drawn["intra"],
                "inter": drawn["inter"],
            }
        )
        for convention in CONVENTIONS
    )
