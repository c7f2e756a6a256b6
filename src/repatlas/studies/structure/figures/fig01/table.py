"""Figure 1: unstructured inputs."""

import numpy as np
import pandas as pd

from repatlas.networks.activation import activation
from repatlas.studies.structure.rows.panels import accuracy_rows, effect_rows, panel_rows
from repatlas.studies.structure.rows.patterns import pattern_rows
from repatlas.studies.structure.rows.trajectories import (
    class_errors,
    grid,
    plane,
    rows_on_plane,
    trajectory_rows,
)
from repatlas.studies.structure.rows.weights import update_rows, weight_rows

EXAMPLE_PROJECTION = 1.5
"""w . x2 of the weight in panel C: where tanh' has fallen to 0.18, and only x2 activates a ReLU."""
SHADING_POINTS = 61


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    trajectories = trajectory_rows(rows["trajectories"])
    centres = trajectories[trajectories["measure"] == "centre"]
    construction = [_construction_rows(group) for _, group in centres.groupby("activation")]
    weights = [weight_rows(rows["trajectories"]), update_rows(rows["trajectories"])]
    panels = panel_rows(rows["sweep"])
    learned = accuracy_rows(rows["trajectories"])
    parts = [panels, effect_rows(panels), learned, trajectories, *construction, *weights]
    return pd.concat([*parts, pattern_rows(rows["trajectories"])], ignore_index=True)


def _construction_rows(centres: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of panel C, for a weight along x2.

    They are the slope f'(w . x) over the plane, and what each cluster adds to the gradient, e_i
    f'(w . x_i) x_i (equation 1, without noise).
    """
    like = centres.iloc[0]
    slope = activation(like["activation"]).slope
    coordinates = plane(centres)  # (P, 2)
    weight = EXAMPLE_PROJECTION * coordinates[1] / (coordinates[1] @ coordinates[1])
    places = grid(1.25 * np.abs(coordinates).max(), SHADING_POINTS)
    slopes = slope(coordinates @ weight)
    parts = (class_errors(len(coordinates)) * slopes)[:, None] * coordinates
    clusters = np.arange(len(coordinates))
    shading = rows_on_plane(
        like, places, measure="slope", variant="plane", value=slope(places @ weight)
    )
    at_centres = rows_on_plane(
        like, coordinates, measure="slope", variant="centre", value=slopes, cluster=clusters
    )
    example = [
        rows_on_plane(like, coordinates, measure="gradient", variant=axis, value=part,
                      cluster=clusters)
        for axis, part in zip(("intra", "inter"), parts.T, strict=True)
    ]  # fmt: skip
    example_weight = rows_on_plane(
        like, weight[None], measure="example weight", variant="place", value=EXAMPLE_PROJECTION
    )
    return pd.concat([shading, at_centres, *example, example_weight])
