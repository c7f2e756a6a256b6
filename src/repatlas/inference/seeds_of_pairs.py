"""From rows of pairs of networks to one value for each seed, for intervals and paired contrasts."""

import numpy as np
import pandas as pd

from repatlas.inference.intervals import median_interval
from repatlas.inference.pseudovalues import pseudo_values


def values_of_seeds(pairs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return one value for each seed and combination of the columns `by`: columns by, seed, value.

    pairs: rows with a_seed, b_seed and value. Each combination of `by` (a measure, a layer, a step
    ...) has each pair of seeds at most once. The value of a seed depends on the pairs:

    All pairs of different seeds, of one group of networks or of two: the value of a seed is its
    jackknife pseudo-value (`pseudo_values`). If there are two groups A and B, the pairs (A_i, B_j)
    and (A_j, B_i) count as one, with their mean, and both are necessary.

    Disjoint pairs, so that no seed is in two, or pairs of networks of the same seed: the value of
    the pair is the value of the smaller seed. Such pairs are already independent.

    The mean of the values is the mean over pairs; figures and claims state their median
    (`medians_of_seeds`). They are linear in the pairs' values: contrasts are
    differences of values of the same seed. A seed whose pairs have no value, as one that diverged,
    has none, and the others are as they would be without it. Fewer than three seeds with values
    have no pseudo-values: all are nan.
    Raises ValueError for a pair that is there twice, and if a single pair of a seed lacks its
    value. It is raised, too, for pairs that are neither all nor disjoint, such as each seed with
    the next.

    Seeds 0 and 1 are alike by 0.8, and each by 0.6 to the third.

    >>> pairs = pd.DataFrame(
    ...     [(0, 1, 0.8), (0, 2, 0.6), (1, 2, 0.6)], columns=["a_seed", "b_seed", "value"]
    ... ).assign(layer=1)
    >>> values_of_seeds(pairs, ["layer"])["value"].round(4).tolist()
    [0.8, 0.8, 0.4]
    """
    pairs = pairs.reset_index(drop=True)
    groups = pairs.groupby(by, dropna=False, sort=True) if by else [((), pairs)]
    firsts, seeds, values = [], [np.empty(0, dtype=int)], [np.empty(0)]
    for _, group in groups:
        of_seeds, of_values = _seeds_and_values(group)
        firsts += [group.index[0]] * len(of_seeds)
        seeds.append(of_seeds)
        values.append(of_values)
    about = pairs.loc[firsts, by].reset_index(drop=True)
    return about.assign(seed=np.concatenate(seeds), value=np.concatenate(values))


def medians_of_seeds(seeds: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return value, low and high by the columns `by`: the median of the values of seeds with its
    interval. From all pairs it is the similarity of two typical networks (`pseudo_values`); from
    disjoint pairs it is the similarity of a typical pair."""
    grouped = seeds.groupby(by, dropna=False, sort=False)["value"]
    found = {place: median_interval(values.to_numpy(float)) for place, values in grouped}
    places = grouped.size().index
    return pd.DataFrame(
        [found_of for found_of in found.values()], index=places, columns=["value", "low", "high"]
    )


def _seeds_and_values(group: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the seeds and their values."""
    a, b = (group[name].to_numpy(dtype=int) for name in ("a_seed", "b_seed"))
    values = group["value"].to_numpy(dtype=float)
    if len(set(zip(a.tolist(), b.tolist(), strict=True))) < len(group):
        i, j = group.loc[group.duplicated(["a_seed", "b_seed"]), ["a_seed", "b_seed"]].iloc[0]
        raise ValueError(
            f"pairs has seeds {i} and {j} twice; allowed is each pair"
            f" once for each combination of `by`: name the columns in which the rows differ."
        )
    ends = np.concatenate([a, b[a != b]])
    seeds, counts = np.unique(ends, return_counts=True)
    if (counts == 1).all():
        order = np.argsort(np.minimum(a, b))
        return np.minimum(a, b)[order], values[order]
    place = {seed: number for number, seed in enumerate(seeds.tolist())}
    table = np.full((len(seeds), len(seeds)), np.nan)
    there = np.eye(len(seeds), dtype=bool)
    for i, j, value in zip(a.tolist(), b.tolist(), values, strict=True):
        table[place[i], place[j]] = value
        there[place[i], place[j]] = True
    one_way = not (there & there.T & ~np.eye(len(seeds), dtype=bool)).any()
    if one_way:
        table = np.where(there, table, table.T)
        there |= there.T
    if not there.all():
        i, j = seeds[np.argwhere(~there)[0]]
        raise ValueError(
            f"pairs lacks the seeds {i} and {j}; allowed are all pairs of different seeds, of two"
            f" groups both ways round, or disjoint ones."
        )
    return seeds, pseudo_values(table)
