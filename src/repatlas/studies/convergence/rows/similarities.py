"""Similarities of pairs of networks: one value for each seed, the similarity of two typical
networks, and means over disjoint pairs. Differences from the floor and from untrained networks are
here, too."""

import pandas as pd

from repatlas.experiments.classification.columns import COLUMNS
from repatlas.inference.seeds_of_pairs import medians_of_seeds, values_of_seeds
from repatlas.pairs.floor import FLOOR
from repatlas.studies.convergence.rows.networks import both_learned

OVER_PAIRS = "mean over pairs"
"""The contrast of a row that is a mean over disjoint pairs."""
TYPICAL = "two typical networks"
"""The contrast of a row about all pairs of networks: the median of the values of seeds."""
ONE_PAIR = "one pair"
"""The contrast of a row of a single pair, which allows no conclusion about other pairs."""
PLACE = ["comparison", "run", "layer", "items", "reduction"]
"""What tells layers of networks apart."""
PAIR = ["seed", "other_seed"]
UNTRAINED = 0
LESS = " minus"
"""Ends what is compared, in a variant, before what it is compared with."""


def learned_pairs(pairs: pd.DataFrame, networks: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that were compared, without networks that have not learned after step 0.

    networks: the rows of all single networks.
    """
    compared = pairs[pairs["layer"] >= 0]
    learned = both_learned(compared, networks).index
    return compared[(compared["step"] == UNTRAINED) | compared.index.isin(learned)]


def both_directions(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of both directions for measures with a value from a to b and one from b to a.

    It is nan if one of the values is. The direction is removed from the variant.
    """
    directed = pairs[pairs["variant"].str.contains("a to b|b to a")]
    variant = directed["variant"].str.replace(r"(, )?(a to b|b to a)(, )?", "", regex=True)
    by = [*PLACE, *PAIR, "step", "layer_name", "measure", "variant", "at", "similarity"]
    grouped = directed.assign(variant=variant).groupby(by, dropna=False, sort=False)["value"]
    found = grouped.agg(value="mean", count="count", size="size").reset_index()
    value = found["value"].where(found["count"] == found["size"])
    return found.drop(columns=["count", "size"]).assign(value=value)


def seed_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each seed, for intervals over networks (values_of_seeds).

    The value is the pseudo-value of all pairs of the seed. For disjoint pairs it is the value of
    the pair, under the smaller seed. Like all rows of single networks it has no contrast.
    """
    return _values_of_seeds(pairs, [*PLACE, "step", "measure", "variant", "at", "similarity"])


def typical(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each kind of pair: the similarity of two typical networks.

    It is the median of the values of seeds, with its interval and the standard deviation over
    pairs. Two networks have no pseudo-values; it is then the similarity of their pair.
    """
    by = [*PLACE, "step", "layer_name", "measure", "variant", "at", "similarity"]
    grouped = pairs.groupby(by, dropna=False, sort=False)["value"]
    found = grouped.agg(median="median", sd="std")
    values = _values_of_seeds(pairs, by)
    found = found.join(medians_of_seeds(values, by)).reset_index()
    value = found["value"].fillna(found["median"])
    return found.drop(columns="median").assign(value=value, contrast=TYPICAL)


def over_pairs(pairs: pd.DataFrame, more: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return mean and standard deviation over disjoint pairs, one row for each kind of pair.

    more: columns whose values also have separate rows.
    """
    by = [*PLACE, "step", "layer_name", "measure", "variant", "at", "similarity", *more]
    found = pairs.groupby(by, dropna=False, sort=False)["value"].agg(value="mean", sd="std")
    return found.reset_index().assign(contrast=OVER_PAIRS)


def _values_of_seeds(pairs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    named = pairs.rename(columns={"seed": "a_seed", "other_seed": "b_seed"})
    found = values_of_seeds(named[[*by, "a_seed", "b_seed", "value"]], by)
    return found.astype({name: pairs[name].dtype for name in by})


def with_settings_of(pairs: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return these rows, made of pairs, with the settings of the pairs' networks."""
    return rows.merge(pairs[["run", *COLUMNS]].drop_duplicates("run"), on="run")


def is_floor(rows: pd.DataFrame) -> pd.Series:
    """Return True for the rows of the noise floor."""
    return rows["variant"].str.endswith(FLOOR) & ~rows["variant"].str.endswith(LESS + FLOOR)


def minus_floor(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each value minus the noise floor, which is the mean over the pairs that have one."""
    is_there = is_floor(pairs)
    floors = pairs[is_there].assign(variant=pairs["variant"].str.removesuffix(FLOOR))
    by = [*PLACE, "step", "measure", "variant"]
    mean = floors.groupby(by, dropna=False)["value"].mean().reset_index()
    return _less(pairs[~is_there], mean, by, "floor")


def minus_untrained(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each value after training minus the value of the same pair before training."""
    start = pairs[pairs["step"] == UNTRAINED]
    by = [*PLACE, *PAIR, "measure", "variant"]
    return _less(pairs[pairs["step"] != UNTRAINED], start[[*by, "value"]], by, "untrained")


def minus_natural(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return each mean correlation of matched units minus the pair's correlation in natural
    order."""
    natural = pairs[pairs["measure"] == "natural"]
    by = [*PLACE, *PAIR, "step", "variant"]
    matched = pairs[pairs["measure"] == "matching"]
    return _less(matched, natural[[*by, "value"]], by, "natural")


def _less(pairs: pd.DataFrame, other: pd.DataFrame, by: list[str], name: str) -> pd.DataFrame:
    both = pairs.merge(other, on=by, suffixes=("", "_other"))
    value = both["value"] - both["value_other"]
    return both.drop(columns="value_other").assign(
        value=value, variant=both["variant"] + f"{LESS} {name}"
    )
