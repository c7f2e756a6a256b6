"""The hidden patterns of the clusters as points in a plane (Figures 1E and 2A)."""

import numpy as np
import pandas as pd

from repatlas.own.measures.geometry import scaled
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED

TASK_COLUMNS = ["run", "activation", "delta", "noise_variance", "clusters", "targets", "depth"]
TASK_COLUMNS += ["seed", "step"]
NEAR_ZERO = 0.1
"""A coordinate smaller than this part of the largest does not say where an axis points."""


def pattern_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the hidden patterns of one network of each kind, at two steps.

    They are the first and the last step at which the kernel is measured. Each cluster has a
    position x, y, and there is the share of variance that the plane has.
    """
    kernels = metrics[(metrics["measure"] == "kernel") & (metrics["seed"] == DRAWN_SEED)]
    ends = kernels["step"].min(), kernels["step"].max()
    kernels = kernels[kernels["step"].isin(ends) & kernels["value"].notna()]
    parts = [_network_rows(entries) for _, entries in kernels.groupby(["run", "step"])]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _network_rows(entries: pd.DataFrame) -> pd.DataFrame:
    number = int(entries["other_cluster"].max()) + 1
    kernel = np.zeros((number, number))
    places = entries["cluster"].astype(int), entries["other_cluster"].astype(int)
    kernel[places] = kernel[places[::-1]] = entries["value"]
    points, share = in_plane(kernel)
    kept = entries.iloc[0][TASK_COLUMNS].to_dict()
    at = {"variant": "place", "cluster": np.arange(number), "x": points[:, 0], "y": points[:, 1]}
    shown = pd.DataFrame(kept | {"measure": "pattern"} | at)
    held = pd.DataFrame([kept | {"measure": "pattern", "variant": "share", "value": share}])
    return pd.concat([shown, held])


def in_plane(kernel: np.ndarray) -> tuple[np.ndarray, float]:
    """Return points, (P, 2), of a centred kernel, (P, P), and the share of the variance that they
    keep.

    They are from classical multidimensional scaling. The variance is the trace of the kernel.

    The unit is the root mean square distance of all patterns from their mean. The axis of the
    largest variance goes up, the next to the right. Along each the first pattern, the first that
    lies away from 0, is on the positive side. If all patterns are equal, all points are at 0 and
    the share is 1.
    """
    own = np.diag(kernel)
    points = np.zeros((len(kernel), 2))
    if own.sum() <= 0:
        return points, 1.0
    axes, shares = scaled(own[:, None] + own - 2 * kernel)
    axes = axes[:, :2] / np.sqrt(own.mean())
    # scaled() puts the farthest point on the positive side, but two may be as far.
    leads = np.abs(axes) > NEAR_ZERO * np.abs(axes).max(axis=0)
    first = leads.argmax(axis=0)
    axes = axes * np.sign(axes[first, np.arange(axes.shape[1])])
    points[:, ::-1][:, : axes.shape[1]] = axes
    return points, float(shares[:2].sum())
