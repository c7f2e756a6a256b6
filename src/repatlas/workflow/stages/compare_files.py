"""Compares a user's arrays: a row for each pair and similarity, with the name of the comparison.

Each row says what it was made from, in the column `made`: both arrays, the items that all share,
the permutations, and the similarity with its code. Rows of other versions of the file that were
made from the same are taken as they are.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import PAIRS_SCHEMA, Arrays
from repatlas.config.representations import Comparison
from repatlas.named import named
from repatlas.own.blocks import exchange
from repatlas.own.compared import Compared, Made, pairs_of, places
from repatlas.own.result import reasons
from repatlas.own.trials import Drawn
from repatlas.representation import Decoders
from repatlas.workflow import code, scopes
from repatlas.workflow.groups import Group
from repatlas.workflow.networks import array_as_network
from repatlas.workflow.results import MADE, OF_MADE, split, with_comparison, write_rows
from repatlas.workflow.stages import Job, log

SCHEMA = pa.schema([*PAIRS_SCHEMA, OF_MADE])
Pair = tuple[int, int]


class Every(NamedTuple):
    """All arrays of a job."""

    keys: list[str]
    identities: list[str]
    arrays: list[Any]
    """(m, n) each, with the same items in the same order"""
    families: list[list[int]]
    """The numbers of the arrays of each group"""
    items: str
    """A digest of the names of the items"""
    drawn: Drawn
    """How items are permuted"""
    of_p: str
    """Why items cannot be permuted, or are permuted within blocks; or an empty string"""
    sources: list[Any]
    """What looks at the files once more before the result is written, as long as it is kept"""


class Block(NamedTuple):
    """A family with itself, or with another one. Pairs of a block are compared together, so that
    their last bits do not depend on which other families there are."""

    first: list[int]
    second: list[int] | None

    @property
    def pairs(self) -> list[Pair]:
        number = None if self.second is None else len(self.second)
        seconds = self.second or self.first
        return [(self.first[i], seconds[j]) for i, j in places(len(self.first), number)]


def make(job: Job) -> None:
    """Compare the pairs that no other version of the file has, and write all rows."""
    comparison, groups, within = job.what
    job.declare(*scopes.pairs_of_arrays(groups, comparison.measures))
    known, rows, started = job.known("pairs", SCHEMA), [], time.perf_counter()
    with threadpool_limits(limits=1):
        every, prepared = _every(job, comparison, groups), {}
        own, *others = every.families
        blocks = [Block(own, None)] * within + [Block(own, other) for other in others]
        for name in comparison.measures:
            by, ids = job.plan.code(*scopes.pairs_of_arrays(groups, [name])), every.identities
            about = name, by, every.items, comparison.permutations, within
            for block in blocks:
                made = {(i, j): code.key("pair", ids[i], ids[j], about) for i, j in block.pairs}
                missing = [pair for pair in block.pairs if made[pair] not in known]
                found = [
                    _row(name, every, each) | {MADE: made[each.i, each.j]}
                    for each in _compared(name, missing, block, every, within, prepared)
                ]
                known |= split(pa.Table.from_pylist(found, schema=SCHEMA))
                rows += [known[each] for each in made.values()]
                seconds = time.perf_counter() - started
                log(f"{name}: {len(missing)} of {len(made)} pairs compared; {seconds:.0f} s")
        for source in every.sources:
            source.check_unchanged()
        table = with_comparison(comparison.key, rows or [SCHEMA.empty_table()])
        write_rows(job.output(".parquet"), "pairs", job.header, [table])


def _every(job: Job, comparison: Comparison, groups: list[Group]) -> Every:
    """Return the arrays of these groups, of items that all of them show."""
    represent = named("experiments.files", "represent")
    keys, identities, owns, families, sources = [], [], [], [], []
    job.inputs("data")
    for group in groups:
        data = Arrays(job.plan.version(group.data), "data")
        sources.append(represent.Source(data, 0, Decoders(), "cpu"))
        specs = [spec for grid, _ in group.grids for spec in grid.specs()]
        families.append([*range(len(keys), len(keys) + len(specs))])
        keys += [spec.key for spec in specs]
        identities += [array_as_network(spec, data).identity for spec in specs]
        owns += [sources[-1].representation(spec) for spec in specs]
    *rows, names = represent.paired(*owns)
    arrays = [_in_order(own.items(), of) for own, of in zip(owns, rows, strict=True)]
    together = represent.kept_together(owns, rows)
    way = exchange(together)
    draws = comparison.permutations if way.allowed else 0
    drawn = Drawn(draws, groups=together, within=way.within)
    return Every(keys, identities, arrays, families, code.key(names), drawn, way.reason, sources)


def _in_order(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return these rows; an array that is used as it is stays mapped into memory."""
    return values if np.array_equal(rows, np.arange(len(values))) else values[rows]


def _compared(
    name: str, missing: list[Pair], block: Block, every: Every, within: bool, made: Made
) -> Iterator[Compared]:
    """Yield the missing pairs of a block. If all are missing, they are compared together; otherwise
    each array of one side with all its partners."""

    def found(first: list[int], second: list[int] | None) -> Iterator[Compared]:
        others = None if second is None else [every.arrays[n] for n in second]
        seeds = None
        if within:  # each has its own orders in permutations, the same in every job
            a, b = ([int(every.keys[n], 16) for n in side or ()] for side in (first, second))
            seeds = a, b or None
        arrays = [every.arrays[n] for n in first]
        for pair in pairs_of(name, arrays, others, every.drawn._replace(seeds=seeds), made):
            result = pair.result._replace(reason=reasons(pair.result.reason, every.of_p))
            yield pair._replace(i=first[pair.i], j=(second or first)[pair.j], result=result)

    if missing == block.pairs:
        yield from found(*block) if missing else ()
        return
    firsts, seconds = ({pair[side] for pair in missing} for side in (0, 1))
    side = int(len(seconds) < len(firsts))
    for one in sorted(seconds if side else firsts):
        partners = [pair[1 - side] for pair in missing if pair[side] == one]
        yield from found(partners, [one]) if side else found([one], partners)


def _row(name: str, every: Every, pair: Compared) -> dict[str, Any]:
    values = pair.result._asdict() | {"statistic": pair.statistic}
    finite = {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in values.items()
    }
    permuted = None if np.isnan(pair.permuted).all() else pair.permuted.tolist()
    both = {"a": every.keys[pair.i], "b": every.keys[pair.j]}
    return finite | both | {"measure": name, "permuted": permuted}
