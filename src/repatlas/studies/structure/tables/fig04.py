"""Figure 4: random tasks with a chosen input-output alignment."""

import numpy as np
import pandas as pd

from repatlas.experiments.clusters.kernel_slice import KernelSlice
from repatlas.experiments.clusters.targets import label_kernel, orthogonal_targets
from repatlas.streams import stream
from repatlas.studies.structure.rows.aligned import aligned_rows, mean_kernel_rows
from repatlas.studies.structure.rows.images import bar_rows

CLUSTERS, TARGETS = 4, 2
"""The task of panel A."""
GRID_POINTS = 121
"""Along each axis of panel A."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """All steps: the figure draws one, the others tell how far the result depends on it."""
    return pd.concat(
        [
            aligned_rows(rows["lines"]),
            mean_kernel_rows(rows["lines"]),
            aligned_rows(rows["dots"]),
            _slice_rows(),
            *([bar_rows(rows["images"])] if "images" in rows else []),
        ],
        ignore_index=True,
    )


def _slice_rows() -> pd.DataFrame:
    """Panel A: a plane through the set of kernels of four clusters, with their alignment with the
    kernel of two orthogonal targets, and the curve of maximal kernels."""
    labels = orthogonal_targets(CLUSTERS, TARGETS, stream(0, "targets"))
    plane = KernelSlice(label_kernel(labels))
    boundary = plane.boundary()
    reach = 1.02 * np.abs(boundary).max(axis=0)
    sides = [np.linspace(-r, r, GRID_POINTS) for r in reach]
    points = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    points = points[plane.is_kernel(points)]
    marks = {
        "boundary": (boundary, np.arange(len(boundary))),
        "alignment": (points, plane.alignment(points)),
        "targets": (plane.points(plane.target[None]), [1.0]),
        "simplex": (np.zeros((1, 2)), plane.alignment(np.zeros((1, 2)))),
        # The far end of the x-axis: K_max(0).
        "orthogonal": (boundary[[len(boundary) // 2]], [0.0]),
    }
    return pd.concat(
        pd.DataFrame(
            {
                "clusters": CLUSTERS,
                "targets": TARGETS,
                "measure": "slice of kernels",
                "variant": variant,
                "x": places[:, 0],
                "y": places[:, 1],
                "value": values,
            }
        )
        for variant, (places, values) in marks.items()
    )
