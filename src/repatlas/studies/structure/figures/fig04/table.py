"""Figure 4: random tasks with a chosen input-output alignment."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.experiments.clusters.kernel_slice import KernelSlice
from repatlas.experiments.clusters.kernels import kernel_between
from repatlas.experiments.clusters.targets import label_kernel, orthogonal_targets
from repatlas.streams import stream
from repatlas.studies.structure.rows.aligned import aligned_rows, mean_kernel_rows

CLUSTERS, TARGETS = 4, 2
"""The task of panel A."""
GRID_POINTS = 121
"""Along each axis of panel A."""
SAMPLES, SAMPLED_ALIGNMENT = 10, 0.6
"""The random kernels of panel A, and their alignment."""


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all steps. The figure draws one; the others show how the result depends on it."""
    return pd.concat(
        [
            aligned_rows(rows["lines"]),
            mean_kernel_rows(rows["lines"]),
            aligned_rows(rows["dots"]),
            _slice_rows(),
            _sampling_rows(),
        ],
        ignore_index=True,
    )


def _slice_rows() -> pd.DataFrame:
    """Return a plane through the set of kernels of four clusters, for panel A.

    It has their alignment with the kernel of two orthogonal targets, and the curve of maximal
    kernels.
    """
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
    return _rows_of(marks)


def _sampling_rows() -> pd.DataFrame:
    """Return how random kernels of one alignment are made, for panel A.

    `random_kernel` makes them in this way, but here the sources are spread evenly over the plane.
    Each source moves along a straight line until its alignment is the chosen one. It moves towards
    the targets or, if its alignment is too large, towards the kernel of the plane that is
    orthogonal to them.
    """
    plane = KernelSlice(label_kernel(orthogonal_targets(CLUSTERS, TARGETS, stream(0, "targets"))))
    boundary = plane.boundary()
    generator = stream(0, "slice")
    points = generator.uniform(boundary.min(axis=0), boundary.max(axis=0), (20 * SAMPLES, 2))
    sources = points[plane.is_kernel(points)][:SAMPLES]
    orthogonal = plane.kernels(boundary[len(boundary) // 2])
    found = [
        kernel_between(
            plane.kernels(source),
            plane.target if plane.alignment(source) < SAMPLED_ALIGNMENT else orthogonal,
            plane.target,
            SAMPLED_ALIGNMENT,
        )
        for source in sources
    ]
    sampled = plane.points(np.array(found))
    return _rows_of(
        {
            "source": (sources, plane.alignment(sources)),
            "sampled": (sampled, plane.alignment(sampled)),
        },
        draw=range(SAMPLES),
    )


def _rows_of(marks: dict[str, tuple], **columns: Any) -> pd.DataFrame:
    """Return rows of positions in the plane, (n, 2), with a value each, and these columns."""
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
            | columns
        )
        for variant, (places, values) in marks.items()
    )
