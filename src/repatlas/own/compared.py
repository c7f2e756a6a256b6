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
    where none has anything in common (max_t)."""
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
) -> Iterator[Compared]:
    """Each pair by a similarity of what is made of each array once. Where it is not defined, the
    reason is what it raises."""
    of_x = [prepared(x) for x in xs]
    of_y = of_x if ys is None else [prepared(y) for y in ys]
    number = len(xs[0])
    orders = permutations(number, drawn.draws, drawn.groups, drawn.seed)
    for i, j in places(len(xs), None if ys is None else len(ys)):
        common: dict[str, Any] = {"n": number, "of": "items"}
        try:
            value = similarity(of_x[i], of_y[j])
        except ValueError as error:
            nothing = np.full(drawn.draws, NAN)
            result = Result(name, NAN, how, reason=str(error), **common)
            yield Compared(i, j, result, NAN, nothing)
            continue
        # The same orders for all pairs, as max-T wants.
        null = np.array([similarity(of_x[i], _in_order(of_y[j], order)) for order in orders])
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


def _in_order(y: Any, order: NDArray[np.intp]) -> Any:
    return y._replace(left=y.left[order]) if isinstance(y, ThinSVD) else y[order]
