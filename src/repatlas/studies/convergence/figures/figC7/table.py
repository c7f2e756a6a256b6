"""Figure C7: generalising and memorising networks, and what is memorised how fast."""

import numpy as np
import pandas as pd

from repatlas.studies.convergence.columns import SETTINGS
from repatlas.studies.convergence.rows.distances import (
    distances,
    is_floor,
    learned_pairs,
    seed_rows,
    typical,
)
from repatlas.studies.convergence.rows.ends import last_accuracies
from repatlas.studies.convergence.rows.networks import LEARNED, learned, means

KEYS = ("among_generalising", "among_memorising", "between_both")
NETWORK = ["run", "seed", *SETTINGS]
POINTS = 60
"""Passes at which curves are drawn, as even in their logarithm as whole numbers allow."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    both = pd.concat([rows["generalising"], rows["memorising"]])
    found = [last_accuracies(both)]
    if "corrupted" in rows:
        corrupted = rows["corrupted"]
        found += [last_accuracies(corrupted), *passes_to_fit(learned(corrupted)),
                  loss_curves(corrupted)]  # fmt: skip
    for key in KEYS:
        # Whatever is enough of other images: only who knows these by heart has memorised them.
        pairs = learned_pairs(distances(rows[key]), both, LEARNED)
        found += [seed_rows(pairs[~is_floor(pairs)]), typical(pairs)]
    return pd.concat([part for part in found if len(part)], ignore_index=True)


def passes_to_fit(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """Return when each network fits its images.

    "fitted" is the pass after which it first names all its training images as it should, infinite
    if it never does. "slowdown" is this pass divided by the pass of the network of the same seed
    with published labels and pixels. "test_error" is the error after this pass, nan if there is
    none. `at` is the share of random labels, nan if pixels are changed.
    """
    networks = rows[NETWORK].drop_duplicates()
    fitted = rows[rows["measure"] == "fitted"]
    tests = rows[(rows["measure"] == "accuracy_curve") & (rows["variant"] == "test")]
    tests = tests.rename(columns={"value": "accuracy"})
    found = networks.merge(
        fitted[["run", "seed", "step", "value"]], on=["run", "seed"], how="left"
    ).merge(tests[["run", "seed", "step", "accuracy"]], on=["run", "seed", "step"], how="left")
    found["value"] = found["value"].fillna(np.inf)
    share = found["corrupted"].astype(float).where(found["labels"] == "random", 0.0)
    found["at"] = share.where(found["pixels"] == "original")
    usual = found[found["at"] == 0].set_index("seed")["value"]
    with np.errstate(invalid="ignore"):
        slower = found["value"] / found["seed"].map(usual).astype(float)
    error = 1 - found["accuracy"]
    found = found.drop(columns=["accuracy", "step"])
    return [
        found.assign(measure="fitted", variant="training"),
        found.assign(measure="slowdown", variant="passes", value=slower),
        found.assign(measure="test_error", variant="fitted", value=error),
    ]


def loss_curves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the training loss, as the mean over networks, at some of the ends of passes."""
    curves = rows[(rows["measure"] == "loss") & (rows["variant"] == "")]
    steps = np.sort(curves["step"].unique())
    if not len(steps):
        return curves
    places = np.unique(np.geomspace(1, len(steps), POINTS).round().astype(int)) - 1
    drawn = curves[curves["step"].isin(steps[places])]
    return means(drawn, ["step", "measure", "variant"])
