"""The rows of weight trajectories on their gradient field (Figures 1D, 2C and 7E)."""

import numpy as np
import pandas as pd

from repatlas.experiments.clusters.arrays import first_half_positive
from repatlas.inference.pooling import refuse_mixed_kinds

DRAWN_SEED = 0
"""Trajectories are drawn for this seed of each kind; fractions are over all seeds."""
TASK_COLUMNS = ["run", "activation", "delta", "noise_variance", "clusters", "targets", "depth"]
TASK_COLUMNS += ["seed"]
GRID_POINTS = 21
"""Along each axis, as in the first author's public code."""


def trajectory_rows(metrics: pd.DataFrame, errors: np.ndarray | None = None) -> pd.DataFrame:
    """Return the weights of one network of each kind at every step, with what panels need.

    There are also the centres in the plane, the gradient field on a grid that holds the weights,
    and the inter-selective fraction of all seeds. errors: (P,), the errors of the field; the errors
    of the two classes if not given.
    """
    last = metrics["step"].max()
    drawn = metrics[metrics["seed"] == DRAWN_SEED]
    weights = drawn[drawn["measure"] == "weight"]
    centres = drawn_centres(metrics)
    fractions = metrics[(metrics["measure"] == "inter_selective") & (metrics["step"] == last)]
    lost = metrics[metrics["variant"] == "diverged"]
    reach = 1.05 * weights["value"].abs().max()  # one for all, so that they are drawn to one scale
    of_each = weights.groupby(["delta", "activation"], dropna=False)
    fields = [_field_rows(group, centres, errors, reach) for _, group in of_each]
    return pd.concat([weights, centres, fractions, lost, *fields], ignore_index=True)


def drawn_centres(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the centres on their axes, of one network of each kind."""
    centres = metrics[(metrics["seed"] == DRAWN_SEED) & (metrics["measure"] == "centre")]
    # Centres are equal at all steps; a network that diverged has none at the last.
    return centres.drop_duplicates(["run", "variant", "cluster"])


def plane(centres: pd.DataFrame) -> np.ndarray:
    """Return the intra and inter coordinates of the centres, (P, 2), from their rows."""
    refuse_mixed_kinds(centres, ["cluster", "variant"])
    wide = centres.pivot_table(index="cluster", columns="variant", values="value")
    return wide[["intra", "inter"]].to_numpy()


def class_errors(clusters: int) -> np.ndarray:
    """Return the errors of equal size that the paper assumes, (P,): +1 for the class with label
    1."""
    return 2 * first_half_positive(clusters)[:, 0] - 1


def grid(reach: float, points: int) -> np.ndarray:
    """Return a square grid around the origin, (points^2, 2)."""
    side = np.linspace(-reach, reach, points)
    return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)


def rows_on_plane(like: pd.Series, places: np.ndarray, **columns) -> pd.DataFrame:
    """Return rows of the task and network of the row `like`, one for each position in the plane."""
    kept = like[TASK_COLUMNS].to_dict()
    return pd.DataFrame({**kept, "intra": places[:, 0], "inter": places[:, 1], **columns})


def _field_rows(
    weights: pd.DataFrame, centres: pd.DataFrame, errors: np.ndarray | None, reach: float
) -> pd.DataFrame:
    # Not above: it imports scipy, and each config loads this file.
    from repatlas.dynamics.field import gradient_field

    like = weights.iloc[0]
    places = grid(reach, GRID_POINTS)
    coordinates = plane(centres[centres["run"] == like["run"]])
    field = gradient_field(
        places,
        coordinates,
        class_errors(len(coordinates)) if errors is None else errors,
        np.sqrt(like["noise_variance"]),
        like["activation"],
    )
    return pd.concat(
        [
            rows_on_plane(like, places, measure="field", variant=variant, value=values)
            for variant, values in zip(("intra", "inter"), field.T, strict=True)
        ]
    )
