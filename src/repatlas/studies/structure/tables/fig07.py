"""Figure 7: two outputs."""

import pandas as pd

from repatlas.experiments.clusters.tasks.unstructured import TWO_TARGETS
from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.networks.mlp import READOUT_GROUPS
from repatlas.studies.structure.rows.groups import (
    NETWORK,
    group_errors,
    statistic_rows,
    tuning_rows,
    with_groups,
)
from repatlas.studies.structure.rows.panels import GROUP, panel_rows
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED, trajectory_rows

TRACED_GROUPS = ("+0", "++")
"""The groups whose trajectories are drawn. Their weight to the first output, whose inter-class axis
the plane has, is positive; one speaks to it alone and one to both."""
TASK = ["noise_variance", "clusters", "targets", "depth"]
KINDS = [*GROUP, "readout", "cluster"]
"""What the rows of a mean keep."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    groups = rows["groups"]
    panels = {
        role: panel_rows(metrics[metrics["step"].isin([0, step])]) for role, metrics in rows.items()
    }
    tuning = tuning_rows(groups)
    tuning = tuning[tuning["step"] == step]
    statistics = statistic_rows(tuning).assign(deviation=float("nan"))
    effects = [tanh_minus_relu(panels[role], GROUP) for role in ("groups", "control")]
    parts = [
        *panels.values(),
        tuning[tuning["seed"] == DRAWN_SEED],
        statistics,
        median_rows(statistics, ["activation", *KINDS]),
        *(
            median_rows(tanh_minus_relu(values, KINDS), KINDS).assign(contrast=TANH_RELU)
            for values in (*panels.values(), statistics)
        ),
        contrast_rows(*effects, f"{TANH_RELU}, groups - control", GROUP),
        *_trajectory_rows(groups[groups["step"] <= step]),
        _task_rows(groups),
    ]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _trajectory_rows(metrics: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of Figure 1D for each of the traced groups, its name before the variant; and the
    centres."""
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
    """The fraction of each network's neurons here whose weight is inter-selective, as measured of
    all neurons with a positive readout weight by `selectivity`."""
    wide = weights.pivot_table(index=[*NETWORK, "neuron"], columns="variant", values="value")
    is_inter = wide["intra"].abs() < wide["inter"]
    fractions = is_inter.groupby(NETWORK).mean().rename("value").reset_index()
    return fractions.assign(measure="inter_selective", variant="fraction")


def _task_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """The labels of the clusters, and the errors of each group that the fields assume."""
    like = metrics.iloc[0][TASK].to_dict()
    rows = [
        {"measure": "label", "variant": f"target {target}", "cluster": cluster, "value": label}
        for cluster, labels in enumerate(TWO_TARGETS)
        for target, label in enumerate(labels)
    ] + [
        {"measure": "group_error", "variant": name, "cluster": cluster, "value": error}
        for name in READOUT_GROUPS
        for cluster, error in enumerate(group_errors(name))
    ]
    return pd.DataFrame(like | row for row in rows)
