"""The rows of a table that claims need, however many there are.

Rows that differ only in seed and value are of one type. There are as many types as one seed has
rows, whatever the number of seeds. The types are in memory, and a claim selects among them. The
rows themselves come in blocks of seeds. (Rows of pairs of networks also differ in the other seed,
so each is a separate type. Tables with such rows are made in memory.)
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from repatlas.claims.blocks import ROW, Block, SpillFile

ROWS_OF_A_BLOCK = 1 << 21
"""A block receives seeds until it has this number of rows."""
HAS_SEED = "has_seed"
"""The column of row types that is true for rows with a seed."""
NOWHERE = np.iinfo(np.int64).max
Pieces = Callable[[list[str]], Iterator[pa.Table]]
"""These columns of a table, some rows at a time."""


class Rows(NamedTuple):
    """The rows of some types."""

    kinds: pd.DataFrame
    """The settings of each row type, by its number, in the order of the first rows"""
    blocks: list[Block]

    def only(self, which: pd.Series) -> "Rows":
        return self._replace(kinds=self.kinds[which])

    def number_of_seeds(self) -> int:
        kinds = self.kinds.index[self.kinds[HAS_SEED]].to_numpy()
        return sum(len(np.unique(block.of(kinds)["seed"])) for block in self.blocks)

    def with_networks(self, networks: list[np.ndarray]) -> "Rows":
        """Return the rows of networks that count. networks: for each block (runs, seeds), whether
        they count."""
        numbers = np.sort(self.kinds.index.to_numpy())
        first = np.full(len(numbers), NOWHERE)
        blocks = []
        for block, counting in zip(self.blocks, networks, strict=True):
            blocks.append(block._replace(networks=counting))
            rows = blocks[-1].of(numbers)
            found, start = np.unique(rows["kind"], return_index=True)
            at = np.searchsorted(numbers, found)
            first[at] = np.minimum(first[at], rows["place"][start])
        order = np.argsort(first)[: (first < NOWHERE).sum()]
        return Rows(self.kinds.loc[numbers[order]], blocks)


class RowsByKind(NamedTuple):
    """The rows of a table by their types. A claim needs only the rows with its measures."""

    kinds: pa.Table
    """The settings of each row type, in the order of the first rows"""
    blocks: list[Block]

    def with_measures(self, measures: set[str]) -> Rows:
        numbers = np.flatnonzero(self.kinds["measure"].to_pandas().isin(measures))
        return Rows(_frame_of(self.kinds.take(numbers)).set_axis(numbers), self.blocks)


def by_kind(pieces: Pieces, settings: pa.Schema) -> RowsByKind:
    """Return the rows of a table by their types. settings: the columns in which rows of one type
    are equal."""
    seeds, block_of = _seeds_by_block(pieces)
    number = block_of.max(initial=0) + 1
    with ExitStack() as stack:
        files = [
            stack.enter_context(TemporaryFile(prefix="repatlas-")) if number > 1 else None
            for _ in range(number)
        ]
        incoming = _Incoming(settings, seeds, block_of, [SpillFile(file) for file in files])
        for piece in pieces([*settings.names, "seed", "value"]):
            incoming.add(piece)
        return incoming.by_kind()


class _Incoming:
    """Rows in the order of the table, assigned to the blocks of their seeds. Row types have
    separate numbers in each piece until all pieces have arrived."""

    def __init__(
        self,
        settings: pa.Schema,
        seeds: np.ndarray,
        block_of: np.ndarray,
        spill_files: list[SpillFile],
    ):
        self._settings, self._seeds = settings, seeds
        self._block_of, self._spill_files = block_of, spill_files
        self._begins = np.searchsorted(block_of, np.arange(len(spill_files) + 1))
        """(blocks + 1,): the number of the first seed of each"""
        of_kinds = settings.append(pa.field(HAS_SEED, pa.bool_()))
        self._kinds = [of_kinds.empty_table()]
        """The row types of each piece"""
        self._known = self._place = 0

    def add(self, piece: pa.Table) -> None:
        has_seed = piece["seed"].is_valid()
        own = piece.select(self._settings.names).append_column(HAS_SEED, has_seed)
        first, kind = _kinds_of(own)
        self._kinds.append(own.take(first))

        rows = np.zeros(len(piece), ROW)
        rows["kind"] = self._known + kind
        rows["place"] = np.arange(self._place, self._place + len(piece))
        rows["value"] = piece["value"].to_numpy()
        there, block = has_seed.to_numpy(), np.zeros(len(piece), np.int16)
        seed = np.searchsorted(self._seeds, piece["seed"].drop_null().to_numpy())
        block[there] = self._block_of[seed]
        rows["seed"][there] = seed - self._begins[self._block_of[seed]]
        ends = np.bincount(block, minlength=len(self._spill_files)).cumsum()
        parts = np.split(rows[np.argsort(block, kind="stable")], ends[:-1])
        for spill_file, part in zip(self._spill_files, parts, strict=True):
            spill_file.add(part)
        self._known += len(first)
        self._place += len(piece)

    def by_kind(self) -> RowsByKind:
        every = pa.concat_tables(self._kinds)
        first, final = _kinds_of(every)
        kinds = every.take(first)
        run_of = np.unique(kinds["run"].fill_null("").to_numpy(), return_inverse=True)[1]
        blocks = []
        for spill_file, (begin, end) in zip(self._spill_files, pairwise(self._begins), strict=True):
            rows = spill_file.by_kind(final)
            starts = np.searchsorted(rows["kind"], np.arange(len(kinds) + 1))
            blocks.append(Block(self._seeds[begin:end], rows, starts, run_of))
        return RowsByKind(kinds, blocks)


def _seeds_by_block(pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
    """Return (seeds,) all seeds, in ascending order, and the number of the block of each."""
    seeds, rows = np.empty(0, np.int64), np.empty(0, np.int64)
    for piece in pieces(["seed"]):
        found = np.unique(piece["seed"].drop_null().to_numpy(), return_counts=True)
        seeds, number = np.unique(np.concatenate([seeds, found[0]]), return_inverse=True)
        rows = np.bincount(number, np.concatenate([rows, found[1]])).astype(np.int64)
    before = rows.cumsum() - rows
    return seeds, np.unique(before // ROWS_OF_A_BLOCK, return_inverse=True)[1]


def _kinds_of(rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Return (kinds,): the position of the first row of each type, in ascending order; and (n,):
    the type of each row."""
    codes = pd.DataFrame(
        {
            name: rows[name].combine_chunks().dictionary_encode(null_encoding="encode").indices
            for name in rows.column_names
        }
    )
    number = codes.groupby(rows.column_names, sort=False).ngroup()
    return np.flatnonzero(~number.duplicated()), number.to_numpy()


def _frame_of(kinds: pa.Table) -> pd.DataFrame:
    """Return row types as a data frame, in which texts are categories. A column without values
    keeps its type: categories without any entry, or numbers."""
    columns = {}
    for name, column in zip(kinds.column_names, kinds.columns, strict=True):
        is_text = pa.types.is_string(column.type)
        if column.null_count < len(column):
            columns[name] = (column.dictionary_encode() if is_text else column).to_pandas()
        elif is_text:
            columns[name] = pd.Categorical.from_codes(np.full(len(column), -1), [])
        else:
            columns[name] = np.full(len(column), np.nan)
    return pd.DataFrame(columns)
