"""Similarities of representations of the same items, with what says whether they mean anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_array
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.blocked import Blocked
from repatlas.named import named, names
from repatlas.own.annotated import rows_of
from repatlas.own.arguments import (
    as_names,
    as_representation,
    as_several,
    refuse_extremes,
    refuse_seed,
)
from repatlas.own.blocks import as_blocks, why_not_permuted
from repatlas.own.compared import Made, family_p, prepared_key
from repatlas.own.prepare import number_of_threads
from repatlas.own.progress import doing, progress
from repatlas.own.result import frame, reasons
from repatlas.own.rows import matched_rows
from repatlas.own.trials import Drawn

if TYPE_CHECKING:
    import pandas as pd

PACKAGE = "own.similarities"
HINTS = {name: " Debiased CKA is 'alignment'." for name in ("cka", "CKA")}
"""What the refusal of a name adds to the list of similarities."""
COLUMNS = ["a", "b", "measure", "value", "low", "high", "chance", "p", "p_family", "n", "of"]
COLUMNS += ["how", "reason"]
Several = Mapping[str, ArrayLike | Blocked]


@on_one_thread
@progress("compare")
def compare(
    a: ArrayLike | Several,
    b: ArrayLike | Several | None = None,
    measures: str | Sequence[str] = ("alignment",),
    items: tuple[Sequence[Any], Sequence[Any]] | None = None,
    draws: int = 199,
    seed: int = 0,
    blocks: ArrayLike | None = None,
    threads: int | None = None,
) -> pd.DataFrame:
    """Return how similar representations of the same items are, with chance levels and p values.

    a, b: (m, n) and (m, n'), items x features, or mappings from names to several such arrays, such
    as the layers of two networks. Each of a is compared with each of b; without b, all pairs of a.
    items: two lists of names, of the rows of a and of the rows of b. Rows are then matched by name,
    and both lists must have the same names, each once. Without it the rows of data frames are
    matched by their index: all must have the same names, each once, in any order. Row i of arrays,
    which have no names, must be the same item. If one is an array and one a data frame, rows are
    matched by position. The index must count 0, 1, 2 ... then (repatlas.own.rows). An AnnData is a
    data frame with the index obs_names. Tensors of torch may be on a GPU. a and b may be what
    `prepare` returns, which saves the time that concerns one representation alone.

    measures: one of these names, or a list of them.
    "alignment": the debiased kernel alignment (CKA), with the jackknife's interval over items. Of 3
    to 7 items it is the plain alignment.
    "cca": the mean canonical correlation; "svcca"; "pwcca": the mean of both weightings.
    "matching": the mean correlation of units in pairs.
    "procrustes": the cosine of the shape distance.
    "rsa": the Spearman correlation of the Euclidean distances of items.
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
    not independent. Permutations then move whole blocks of the same number of rows, the jackknife
    leaves out whole blocks, and predictivity holds them out. If blocks cannot be exchanged, p and
    chance are missing, and the reason says why.
    threads: how many pairs alignment computes at a time. None means as many as this process has
    cores, and 4 at most. The numbers are the same for any number of threads. Each needs up to 1.2
    GB.

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
    refuse_seed(seed)
    threads = number_of_threads(threads)
    measures = as_names("measures", measures)
    refuse_unknown(measures)
    first = _named("a", a)
    second = None if b is None else _named("b", b)
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
    first, second, groups = _matched(first, second, items, blocks, made)
    no_p = "" if groups is None or not draws else why_not_permuted(groups)
    keys, others = list(first), list(first if second is None else second)
    xs, ys = list(first.values()), None if second is None else list(second.values())
    found = []
    drawn = Drawn(0 if no_p else draws, seed, groups, threads=threads)
    for number, name in enumerate(measures, 1):
        doing(name, number, len(measures))
        pairs = list(named(PACKAGE, name).pairs(xs, ys, drawn, made))
        for pair, family in zip(pairs, family_p(pairs), strict=True):
            of = {"a": keys[pair.i], "b": others[pair.j], "p_family": float(family)}
            result = pair.result._replace(reason=reasons(pair.result.reason, no_p))
            found.append(of | result._asdict())
    return frame(found, COLUMNS)


def _values(arrays: ArrayLike | Several | None) -> list[Any]:
    return list(arrays.values()) if isinstance(arrays, Mapping) else [arrays]


def refuse_unknown(measures: Sequence[str], hints: Mapping[str, str] = HINTS) -> None:
    """Raise ValueError for a name that is no similarity. hints: what the sentence adds for some of
    these names."""
    for name in measures:
        if name not in names(PACKAGE):
            allowed = ", ".join(names(PACKAGE))
            raise ValueError(f"measures has {name!r}; allowed are {allowed}.{hints.get(name, '')}")


def _named(name: str, arrays: ArrayLike | Several) -> dict[str, Any]:
    """Return several representations by name; one alone has the name of the argument."""
    found = as_several(name, arrays) if isinstance(arrays, Mapping) else {name: arrays}
    found = {key: rows_of(value) for key, value in found.items()}
    if not found:
        raise ValueError(f"{name} is empty; allowed is one representation or more.")
    return found


def _matched(
    first: dict[str, Any],
    second: dict[str, Any] | None,
    items: Any,
    blocks: Any,
    made: Made,
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]] | None, NDArray[np.intp] | None]:
    """Return all as arrays, with the same item in row i of each, and the block of each row. What
    was prepared was looked at then."""
    given = {_array_name("a", key): value for key, value in first.items()}
    if blocks is not None:
        given["blocks"] = blocks
    others = {_array_name("b", key): value for key, value in (second or {}).items()}
    if items is None:
        every = matched_rows(given | others)
    elif second is None:
        raise ValueError("items is given without b; allowed with a and b, names of both rows.")
    else:
        # `items` names the rows of each side, whose arrays have their rows in one order.
        named_a = matched_rows(given | {"items of a": items[0]})
        named_b = matched_rows(others | {"items of b": items[1]})
        items = named_a.pop("items of a"), named_b.pop("items of b")
        every = named_a | named_b
    of_rows = every.pop("blocks", None)
    given.pop("blocks", None)
    arrays = {
        name: value if prepared_key(value) in made else as_representation(name, value)
        for name, value in every.items()
    }
    for name, array in arrays.items():
        refuse_extremes(name, array)
    if items is not None:
        order = _order([[arrays[name] for name in side] for side in (given, others)], items)
        arrays |= {name: arrays[name][order] for name in others}
    numbers = {name: len(array) for name, array in arrays.items()}
    if len(set(numbers.values())) > 1:
        least, most = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
        raise ValueError(
            f"{least} has {numbers[least]} items and {most} has {numbers[most]}; both must describe"
            f" the same items: items=(names of a, names of b) matches rows by name."
        )
    return (
        {key: arrays[_array_name("a", key)] for key in first},
        None if second is None else {key: arrays[_array_name("b", key)] for key in second},
        None if of_rows is None else as_blocks(of_rows, next(iter(numbers.values())), "items"),
    )


def _array_name(name: str, key: str) -> str:
    return name if key == name else f"{name}[{key!r}]"


def _order(arrays: list[list[NDArray[Any]]], items: Any) -> NDArray[np.intp]:
    """Return the rows of b that are the items of a."""
    names = [as_array(f"items of {n}", of) for n, of in zip("ab", items, strict=True)]
    for n, each, of in zip("ab", arrays, names, strict=True):
        rows = len(each[0])
        if of.shape != (rows,):
            raise ValueError(
                f"items of {n} has shape {of.shape}; allowed is a name for each of {rows} rows."
            )
        values, counts = np.unique(of, return_counts=True)
        if counts.max() > 1:
            repeated, times = values.tolist()[counts.argmax()], counts.max()
            raise ValueError(
                f"items of {n} has {repeated!r} {times} times; allowed is each item once: take the"
                f" mean of repeats."
            )
    if missing := sorted(set(names[0].tolist()) ^ set(names[1].tolist())):
        some = ", ".join(map(repr, missing[:5]))
        raise ValueError(
            f"items has {len(missing)} that a or b lacks: {some}; leave them out of both."
        )
    place = {name: row for row, name in enumerate(names[1].tolist())}
    return np.array([place[name] for name in names[0].tolist()])
