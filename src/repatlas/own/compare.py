"""Similarities of representations of the same items, with what says whether they mean anything."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.balanced import at_least
from repatlas.geometry.scaling import Scale, refuse_scale
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.blocked import Blocked
from repatlas.named import names
from repatlas.own.annotated import rows_of
from repatlas.own.arguments import (
    as_measures,
    as_representation,
    as_several,
    number_of_threads,
)
from repatlas.own.blocks import as_blocks, exchange
from repatlas.own.compared import Made, family_p, pairs_of, prepared_key
from repatlas.own.progress import doing, progress
from repatlas.own.result import DataFrame, frame, reasons
from repatlas.own.rows import matched_rows
from repatlas.own.trials import Drawn
from repatlas.similarity import Dissimilarities

PACKAGE = "own.similarities"
HINTS = {name: " Debiased CKA is 'alignment'." for name in ("cka", "CKA")}
"""What the refusal of a name adds to the list of similarities."""
OF_DISTANCES = ("rsa", "rho_a")
"""The measures that need dissimilarities alone."""
COLUMNS = ["a", "b", "measure", "value", "low", "high", "chance", "p", "p_family", "n", "of"]
COLUMNS += ["how", "reason"]
Several = Mapping[str, ArrayLike | Blocked | Dissimilarities]


@on_one_thread
@progress("compare")
def compare(
    a: ArrayLike | Dissimilarities | Several,
    b: ArrayLike | Dissimilarities | Several | None = None,
    measures: str | Sequence[str] = ("alignment",),
    draws: int = 199,
    seed: int = 0,
    blocks: ArrayLike | None = None,
    threads: int | None = None,
    scale: Scale = "rms",
) -> DataFrame:
    """Return how similar representations of the same items are, with chance levels and p values.

    a, b: (m, n) and (m, n'), items x features, or mappings from names to several such arrays, such
    as the layers of two networks. Each of a is compared with each of b; without b, all pairs of a.
    Rows of data frames are matched by their index: all must have the same names, each once, in any
    order. Row i of arrays, which have no names, must be the same item. If one is an array and one a
    data frame, rows are matched by position. The index must count 0, 1, 2 ... then
    (repatlas.own.rows). An AnnData is a data frame with the index obs_names. Tensors of torch may
    be on a GPU. a and b may be what `prepare` returns, which saves the time that concerns one
    representation alone.

    measures: one of these names, or a list of them.
    "alignment": the debiased kernel alignment (CKA), with the jackknife's interval over items. Of 3
    to 7 items it is the plain alignment.
    "cca": the mean canonical correlation; "svcca"; "pwcca": the mean of both weightings.
    "matching": the mean correlation of units in pairs.
    "procrustes": the cosine of the shape distance.
    "rsa": the Spearman correlation of the Euclidean distances of items. "rho_a": the same without
    the correction for ties, which is fair to models that predict few different distances. Both take
    own.Dissimilarities of the items, such as judgements, instead of an array.
    "neighbours": the fraction of the 10 nearest neighbours that are shared.
    "calibrated_neighbours": this fraction minus chance.
    "predictivity": the fraction of the variance of held-out items that ridge regression predicts,
    mean of both directions.
    All are similarities and 1 for equal representations, except predictivity, which is less if
    there are more features than items. chance is the mean over permutations of the items of b. For
    alignment it is 0, and for plain alignment the exact mean over all orders.
    p: the p value of the null hypothesis that a and b have nothing in common, from the same
    permutations. p_family: the p value for all pairs of a measure together (max-T). If no pair has
    anything in common, the probability of any p_family of 0.05 or less is 0.05. draws: the number
    of permutations, so that p is 1 / (draws + 1) at least. If there are more than 1000 items,
    alignment and rsa permute a random 1000. Each draw takes as long as the values themselves.
    draws=0 leaves out p, and chance for all measures except alignment.
    seed: the same seed gives the same numbers.
    blocks: (m,), the run or film of each row of a, as numbers or names, if rows of one block are
    not independent. Permutations then move whole blocks, the jackknife leaves out whole blocks, and
    predictivity holds them out. Blocks of different lengths cannot change places. Items are then
    permuted within blocks, and the reason says so. Such a p holds if the order of items within
    blocks was random.
    threads: how many pairs alignment computes at a time. None means as many as this process has
    cores, and 4 at most. The numbers are the same for any number of threads. Each needs up to 1.2
    GB.
    scale: "features" divides each feature by its standard deviation in the fitted items, for
    predictivity of features in different units. Other measures have no fit: divide beforehand.

    The result has a row for each number. Its columns are a, b, measure, value, low and high (the
    95 % interval), chance, p, p_family, n (of items), how (the estimator) and reason. A reason is
    given if there is no value, or no interval. For example, canonical correlations of more features
    than items are 1 for any data; their value is nan.
    Raises ValueError for malformed input, and for different items.

    The layer is compared with itself plus noise, in another order of units, and with another layer.

    >>> rng = np.random.default_rng(0)
    >>> layer, noise, other = rng.standard_normal((3, 200, 10))
    >>> found = compare({"layer": layer}, {"noisy": layer[:, ::-1] + noise, "other": other})
    >>> found[["b", "value", "p_family"]].round(3).values.tolist()
    [['noisy', 0.488, 0.005], ['other', -0.011, 1.0]]
    """
    if not isinstance(draws, int | np.integer) or draws < 0 or draws == 1:
        raise ValueError(f"draws is {draws!r}; allowed are 0 and whole numbers from 2.")
    at_least("seed", seed, 0)
    refuse_scale(scale)
    threads = number_of_threads(threads)
    measures = as_measures(measures, names(PACKAGE), HINTS)
    first = named_arrays("a", a)
    second = None if b is None else named_arrays("b", b)
    if second is None and len(first) < 2:
        raise ValueError(
            "a has one representation and b none; allowed are two or more, as a mapping from names "
            "to arrays. dict(enumerate(a)) makes one of a list."
        )
    made: Made = {
        prepared_key(of.patterns): of
        for of in [*_values(a), *_values(b)]
        if isinstance(of, Blocked)
    }
    first, second, groups = matched(first, second, blocks, made)
    refuse_dissimilarities([*first.items(), *(second or {}).items()], measures)
    way = exchange(groups if draws else None)
    keys, others = list(first), list(first if second is None else second)
    xs, ys = list(first.values()), None if second is None else list(second.values())
    found = []
    drawn = Drawn(
        draws if way.allowed else 0, seed, groups, way.within, scale=scale, threads=threads
    )
    for number, name in enumerate(measures, 1):
        doing(name, number, len(measures))
        pairs = list(pairs_of(name, xs, ys, drawn, made))
        for pair, family in zip(pairs, family_p(pairs), strict=True):
            of = {"a": keys[pair.i], "b": others[pair.j], "p_family": float(family)}
            result = pair.result._replace(reason=reasons(pair.result.reason, way.reason))
            found.append(of | result._asdict())
    return frame(found, COLUMNS)


def _values(arrays: ArrayLike | Several | None) -> list[Any]:
    return list(arrays.values()) if isinstance(arrays, Mapping) else [arrays]


def refuse_dissimilarities(arrays: Iterable[tuple[str, Any]], measures: Sequence[str]) -> None:
    """Raise ValueError for dissimilarities if a measure needs items x features."""
    wrong = next((each for each in measures if each not in OF_DISTANCES), None)
    for name, of in arrays:
        if isinstance(of, Dissimilarities) and wrong:
            raise ValueError(
                f"measures has {wrong!r}, which needs items x features, and {name!r} is "
                f"dissimilarities; allowed are {' and '.join(OF_DISTANCES)}."
            )


def named_arrays(name: str, arrays: ArrayLike | Several) -> dict[str, Any]:
    """Return several representations by name; one alone has the name of the argument."""
    found = as_several(name, arrays) if isinstance(arrays, Mapping) else {name: arrays}
    found = {key: rows_of(value) for key, value in found.items()}
    if not found:
        raise ValueError(f"{name} is empty; allowed is one representation or more.")
    return found


def matched(
    first: dict[str, Any],
    second: dict[str, Any] | None,
    blocks: Any,
    made: Made,
    sides: tuple[str, str] = ("a", "b"),
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]] | None, NDArray[np.intp] | None]:
    """Return all as arrays, with the same item in row i of each, and the block of each row. What
    was prepared was looked at then. sides: what the arguments are called in sentences."""
    a, b = sides
    given = {array_name(a, key): value for key, value in first.items()}
    given |= {array_name(b, key): value for key, value in (second or {}).items()}
    every = matched_rows(given if blocks is None else given | {"blocks": blocks})
    arrays = {
        name: every[name]
        if prepared_key(every[name]) in made
        else as_representation(name, every[name])
        for name in given
    }
    numbers = {name: len(array) for name, array in arrays.items()}
    if len(set(numbers.values())) > 1:
        least, most = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
        raise ValueError(
            f"{least} has {numbers[least]} items and {most} has {numbers[most]}; both must describe"
            f" the same items."
        )
    return (
        {key: arrays[array_name(a, key)] for key in first},
        None if second is None else {key: arrays[array_name(b, key)] for key in second},
        None if blocks is None else as_blocks(every["blocks"], max(numbers.values()), "items"),
    )


def array_name(name: str, key: str) -> str:
    """Return what sentences call one representation of several."""
    return name if key == name else f"{name}[{key!r}]"
