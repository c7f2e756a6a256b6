"""What becomes of neurons that share their readout weights (Figure 7; paper, appendix A).

A group is named by the signs of its readout weights for the two targets: "++", "+0" and so on. The
errors that reach its neurons define which clusters match the group. The error is positive for a
matched cluster, negative for a mismatched one, and zero for a half-matched one, which matches only
one readout weight.
"""

import numpy as np
import pandas as pd

from repatlas.experiments.clusters.tasks.unstructured import TWO_TARGETS
from repatlas.networks.mlp import READOUT_GROUPS

NETWORK = ["run", "activation", "noise_variance", "clusters", "targets", "depth", "readout", "seed"]
NETWORK += ["step"]
"""What tells a network at a step."""
TASK = ["noise_variance", "clusters", "targets", "depth"]
KINDS = {
    "conjunctive": [name for name in READOUT_GROUPS if "0" not in name],
    "single": [name for name in READOUT_GROUPS if "0" in name],
}
"""The groups that speak to both outputs, and those that speak to one."""


def group_errors(group: str) -> np.ndarray:
    """Return the errors, (4,), that reach a neuron of the group through its readout weights.

    They are e_i = sum_j w_j (2 y_ij - 1). The paper assumes errors of equal size.
    """
    signs = 2 * np.array(TWO_TARGETS) - 1  # (P, K)
    return signs @ np.array(READOUT_GROUPS[group])


def with_groups(rows: pd.DataFrame, metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are about a neuron, with its group as a column."""
    # Readouts are frozen, and equal in all networks with groups.
    readout = metrics[metrics["measure"] == "readout"].drop_duplicates(["neuron", "variant"])
    weights = readout.pivot_table(index="neuron", columns="variant", values="value")
    signs = np.sign(weights[["target 0", "target 1"]]).astype(int)
    names = signs.apply(lambda pair: "".join("0+-"[sign] for sign in pair), axis="columns")
    return rows.assign(group=rows["neuron"].map(names)).dropna(subset="group")


def tuning_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the tuning of every neuron to every cluster, with the neuron's group as the
    variant."""
    tuning = with_groups(metrics[metrics["measure"] == "tuning"], metrics)
    return tuning.dropna(subset="value").assign(variant=tuning["group"]).drop(columns="group")


def statistic_rows(tuning: pd.DataFrame) -> pd.DataFrame:
    """Return statistics of the tuning of neurons, for each network and group:

    group_tuning        the mean over its neurons, to each cluster.
    half_matched_ratio  |group_tuning| to half-matched clusters / |group_tuning| to the matched
                        cluster, for conjunctive groups. Others have no half-matched cluster.
    tuning_asymmetry    (matched + mismatched) / matched group_tuning: 0 where negative tuning is as
                        strong as positive, 1 without negative tuning. With centred inputs the
                        tuning to the four clusters sums to about 0. It is then 0 for single groups.
    tuning_variation    standard deviation / mean, over the neurons, of tuning to a matched cluster.
    one_cluster         the fraction of neurons tuned positively to a matched cluster alone.

    The last four are also there as means over the groups of a kind, "conjunctive" and "single".
    """
    group = [*NETWORK, "variant"]
    each = tuning.groupby([*group, "cluster"], dropna=False)["value"].agg(["mean", "std"])
    each = each.reset_index()
    each["errors"] = [
        group_errors(name)[int(cluster)]
        for name, cluster in zip(each["variant"], each["cluster"], strict=True)
    ]
    matched, half, mismatched = (each[np.sign(each["errors"]) == sign] for sign in (1, 0, -1))

    def group_means(values: pd.Series, rows: pd.DataFrame) -> pd.Series:
        return values.groupby([rows[name] for name in group], dropna=False).mean()

    to_matched = group_means(matched["mean"], matched)
    found = {
        "half_matched_ratio": group_means(half["mean"].abs(), half) / to_matched,
        "tuning_asymmetry": 1 + group_means(mismatched["mean"], mismatched) / to_matched,
        "tuning_variation": group_means(matched["std"] / matched["mean"], matched),
        "one_cluster": _one_cluster(tuning, group),
    }
    by_group = pd.concat(
        [
            values.rename("value").reset_index().assign(measure=measure)
            for measure, values in found.items()
        ]
    ).dropna(subset="value")
    kinds = {name: kind for kind, names in KINDS.items() for name in names}
    pooled = by_group.assign(variant=by_group["variant"].map(kinds))
    pooled = pooled.groupby([*group, "measure"], dropna=False)["value"].mean().reset_index()
    means = each.rename(columns={"mean": "value"}).drop(columns=["std", "errors"])
    return pd.concat([means.assign(measure="group_tuning"), by_group, pooled], ignore_index=True)


def _one_cluster(tuning: pd.DataFrame, group: list[str]) -> pd.Series:
    wide = tuning.pivot_table(index=[*group, "neuron"], columns="cluster", values="value")
    names = wide.index.get_level_values("variant")
    is_positive = wide.to_numpy() > 0  # (neurons, P)
    is_matched = np.array([group_errors(name) > 0 for name in names], bool)
    alone = (is_positive.sum(axis=1) == 1) & (
        is_positive & is_matched.reshape(is_positive.shape)
    ).any(axis=1)
    return pd.Series(alone.astype(float), wide.index).groupby(group).mean()


def task_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the labels of the clusters, and the errors that reach each group."""
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
