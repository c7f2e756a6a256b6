"""Figure 1: theories against networks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from repatlas.studies.theories.families import SMALL, family_of

CURVES = {"relative_loss": "loss_error", "target_alignment": "alignment_error"}
"""The error of each quantity."""
OTHERS = "other seeds"
"""The variant of the error that the mean of all other seeds has, with the same settings."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return errors. Networks of one seed share their random numbers, so each seed has one value:
    the mean over its settings. A network that diverged is left out, and has a row without a
    value."""
    both = pd.concat([each for each in (rows["clusters"], rows["few_items"]) if len(each)])
    both = both.assign(family=[*both.apply(family_of, axis=1)] if len(both) else [])
    is_lost = both["variant"] == "diverged"
    lost, both = both[is_lost], both[~is_lost]
    losses = rows["pathways"]
    form = losses[losses["measure"] == "loss"].sort_values("step")
    found = [_errors(both), *_other_seeds_errors(both), *_pathways_errors(both, form)]
    every = pd.concat(found, ignore_index=True)
    by = ["family", "measure", "variant", "seed"]
    means = every.groupby(by, sort=False)["value"].mean().reset_index()
    return pd.concat([means.assign(run=means["family"]), lost], ignore_index=True)


def _errors(both: pd.DataFrame) -> pd.DataFrame:
    """Return the errors that were measured. A missing value is an infinite error."""
    errors = both[both["measure"].isin(CURVES.values())]
    return errors.assign(value=errors["value"].astype(float).fillna(np.inf))


def _other_seeds_errors(both: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of the mean of all other seeds, for each setting of networks."""
    for (measure, _), found in both.groupby(["measure", "run"], sort=False):
        if measure not in CURVES or found["seed"].nunique() < 2:
            continue
        first = found.iloc[0]
        curves = {
            int(seed): (each["step"].to_numpy(float), each["value"].to_numpy(float))
            for seed, each in found.sort_values("step").groupby("seed")
        }
        made = []
        for seed, (x, values) in curves.items():
            others = [np.interp(x, *each) for s, each in curves.items() if s != seed]
            error = float(np.mean(np.abs(values - np.mean(others, axis=0))))
            made.append(_row(first["family"], CURVES[measure], OTHERS, seed, error))
        yield pd.DataFrame(made)


def _pathways_errors(both: pd.DataFrame, form: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the errors of the loss of the closed form, for ReLU networks on contexts from small
    weights."""
    small = (both["task"] == "contexts") & (both["network"] == "relu") & (both["sigma"] < SMALL)
    chosen = both[small & (both["measure"] == "relative_loss")]
    x, y = form["step"].to_numpy(float), form["value"].to_numpy(float)
    for (_, seed), found in chosen.groupby(["run", "seed"], sort=False):
        predicted = np.interp(found["step"].to_numpy(float), x, y) / y[0]
        error = float(np.mean(np.abs(predicted - found["value"].to_numpy(float))))
        family = found.iloc[0]["family"]
        yield pd.DataFrame([_row(family, "loss_error", "closed form", seed, error)])


def _row(family: str, measure: str, variant: str, seed: int, value: float) -> dict[str, Any]:
    about = {"family": family, "measure": measure, "variant": variant}
    return about | {"seed": seed, "value": value}
