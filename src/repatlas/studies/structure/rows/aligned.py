"""The rows of measures over tasks with a chosen input-output alignment (Figures 4 to 6)."""

import numpy as np
import pandas as pd

from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    matched_parallelism_score,
    parallelism_score,
)

MEASURES = ("target_alignment", "input_alignment", "parallelism", "ccgp", "accuracy", "loss")
MEASURES += ("input_output_alignment", "input_participation_ratio")
DRAWN_VARIANTS = ("centres", "samples", "test", "training", "matched", "best pairing")


TASK_COLUMNS = ["run", "activation", "noise_variance", "clusters", "targets", "kernel", "alignment"]
TASK_COLUMNS += ["participation_ratio", "draw", "depth", "step"]
"""What rows that belong to no single network keep."""


def with_participation_ratio(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the participation ratio of the inputs of tasks with a chosen
    alignment, as a column. These tasks are equal for every seed."""
    inputs = metrics[metrics["measure"] == "input_participation_ratio"].drop_duplicates("run")
    ratios = metrics["run"].map(inputs.set_index("run")["value"])
    return metrics.assign(participation_ratio=ratios.where(metrics["alignment"].notna()))


def aligned_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that figures draw of each network, and the accuracy that shows if it
    learned."""
    metrics = with_participation_ratio(metrics)
    chosen = metrics["measure"].isin(MEASURES) & metrics["variant"].isin(DRAWN_VARIANTS)
    return metrics[chosen | (metrics["variant"] == "diverged")]


def mean_kernel_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return target alignment and parallelism score of the mean kernel of a task's networks.

    This is a secondary variant of both measures, "mean kernel", as in the first author's public
    code.
    """
    rows = []
    metrics = with_participation_ratio(metrics)
    # A network that diverged has neither.
    kernels = metrics[metrics["measure"].isin(["kernel", "label"]) & metrics["value"].notna()]
    for (_, _), group in kernels.groupby(["run", "step"]):
        like = group.iloc[0]
        labels = group[(group["measure"] == "label") & (group["seed"] == like["seed"])]
        labels = labels.pivot_table(index="cluster", columns="variant", values="value").to_numpy()
        entries = group[group["measure"] == "kernel"].groupby(["cluster", "other_cluster"])["value"]
        kernel = np.zeros((len(labels),) * 2)
        means = entries.mean().reset_index()
        places = means["cluster"].astype(int), means["other_cluster"].astype(int)
        kernel[places] = kernel[places[::-1]] = means["value"]
        patterns = _patterns(kernel)
        found = {
            "target_alignment": _alignment(patterns, labels),
            "parallelism": _parallelism(patterns, labels),
        }
        kept = like[TASK_COLUMNS]
        rows += [
            kept.to_dict() | {"measure": name, "variant": "mean kernel", "value": value}
            for name, value in found.items()
        ]
    return pd.DataFrame(rows)


def _patterns(kernel: np.ndarray) -> np.ndarray:
    """Return patterns that have this kernel, (P, P)."""
    values, vectors = np.linalg.eigh(kernel)
    return vectors * np.sqrt(np.maximum(values, 0))


def _alignment(patterns: np.ndarray, labels: np.ndarray) -> float:
    return alignment_of_kernels(centred_kernel(patterns), centred_kernel(labels))


def _parallelism(patterns: np.ndarray, labels: np.ndarray) -> float:
    """Return the parallelism score, computed as in measures.parallelism."""
    clusters, targets = labels.shape
    if targets > 1 and clusters == 2**targets == len(np.unique(labels, axis=0)):
        return np.mean([parallelism_score(patterns, labels, target) for target in range(targets)])
    pairing = "best" if clusters == 4 else "nearest"
    signs = np.where(labels.T > 0, 1, -1)
    return np.mean([matched_parallelism_score(patterns, d, pairing) for d in signs])
