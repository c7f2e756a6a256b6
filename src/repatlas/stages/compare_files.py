"""compare, of representations in files: the pairs of two families, one row each."""

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import (
    PAIRS_SCHEMA,
    Unreadable,
    read_table,
    set_aside,
    write_table,
)
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.recipes.grids import experiment_of
from repatlas.artifacts.recipes.pairs import SIMILARITIES, CompareJob
from repatlas.artifacts.versions import versions
from repatlas.named import named
from repatlas.own.blocks import why_not_permuted
from repatlas.own.compared import Compared, Made, places
from repatlas.own.result import reasons
from repatlas.own.trials import Drawn
from repatlas.record import Refused
from repatlas.representation import Decoders
from repatlas.stages.job import (
    WORK,
    arrays_of_seed,
    is_made,
    log,
    made_from,
    show,
    stage_parser,
)

Pair = tuple[int, int]
Rows = dict[tuple[str, str, str], dict[str, Any]]
"""By both keys and the measure."""


class Every(NamedTuple):
    """All representations of a tile: first the family's, and then the others."""

    keys: list[str]
    basis: list[dict[str, str]]
    """What each depends on"""
    arrays: list[Any]
    """(m, n) each, with the same items in the same order"""
    own: int
    """How many are of the family"""
    no_p: str
    """Why items cannot be permuted, or an empty string"""
    within: bool
    """Whether all are of one set. Each then has separate orders in permutations."""

    def seed(self, number: int) -> int:
        """Return the seed of the orders of a representation, the same in every tile."""
        return int(self.keys[number], 16)

    def key(self, pair: Pair) -> tuple[str, str]:
        return self.keys[pair[0]], self.keys[pair[1]]


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="of each family")
    parser.add_argument("--runs", nargs="*", help="none: nothing is trained")
    options = parser.parse_args(arguments)
    job = CompareJob.read(options.job)
    data = [arrays_of_seed(path, "data", 0) for path in options.data]
    headers = {path: of.header for path, of in zip(options.data, data, strict=True)}
    header = made_from(options, job, headers)
    with exclusive(options.output), threadpool_limits(limits=1):
        if is_made(options.output):
            return show(options)
        every, drawn, items = _every(job, data)
        basis = job.basis(items)
        rows: Rows = {}
        for path in dict.fromkeys([options.output, *versions(options.output)]):
            rows = _stored_rows(path, every, basis) | rows
        among = [(i, j) for i, j in places(every.own, None) if job.itself]
        across = [(i, j) for i in range(every.own) for j in range(every.own, len(every.keys))]
        number = len(among) + len(across)
        log(f"{number} pairs: {len(rows)} of {number * len(job.measures)} rows kept")
        started, units = time.perf_counter(), 0
        made: Made = {}
        for name in job.measures:
            for pairs in (among, across):
                missing = [pair for pair in pairs if (*every.key(pair), name) not in rows]
                for found in _compared(name, missing, pairs, every, drawn, made):
                    keys = every.key((found.i, found.j))
                    rows[(*keys, name)] = _row(*keys, name, found)
                units += len(missing)
            log(f"{name}: {time.perf_counter() - started:.0f} s")
        log(f"{WORK}{units}")
        wanted = [rows[(*every.key(p), m)] for p in among + across for m in job.measures]
        known = dict(zip(every.keys, every.basis, strict=True))
        about = {"basis": basis, "representations": known}
        table = pa.Table.from_pylist(wanted, schema=PAIRS_SCHEMA)
        write_table(options.output, "pairs", header | about, table)
    return show(options)


def _every(job: CompareJob, data: list[Any]) -> tuple[Every, Drawn, str]:
    """Return the representations, how items are permuted, and a digest of the items."""
    keys, basis, owns = [], [], []
    for specs, arrays, grid in zip(job.specs(), data, job.grids, strict=True):
        room = f"experiments.{experiment_of(grid)}"
        source = named(room, "represent").Source(arrays, 0, Decoders(), "cpu")
        keys += [spec.key for spec in specs]
        basis += [named(room, "prepare").basis(spec, arrays.header) for spec in specs]
        owns += [source.representation(spec) for spec in specs]
    represent = named(f"experiments.{experiment_of(job.grids[0])}", "represent")
    *rows, names = represent.paired(*owns)
    arrays = [_in_order(own.items(), of) for own, of in zip(owns, rows, strict=True)]
    groups = _groups(owns, rows, len(names))
    no_p = "" if groups is None else why_not_permuted(groups)
    digest = hashlib.sha256("\0".join(names).encode()).hexdigest()[:16]
    every = Every(keys, basis, arrays, len(job.specs()[0]), no_p, job.within)
    return every, Drawn(0 if no_p else job.permutations, groups=groups), digest


def _groups(owns: list[Any], rows: list[np.ndarray], items: int) -> np.ndarray | None:
    """Return the number of the group of each row that stays together, (m,), or None. A group is a
    block of the user's, or the positions of an item. Raises Refused if the blocks of two
    representations differ."""
    positions = owns[0].positions
    found, of = None, ""
    for own, chosen in zip(owns, rows, strict=True):
        blocks = own.blocks_of_items
        if blocks is None:
            continue
        _, first, number = np.unique(blocks[chosen], return_index=True, return_inverse=True)
        # Equal blocks may have other names. Numbers are in the order in which blocks occur.
        groups = np.argsort(np.argsort(first))[number.ravel()]
        if found is not None and not np.array_equal(found, groups):
            raise Refused(
                f"representations {of} and {own.spec.name}: their blocks divide the items in two"
                " ways; allowed: the same blocks, or blocks of one of them"
            )
        found, of = groups, own.spec.name
    if found is None and positions > 1:
        return np.repeat(np.arange(items), positions)
    return found


def _in_order(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return these rows; an array that is used as it is stays mapped into memory."""
    return values if np.array_equal(rows, np.arange(len(values))) else values[rows]


def _compared(
    name: str, missing: list[Pair], pairs: list[Pair], every: Every, drawn: Drawn, made: Made
) -> Iterator[Compared]:
    """Yield the missing pairs: of the family with one another, or with the others. If some pairs
    exist, one more representation is compared with all its partners at once, and existing pairs
    are kept."""
    of = named(SIMILARITIES, name).pairs

    def found(first: list[int], second: list[int] | None) -> Iterator[Compared]:
        others = None if second is None else [every.arrays[n] for n in second]
        seeds = None
        if every.within:
            seeds = [every.seed(n) for n in first], [every.seed(n) for n in second or ()] or None
        arrays = [every.arrays[n] for n in first]
        for pair in of(arrays, others, drawn._replace(seeds=seeds), made):
            result = pair.result._replace(reason=reasons(pair.result.reason, every.no_p))
            yield pair._replace(i=first[pair.i], j=(second or first)[pair.j], result=result)

    if missing and missing == pairs:
        own, others = list(range(every.own)), list(range(every.own, len(every.keys)))
        yield from found(own, None if pairs[0][1] < every.own else others)
        return
    for side, one, partners in _by_the_busiest(missing):
        if side == 0:
            yield from found([one], partners)
        else:
            yield from found(partners, [one])


def _by_the_busiest(pairs: Sequence[Pair]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield a representation with all its partners, the one with most of them first, repeatedly:
    its
    side, 0 or 1, its number and theirs.

    >>> list(_by_the_busiest([(0, 2), (1, 2), (0, 1)]))
    [(0, 0, [2, 1]), (0, 1, [2])]
    """
    left = list(pairs)
    while left:
        counts = Counter((side, n) for pair in left for side, n in enumerate(pair))
        side, one = max(counts, key=lambda each: (counts[each], -each[0], -each[1]))
        yield side, one, [pair[1 - side] for pair in left if pair[side] == one]
        left = [pair for pair in left if pair[side] != one]


def _row(a: str, b: str, name: str, pair: Compared) -> dict[str, Any]:
    values = pair.result._asdict() | {"statistic": pair.statistic}
    finite = {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in values.items()
    }
    permuted = None if np.isnan(pair.permuted).all() else pair.permuted.tolist()
    return finite | {"a": a, "b": b, "measure": name, "permuted": permuted}


def _stored_rows(path: Path, every: Every, basis: dict[str, Any]) -> Rows:
    """Return the rows that the file has with the same dependencies, by both keys and measure."""
    if not path.exists():
        return {}
    try:
        header, table = read_table(path, "pairs", PAIRS_SCHEMA)
    except Unreadable as error:
        log(f"{error}; set aside as {set_aside(path).name}")
        return {}
    stored = header["basis"]
    if any(stored[name] != basis[name] for name in ("items", "permutations")):
        return {}
    now = dict(zip(every.keys, every.basis, strict=True))
    same = {key for key, of in now.items() if header["representations"].get(key) == of}
    measures = {n for n, code in basis["measures"].items() if stored["measures"].get(n) == code}
    return {
        (row["a"], row["b"], row["measure"]): row
        for row in table.to_pylist()
        if row["a"] in same and row["b"] in same and row["measure"] in measures
    }
