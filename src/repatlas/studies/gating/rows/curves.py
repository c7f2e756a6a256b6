"""Loss curves: thinned for drawing, and how well one agrees with another."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from repatlas.dynamics.agreement import Agreement, agreement, between_neighbours, first_below
from repatlas.experiments.items.columns import COLUMNS

VARIANTS = dict(zip(Agreement._fields, ("D1", "D2", "D3", "D4", "R2", "levels"), strict=True))
"""The names in the tables of what dynamics/agreement.py computes."""
NETWORK = ["run", *COLUMNS, "diverged_step", "converged_step"]
"""What the rows of a network have in common."""
THEORIES = ("race", "closed_form", "mean_field", "recruited", "logistic")
"""Kinds without seeds: one curve is the theory of all networks."""


def losses(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of loss curves, at all epochs."""
    return rows[(rows["measure"] == "loss") & (rows["variant"] == "")]


def thinned(rows: pd.DataFrame, every: int = 10) -> pd.DataFrame:
    """Return loss curves for drawing, with one point for each `every` epochs."""
    found = losses(rows)
    return found[found["step"] % every == 0]


def curves_of(rows: pd.DataFrame) -> Iterator[tuple[pd.Series, list[int], np.ndarray, np.ndarray]]:
    """Yield settings, seeds, (n,), epochs, (T,), and losses, (n, T), of each network.

    Seeds that diverged are left out, and so are networks without any seed left.
    """
    found = losses(rows)
    for _, of_run in found.groupby("run", sort=False):
        kept = of_run[of_run["diverged_step"].isna()]
        if len(kept):
            wide = kept.pivot_table(index="seed", columns="step", values="value")
            yield (
                of_run.iloc[0][NETWORK],
                list(wide.index),
                wide.columns.to_numpy(),
                wide.to_numpy(),
            )


def agreement_rows(
    tested: pd.DataFrame, reference: pd.DataFrame, name: str, same: tuple[str, ...]
) -> pd.DataFrame:
    """Return how well loss curves agree with the curves of other networks, a number for each pair.

    Pairs are of one seed; a theory is compared with each network. `name` goes into the column
    `reference`; `same`: settings that the two must share.
    """
    found = []
    references = list(curves_of(reference))
    for about, seeds, epochs, curves in curves_of(tested):
        for other, other_seeds, other_epochs, others in references:
            if any(about[setting] != other[setting] for setting in same):
                continue
            shared, at, other_at = np.intersect1d(epochs, other_epochs, return_indices=True)
            for seed, curve in zip(other_seeds, others, strict=True):
                if about["network"] in THEORIES:
                    mine = curves[0]
                elif seed in seeds:
                    mine = curves[seeds.index(seed)]
                else:
                    continue
                of_pair = agreement(mine[at], curve[other_at], shared)
                found += _rows(about, seed, of_pair, name)
    return pd.DataFrame(found)


def reference_rows(networks: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of each network's curve with the curve of the next seed.

    Other agreement is compared with it.
    """
    found = []
    for about, seeds, epochs, curves in curves_of(networks):
        pairs = between_neighbours(curves, epochs) if len(seeds) > 1 else []
        for seed, of_pair in zip(seeds, pairs, strict=False):
            found += _rows(about, seed, of_pair, "next seed")
    return pd.DataFrame(found)


def epoch_below_rows(rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return a row for each network: the first epoch at which its loss is below a fraction of its
    first loss; infinite if it never is."""
    found = []
    for about, seeds, epochs, curves in curves_of(rows):
        for seed, curve in zip(seeds, curves, strict=True):
            epoch = first_below(curve, level * curve[0], epochs)
            found.append(
                about.to_dict()
                | {"seed": seed, "measure": "epoch_below", "variant": f"{level:g}"}
                | {"value": np.inf if np.isnan(epoch) else epoch}
            )
    return pd.DataFrame(found)


def _rows(about: pd.Series, seed: int, found: Agreement, name: str) -> list[dict]:
    common = about.to_dict() | {"seed": seed, "measure": "agreement", "reference": name}
    values = found._asdict().items()
    return [common | {"variant": VARIANTS[field], "value": float(value)} for field, value in values]
