"""Distances of networks: from rows of pairs one value for each seed, and the distance of two
typical networks."""

import pandas as pd

from repatlas.experiments.classification.columns import COLUMNS
from repatlas.inference.seeds_of_pairs import medians_of_seeds, values_of_seeds
from repatlas.pairs.floor import FLOOR
from repatlas.studies.convergence.rows.networks import both_learned

TYPICAL = "two typical networks"
"""The contrast of a row about all pairs of a kind: the median of the values of seeds."""
ABOUT = [
    *("comparison", *COLUMNS, "run", "step", "layer", "other_run", "other_step", "other_layer"),
    *("layer_name", "items", "reduction", "measure", "variant"),
]
"""What tells kinds of pairs apart."""
SIZES = ["m", "h_a", "h_b"]
KEPT = ["rank_a", "rank_b", "kept_a", "kept_b"]
"""What differs from pair to pair: rows of means have their median."""
UNTRAINED = 0


def distances(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with 1 - similarity as their value.

    Rows of the input, which is the same for all networks, and of pairs that could not be compared,
    are left out.
    """
    found = pairs[(pairs["layer"] > 0) & (pairs["variant"] != "diverged")]
    similar = found["similarity"].astype(bool)
    value = found["value"].where(~similar, 1 - found["value"])
    return found.assign(value=value, similarity=False)


def learned_pairs(
    pairs: pd.DataFrame, rows: pd.DataFrame, least: float | None = None
) -> pd.DataFrame:
    """Return the pairs without networks that have not learned; pairs at step 0 stay.

    A network has learned if it has this training accuracy; with 0, if it did not diverge. rows: the
    rows of all networks. If the two are of different kinds, a seed that has not learned in one is
    left out of both. The value of a seed is made of its pairs both ways round.
    """
    crossed = pairs.rename(columns={"seed": "other_seed", "other_seed": "seed"})
    learned = both_learned(pairs, rows, least).index.intersection(
        both_learned(crossed, rows, least).index
    )
    return pairs[(pairs["step"] == UNTRAINED) | pairs.index.isin(learned)]


def seed_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each seed and kind of pair, with its value (values_of_seeds).

    The values are for intervals over networks. Each disjoint pair has one floor.
    """
    named = pairs.rename(columns={"seed": "a_seed", "other_seed": "b_seed"})
    found = values_of_seeds(named, [*ABOUT, *SIZES, "similarity"])
    return found.astype({name: pairs[name].dtype for name in SIZES})


def typical(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each kind of pair: the distance of two typical networks.

    It is the median of the values of seeds, with its interval and the standard deviation over
    pairs. Two networks of a kind have no pseudo-values; it is then the distance of their pair.
    """
    if pairs.empty:
        return pairs
    by = [*ABOUT, *SIZES, "similarity"]
    grouped = pairs.groupby(by, dropna=False, sort=False)
    found = grouped["value"].agg(median="median", sd="std").join(grouped[KEPT].median().round())
    found = found.join(medians_of_seeds(seed_rows(pairs), by)).reset_index()
    value = found["value"].fillna(found["median"])
    return found.drop(columns="median").assign(value=value, contrast=TYPICAL)


def is_floor(rows: pd.DataFrame) -> pd.Series:
    return rows["variant"].str.endswith(FLOOR)
