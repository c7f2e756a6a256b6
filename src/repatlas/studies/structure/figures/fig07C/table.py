"""Figure 7C to E: what neurons with two outputs are tuned to."""

import pandas as pd

from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.studies.structure.rows.groups import (
    NETWORK,
    group_errors,
    statistic_rows,
    task_rows,
    tuning_rows,
    with_groups,
)
from repatlas.studies.structure.rows.panels import GROUP
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED, trajectory_rows

TRACED_GROUPS = ("+0", "++")
"""The groups whose trajectories are drawn. Their weight to the first output, whose inter-class axis
the plane has, is positive; one speaks to it alone and one to both."""
KINDS = [*GROUP, "readout", "cluster"]
"""What the rows of a mean keep."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    groups = rows["groups"]
    tuning = tuning_rows(groups)
    tuning = tuning[tuning["step"] == step]
    statistics = statistic_rows(tuning).assign(deviation=float("nan"))
    effects = tanh_minus_relu(statistics, KINDS)
    lost = groups[(groups["variant"] == "diverged") & (groups["step"] == step)]
    parts = [
        lost,
        tuning[tuning["seed"] == DRAWN_SEED],
        statistics,
        median_rows(statistics, ["activation", *KINDS]),
        median_rows(effects, KINDS).assign(contrast=TANH_RELU),
        *_trajectory_rows(groups[groups["step"] <= step]),
        task_rows(groups),
    ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _trajectory_rows(metrics: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of Figure 1D for each traced group, and the centres.

    The name of the group is before the variant.
    """
    weights = with_groups(metrics[metrics["measure"] == "weight"], metrics)
    centres = metrics[metrics["measure"] == "centre"]
    parts = []
    for name in TRACED_GROUPS:
        own = weights[weights["group"] == name].drop(columns="group")
        own = pd.concat([own, _inter_selective(own), centres], ignore_index=True)
        found = trajectory_rows(own, group_errors(name))
        found = found[found["measure"] != "centre"]
        parts.append(found.assign(variant=f"{name} " + found["variant"]))
    return [
        *parts,
        centres[centres["seed"] == DRAWN_SEED].drop_duplicates(["run", "variant", "cluster"]),
    ]


def _inter_selective(weights: pd.DataFrame) -> pd.DataFrame:
    """Return the fraction of each network's neurons in these rows whose weight is inter-selective.

    `selectivity` measures the same for all neurons with a positive readout weight.
    """
    wide = weights.pivot_table(index=[*NETWORK, "neuron"], columns="variant", values="value")
    is_inter = wide["intra"].abs() < wide["inter"]
    fractions = is_inter.groupby(NETWORK).mean().rename("value").reset_index()
    return fractions.assign(measure="inter_selective", variant="fraction")
