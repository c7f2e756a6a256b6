"""External sort: the rows of a table in their order, sorted on disk, however many there are.

Rows are ordered by columns: first the columns that describe a row (measure, settings of the
network, step ...), then the seed, then others. A combination of values of the first columns is a
kind of rows. One seed has all kinds, so more seeds add no kinds. Rows are stored as runs. A run is
a file with the sorted rows of some seeds, and with the position at which each kind begins. In the
table, the rows of a kind are its rows from the first run, then from the second run, and so on.
Nothing is sorted again.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

ROWS_OF_A_RUN = 1 << 20
ROWS_OF_A_PIECE = 1 << 18
"""Rows in a row group of the table's file"""
KIND = "kind"
"""The column with the number of a row's kind, in the files of runs."""


class SortedRun(NamedTuple):
    """Sorted rows in a file. Memory holds the part that is being read."""

    rows: pa.Table
    """The columns that do not define the kind, except columns without any value"""
    starts: np.ndarray
    """(kinds + 1,): where the rows of each kind that was known by then begin, and the last end"""


class Slices(NamedTuple):
    """Rows of runs that follow one another in the table: a row of each array for each slice."""

    kind: np.ndarray
    run: np.ndarray
    start: np.ndarray
    length: np.ndarray


class ExternalSort:
    """Rows with these columns, sorted by the columns `sorted_by`. Equal rows stay in the order in
    which they were added. Files are in `folder`, which the caller removes."""

    def __init__(self, folder: Path, schema: pa.Schema, sorted_by: list[str]):
        self.schema = schema
        self.num_rows = 0
        self._folder = folder
        first = sorted_by.index("seed")
        self._of_kinds, self._within = sorted_by[:first], sorted_by[first:]
        self._kinds: dict[tuple, int] = {}
        self._waiting: list[pa.Table] = []
        self._runs: list[SortedRun] = []
        self._table_of_kinds = self._kinds_by_column()

    def add(self, frame: pd.DataFrame) -> None:
        """Add rows of the next seeds, or of no seed, which are the last of their kind. A column
        that the frame lacks has no values."""
        rows = typed(frame, self.schema)
        self.num_rows += len(rows)
        own = [name for name in rows.column_names if rows[name].null_count < len(rows)]
        kept = rows.select([name for name in own if name not in self._of_kinds])
        self._waiting.append(kept.append_column(KIND, pa.array(self._kinds_of(rows))))
        if sum(map(len, self._waiting)) >= ROWS_OF_A_RUN:
            self._store()

    def groups(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """Yield the rows, some kinds at a time. Rows that are equal in these columns stay
        together."""
        self._store()
        kinds = self._table_of_kinds.select(columns).to_pandas()
        waiting: list[np.ndarray] = []
        for numbers in kinds.groupby(columns, dropna=False).indices.values():
            waiting.append(numbers)
            slices = self._slices(np.concatenate(waiting))
            if slices.length.sum() >= ROWS_OF_A_PIECE:
                yield self._table(slices).to_pandas()
                waiting = []
        if waiting:
            yield self._table(self._slices(np.concatenate(waiting))).to_pandas()

    def tables(self) -> Iterator[pa.Table]:
        """Yield all rows in order, some at a time."""
        yield from map(self._table, self._pieces())

    def column(self, name: str) -> Iterator[pa.ChunkedArray]:
        """Yield a column of all rows in order, some at a time."""
        return (self._column(name, slices) for slices in self._pieces())

    def _kinds_of(self, rows: pa.Table) -> np.ndarray:
        """Return (n,): the number of the kind of each row."""
        codes = np.zeros(len(rows), np.int64)
        for name in self._of_kinds:
            found = rows[name].combine_chunks().dictionary_encode(null_encoding="encode")
            if len(found.dictionary) > 1:
                codes = codes * len(found.dictionary) + found.indices.to_numpy()
                # Numbers stay small: as many as there are combinations.
                codes = np.unique(codes, return_inverse=True)[1]
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        examples = rows.select(self._of_kinds).take(first).to_pydict()
        kinds = zip(*examples.values(), strict=True)
        numbers = [self._kinds.setdefault(kind, len(self._kinds)) for kind in kinds]
        return np.array(numbers, np.int32)[inverse]

    def _store(self) -> None:
        """Sort the rows that wait, and put them into a file."""
        if not self._waiting:
            return
        self._table_of_kinds = self._kinds_by_column()
        rows = pa.concat_tables(self._waiting, promote_options="default")
        self._waiting = []
        by = [KIND, *(name for name in self._within if name in rows.column_names)]
        rows = rows.take(pc.sort_indices(rows, [(name, "ascending") for name in by]))
        path = self._folder / f"{len(self._runs)}.arrow"
        with pa.ipc.new_file(path, rows.schema) as writer:
            writer.write_table(rows.combine_chunks())
        starts = np.searchsorted(rows[KIND].to_numpy(), np.arange(len(self._kinds) + 1))
        self._runs.append(SortedRun(pa.ipc.open_file(pa.memory_map(str(path))).read_all(), starts))

    def _kinds_by_column(self) -> pa.Table:
        schema = pa.schema([self.schema.field(name) for name in self._of_kinds])
        columns = zip(*self._kinds, strict=True) if self._kinds else [[] for _ in schema]
        return pa.Table.from_arrays(list(map(pa.array, columns, schema.types)), schema=schema)

    def _slices(self, kinds: np.ndarray) -> Slices:
        """Return the slices of these kinds, in the order of kinds and, within a kind, of runs."""
        starts = np.zeros((len(self._runs), len(self._kinds) + 1), np.int64)
        for number, run in enumerate(self._runs):
            starts[number, : len(run.starts)] = run.starts
            starts[number, len(run.starts) :] = run.starts[-1]
        length = np.diff(starts)[:, kinds].T  # (kinds, runs)
        at, run = np.nonzero(length)
        kind = np.asarray(kinds)[at]
        return Slices(kind, run, starts[run, kind], length[at, run])

    def _pieces(self) -> Iterator[Slices]:
        """Yield all rows in order, the slices of a piece at a time."""
        self._store()
        by = [(name, "ascending") for name in self._of_kinds]
        everything = self._slices(pc.sort_indices(self._table_of_kinds, by).to_numpy())
        ends = everything.length.cumsum()
        for first in range(0, self.num_rows, ROWS_OF_A_PIECE):
            last = min(first + ROWS_OF_A_PIECE, self.num_rows)
            inside = slice(np.searchsorted(ends, first, "right"), np.searchsorted(ends, last) + 1)
            kind, run, start, length = (part[inside].copy() for part in everything)
            # The slices at both ends are taken in part.
            before = first - (ends[inside][0] - length[0])
            after = ends[inside][-1] - last
            start[0] += before
            length[0] -= before
            length[-1] -= after
            yield Slices(kind, run, start, length)

    def _table(self, slices: Slices) -> pa.Table:
        columns = [self._column(name, slices) for name in self.schema.names]
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _column(self, name: str, slices: Slices) -> pa.ChunkedArray:
        kind = self.schema.field(name).type
        if name in self._of_kinds:
            values = self._table_of_kinds[name].combine_chunks()
            return pa.chunked_array([values.take(np.repeat(slices.kind, slices.length))], kind)
        if not any(name in run.rows.column_names for run in self._runs):
            return pa.chunked_array([pa.nulls(int(slices.length.sum()), kind)])
        parts: list[pa.Array] = []
        for run, start, length in zip(*(part.tolist() for part in slices[1:]), strict=True):
            rows = self._runs[run].rows
            there = name in rows.column_names
            parts += (
                rows[name].slice(start, length).chunks if there else [pa.nulls(length, type=kind)]
            )
        return pa.chunked_array([pa.concat_arrays(parts)], kind)


def typed(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """Return the rows of a frame in these columns; one that it lacks has no values."""
    whole = {name: "Int32" for name in schema.names if schema.field(name).type == "int32"}
    found = frame.reindex(columns=schema.names).astype(whole)
    return pa.Table.from_pandas(found, schema=schema, preserve_index=False)
