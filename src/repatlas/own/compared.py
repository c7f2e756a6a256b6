"""A similarity of two representations, beside that of the same items matched at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from repatlas.inference.permutation import add_one_p, max_t, permutations
from repatlas.own.result import NAN, Result
from repatlas.own.trials import Drawn
from repatlas.similarity import ThinSVD

NO_INTERVAL = "no interval is known to hold: compare with chance, or over networks"
Arrays = Sequence[NDArray[Any]]
Made = dict[tuple[str, int], Any]
"""What was made of arrays, by how and by their place in memory, for several measures: thin SVDs."""


class Compared(NamedTuple):
    """A pair, by the numbers of its two, with what is known of its similarity."""

    i: int
    j: int
    result: Result
    statistic: float
    """What p compares with `permuted`: the value, of the items that were permuted"""
    permuted: NDArray[np.float64]
    """(draws,): of the same pair with permuted items, in the same order for all pairs"""


def places(a: int, b: int | None) -> list[tuple[int, int]]:
    """The numbers of both in each pair: all of a and b, or two of a that are not the same."""
    if b is None:
        return [(i, j) for i in range(a) for j in range(i + 1, a)]
    return [(i, j) for i in range(a) for j in range(b)]


def family_p(pairs: Sequence[Compared]) -> NDArray[np.float64]:
    """p values of all pairs together, (pairs,): the probability of any of 0.05 or less is 0.05
    where none has anything in common (max_t). nan without draws."""
    if not pairs or not len(pairs[0].permuted):
        return np.full(len(pairs), NAN)
    statistics = np.array([pair.statistic for pair in pairs])
    return max_t(statistics, np.stack([pair.permuted for pair in pairs], axis=1))


def compared(
    name: str,
    how: str,
    similarity: Callable[[Any, Any], float],
    prepared: Callable[[NDArray[Any]], Any],
    xs: Arrays,
    ys: Arrays | None,
    drawn: Drawn,
    made: Made,
) -> Iterator[Compared]:
    """Each pair by a similarity of what is made of each array once. Where it is not defined, the
    reason is what it raises."""
    of_x = [_once(prepared, x, made) for x in xs]
    of_y = of_x if ys is None else [_once(prepared, y, made) for y in ys]
    number = len(xs[0])
    for i, j in places(len(xs), None if ys is None else len(ys)):
        common: dict[str, Any] = {"n": number, "of": "items"}
        value, reason = float("nan"), "all items of a, or of b, are the same"
        try:
            value = similarity(of_x[i], of_y[j])
        except ValueError as error:
            reason = str(error)
        if np.isnan(value):
            nothing = np.full(drawn.draws, NAN)
            yield Compared(i, j, Result(name, NAN, how, reason=reason, **common), NAN, nothing)
            continue
        null = np.array(
            [
                similarity(_in_order(of_x[i], one), _in_order(of_y[j], other))
                for one, other in _orders(i, j, number, drawn)
            ]
        )
        if not drawn.draws:
            yield Compared(
                i, j, Result(name, value, how, reason=NO_INTERVAL, **common), value, null
            )
            continue
        result = Result(
            name,
            value,
            how,
            chance=float(null.mean()),
            p=float(add_one_p(value, null)),
            reason=NO_INTERVAL,
            **common,
        )
        yield Compared(i, j, result, value, null)


def _once(prepared: Callable[[NDArray[Any]], Any], x: NDArray[Any], made: Made) -> Any:
    key = prepared.__name__, id(x)
    if key not in made:
        made[key] = prepared(x)
    return made[key]


def _orders(
    i: int, j: int, number: int, drawn: Drawn
) -> Iterator[tuple[NDArray[np.intp] | None, NDArray[np.intp]]]:
    """Of each draw the order of the items of both; None for the order that they have. The same for
    all pairs, as max-T wants: of all y's, or of each array by its own seed."""
    if not drawn.draws:
        return
    if drawn.seeds is None:
        orders = permutations(number, drawn.draws, drawn.groups, drawn.seed)
        yield from ((None, order) for order in orders)
        return
    one, other = drawn.seeds[0][i], (drawn.seeds[1] or drawn.seeds[0])[j]
    yield from zip(
        permutations(number, drawn.draws, drawn.groups, one),
        permutations(number, drawn.draws, drawn.groups, other),
        strict=True,
    )


def _in_order(y: Any, order: NDArray[np.intp] | None) -> Any:
    if order is None:
        return y
    return y._replace(left=y.left[order]) if isinstance(y, ThinSVD) else y[order]
