"""A similarity of two representations, and its values for items that are matched at random."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.permutation import add_one_p, max_t, permutations
from repatlas.named import named
from repatlas.own.progress import at_part, tick
from repatlas.own.result import NAN, Result
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD

NO_INTERVAL = "no interval is known to hold: compare with chance, or over networks"
Arrays = Sequence[NDArray[Any]]
Made = dict[tuple[str, int], Any]
"""What was made of arrays, by how and by their place in memory: thin SVDs for several measures, and
what a user prepared."""


class Compared(NamedTuple):
    """A pair, by the numbers of its two, with what is known of its similarity."""

    i: int
    j: int
    result: Result
    statistic: float
    """What p compares with `permuted`: the value, of the items that were permuted"""
    permuted: NDArray[np.float64]
    """(draws,): of the same pair with permuted items, in the same order for all pairs"""


def prepared_key(x: NDArray[Any]) -> tuple[str, int]:
    """Return the key of what a user prepared of an array (own/prepare.py)."""
    return "prepared", id(x)


def places(a: int, b: int | None) -> list[tuple[int, int]]:
    """Return the indices of each pair: all pairs of a and b, or of two different ones of a."""
    if b is None:
        return [(i, j) for i in range(a) for j in range(i + 1, a)]
    return [(i, j) for i in range(a) for j in range(b)]


def family_p(pairs: Sequence[Compared]) -> NDArray[np.float64]:
    """Return p values of all pairs together, (pairs,). The probability that any is 0.05 or less is
    0.05 if no pair has anything in common (max_t). They are nan without draws."""
    if not pairs or not len(pairs[0].permuted):
        return np.full(len(pairs), NAN)
    statistics = np.array([pair.statistic for pair in pairs])
    return max_t(statistics, np.stack([pair.permuted for pair in pairs], axis=1))


def pairs_of(
    name: str, xs: Arrays, ys: Arrays | None, drawn: Drawn, made: Made
) -> Iterator[Compared]:
    """Yield the similarity of this name of each pair of an x and a y; without ys, of all pairs of
    xs. Chance is the mean over permutations, unless the similarity knows better."""
    of = named("own.similarities", name)
    if hasattr(of, "pairs"):
        yield from of.pairs(xs, ys, drawn, made)
        return
    most = getattr(of, "MOST", None)
    yield from compared(name, of.HOW, of.similarity, of.PREPARED, xs, ys, drawn, made, most)


def compared(
    name: str,
    how: str,
    similarity: Callable[[Any, Any], float],
    prepared: Callable[[NDArray[Any]], Any],
    xs: Arrays,
    ys: Arrays | None,
    drawn: Drawn,
    made: Made,
    permuted: int | None = None,
) -> Iterator[Compared]:
    """Yield each pair with its similarity. Each array is prepared once.

    If a similarity is not defined, the reason is the message of its error. permuted: the most items
    in permutations; None: all.
    """
    number = len(xs[0])
    some = None
    if permuted is not None and number > permuted and drawn.draws:
        some = permuted_rows(number, drawn, permuted)
        groups = None if drawn.groups is None else drawn.groups[some]
        drawn, number_drawn = drawn._replace(groups=groups), len(some)
    else:
        number_drawn = number
    every = places(len(xs), None if ys is None else len(ys))
    for place, (i, j) in enumerate(every, 1):
        at_part(f"pair {place} of {len(every)}")
        x, y = xs[i], xs[j] if ys is None else ys[j]
        common: dict[str, Any] = {"n": number, "of": "items"}
        value, reason = float("nan"), "all items of a, or of b, are the same"
        try:
            one, other = _once(prepared, x, made), _once(prepared, y, made)
            value = similarity(one, other)
        except ValueError as error:
            reason = str(error)
        if np.isnan(value):
            nothing = np.full(drawn.draws, NAN)
            yield Compared(i, j, Result(name, NAN, how, reason=reason, **common), NAN, nothing)
            continue
        statistic = value
        if some is not None:
            one, other = (_once(prepared, of, made, some) for of in (x, y))
            statistic = similarity(one, other)
        null = np.empty(drawn.draws)
        for draw, (order, another) in enumerate(_orders(i, j, number_drawn, drawn)):
            null[draw] = similarity(_in_order(one, order), _in_order(other, another))
            tick()
        result = Result(name, value, how, reason=NO_INTERVAL, **common)
        if drawn.draws:
            p = float(add_one_p(statistic, null))
            result = result._replace(chance=float(null.mean()), p=p)
        yield Compared(i, j, result, statistic, null)


def permuted_rows(number: int, drawn: Drawn, most: int) -> NDArray[np.intp]:
    """Return the rows that are permuted: all, or `most` at random, whole groups of them."""
    if number <= most:
        return np.arange(number)
    random = np.random.default_rng(drawn.seed)
    if drawn.groups is None:
        return np.sort(random.permutation(number)[:most])
    names, counts = np.unique(drawn.groups, return_counts=True)
    some = random.permutation(names)[: max(most // counts.max(), 2)]
    return np.flatnonzero(np.isin(drawn.groups, some))


def _once(
    prepared: Callable[[NDArray[Any]], Any],
    x: NDArray[Any],
    made: Made,
    some: NDArray[np.intp] | None = None,
) -> Any:
    """Return what is made of an array, or of some of its rows."""
    key = prepared.__name__ + ("" if some is None else " of some"), id(x)
    if key not in made:
        made[key] = prepared(x if some is None else x[some])
    return made[key]


def _orders(
    i: int, j: int, number: int, drawn: Drawn
) -> Iterator[tuple[NDArray[np.intp] | None, NDArray[np.intp]]]:
    """Yield the orders of the items of both sides for each draw; None means unchanged.

    max-T needs the same orders for all pairs: one order for all y's, or one for each array by its
    seed.
    """
    if not drawn.draws:
        return
    if drawn.seeds is None:
        orders = permutations(number, drawn.draws, drawn.groups, drawn.seed, drawn.within)
        yield from ((None, order) for order in orders)
        return
    one, other = drawn.seeds[0][i], (drawn.seeds[1] or drawn.seeds[0])[j]
    yield from zip(
        permutations(number, drawn.draws, drawn.groups, one, drawn.within),
        permutations(number, drawn.draws, drawn.groups, other, drawn.within),
        strict=True,
    )


def _in_order(y: Any, order: NDArray[np.intp] | None) -> Any:
    if order is None:
        return y
    if hasattr(y, "in_order"):
        return y.in_order(order)
    return y._replace(left=y.left[order]) if isinstance(y, ThinSVD) else y[order]
