"""Debiased kernel alignment (CKA) with the values of each variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.geometry import chance_alignment, kernel_alignment
from repatlas.inference.alignment_pairs import aligned_pairs
from repatlas.inference.intervals import FEWEST
from repatlas.inference.nulls import SHUFFLED
from repatlas.inference.permutation import permute_items
from repatlas.own.blocks import why_not_permuted
from repatlas.own.compared import permuted_rows
from repatlas.own.result import (
    FEWEST_ITEMS,
    ITEMS_NEEDED,
    MOST_PERMUTED,
    NAN,
    PLAIN,
    Result,
    draws_of,
    reasons,
)
from repatlas.own.similarities.alignment import plain_alignment
from repatlas.own.trials import Drawn, Trials

OF = "checkpoint"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield the alignment with the values of each variable (one-hot): of items, or of the means of
    conditions. Chance is 0; p permutes items, a random 1000 of them where there are more. Fewer
    than 8 have the plain alignment, with its chance level."""
    if seen.rows == "items":
        x, levels, of = seen.samples, seen.levels, "items"
    else:
        x, levels, of = seen.means, seen.table, "conditions"
    draws, seed = seen.drawn.draws, seen.drawn.seed
    blocks = seen.drawn.groups if seen.rows == "items" else None
    no_p = "" if blocks is None else why_not_permuted(blocks, levels)
    for column, name in enumerate(seen.names):
        y = np.eye(len(seen.values[column]))[levels[:, column]]
        common: dict[str, Any] = {"about": name, "chance": 0.0, "n": len(x), "of": of}
        if len(x) < FEWEST_ITEMS:
            reason = f"{len(x)} {of}, {FEWEST_ITEMS} or more needed"
            yield Result("alignment", NAN, PLAIN, reason=reason, **common)
            continue
        if len(x) < ITEMS_NEEDED:
            yield from _rows_of_few(x, y, seen, blocks, no_p, common)
            continue
        pair = aligned_pairs([x], [y], groups=blocks, seed=seed)
        low, high = float(pair.low[0, 0]), float(pair.high[0, 0])
        null = None
        if not no_p:
            chosen = permuted_rows(len(x), Drawn(draws, seed, blocks), MOST_PERMUTED)
            groups = None if blocks is None else blocks[chosen]
            null = permute_items(_debiased, x[chosen], y[chosen], draws, groups, seed)
        yield Result(
            "alignment",
            float(pair.value[0, 0]),
            pair.estimator if seen.rows == "items" else f"{pair.estimator}, of conditions' means",
            low=low,
            high=high,
            p=NAN if null is None else null.p,
            reason=reasons(
                _reason(float(pair.value[0, 0]), low, levels[:, column], of, blocks), no_p
            ),
            **common,
        )
        if null is not None:
            yield from draws_of("alignment", name, {SHUFFLED: null.draws})


def _rows_of_few(
    x: NDArray[Any],
    y: NDArray[np.float64],
    seen: Trials,
    blocks: NDArray[np.intp] | None,
    no_p: str,
    common: dict[str, Any],
) -> Iterator[Result]:
    """Yield the plain alignment of few items or conditions, with its mean over all their orders."""
    few = f"no interval: {len(x)} {common['of']}, {ITEMS_NEEDED} needed"
    value = plain_alignment(x, y)
    if np.isnan(value):
        few = _reason(value, NAN, y.argmax(axis=1), common["of"], blocks)
    result = Result("alignment", value, PLAIN, reason=reasons(few, no_p), **common)
    result = result._replace(chance=chance_alignment(x, y))
    if no_p or np.isnan(value):
        yield result
        return
    null = permute_items(plain_alignment, x, y, seen.drawn.draws, blocks, seen.drawn.seed)
    yield result._replace(p=null.p)
    yield from draws_of("alignment", common["about"], {SHUFFLED: null.draws})


def _reason(
    value: float,
    low: float,
    of_rows: NDArray[np.intp],
    of: str,
    blocks: NDArray[np.intp] | None,
) -> str:
    values = len(np.unique(of_rows))
    number = FEWEST if blocks is None else len(np.unique(blocks))
    if np.isnan(value) and values < 2:
        return "the variable has one value alone"
    if np.isnan(value):
        means = "items" if of == "items" else "means of conditions"
        return f"all {means} are the same, or equally far from one another"
    if number < FEWEST:
        return f"{number} blocks, {FEWEST} needed for an interval"
    return f"no interval: without some {of} it is not defined" if np.isnan(low) else ""


def _debiased(x: NDArray[Any], y: NDArray[Any]) -> float:
    return kernel_alignment(x, y, debiased=True)
