"""Tables that may be too large for memory, which has some of their rows at a time."""

from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from repatlas.artifacts.digests import digest_of_columns
from repatlas.artifacts.files import (
    check_digest,
    metadata_of,
    open_file,
    open_table,
    reading_rows,
    whole_file,
)


class Pieces(Protocol):
    """A table that may be too large for memory."""

    schema: pa.Schema
    num_rows: int

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of the table, some at a time."""

    def column(self, name: str) -> Iterator[pa.ChunkedArray]:
        """Yield a column, some of its rows at a time."""


def write_pieces(path: Path, kind: str, header: dict, pieces: Pieces) -> None:
    """Write a table as `write_table` does, with a row group for each of its pieces."""
    described = header | {
        "digest": digest_of_columns(pieces.schema, pieces.num_rows, pieces.column)
    }
    schema = pieces.schema.with_metadata(metadata_of(kind, described))
    with (
        whole_file(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for table in pieces.tables():
            writer.write_table(table)


class TableFile:
    """The header of a table, and its rows. Memory holds some rows at a time (Pieces).

    schema: the columns that its kind has; the file may have more. Raises Unreadable.
    """

    def __init__(self, path: Path, kind: str, schema: pa.Schema):
        self._path = path
        open_file(path).close()
        self.header, self._file = open_table(path, kind, schema, pa.OSFile(str(path)))
        self.schema = self._file.schema_arrow.remove_metadata()
        self.num_rows = self._file.metadata.num_rows

    def tables(self, columns: list[str] | None = None) -> Iterator[pa.Table]:
        return (self._group(n, columns) for n in range(self._file.num_row_groups))

    def chosen(self, column: str, texts: set[str], columns: list[str]) -> Iterator[pa.Table]:
        """Yield the rows with one of these texts in a column, some at a time."""
        wanted = pa.array(sorted(texts))
        for number in range(self._file.num_row_groups):
            is_wanted = pc.is_in(self._group(number, [column])[column], wanted)
            if pc.any(is_wanted).as_py():
                yield self._group(number, columns).filter(is_wanted)

    @cached_property
    def varying(self) -> set[str]:
        """The columns that have several values, null among them, by the file's own statistics."""
        found: dict[str, set] = {name: set() for name in self.schema.names}
        for number in range(self._file.num_row_groups):
            group = self._file.metadata.row_group(number)
            for place in range(group.num_columns):
                part = group.column(place)
                about, values = part.statistics, found[part.path_in_schema]
                if about is None or not about.has_null_count:
                    values |= {False, True}  # not known
                    continue
                if about.null_count:
                    values.add(None)
                if about.null_count < group.num_rows:
                    values |= {about.min, about.max} if about.has_min_max else {False, True}
        return {name for name, values in found.items() if len(values) > 1}

    def _group(self, number: int, columns: list[str] | None) -> pa.Table:
        with reading_rows(self._path):
            rows = self._file.read_row_group(number, columns, use_threads=False)
        return rows.replace_schema_metadata()

    def column(self, name: str) -> Iterator[pa.ChunkedArray]:
        return (rows[name] for rows in self.tables([name]))

    def check(self) -> None:
        """Read every row. Raises Unreadable where they are not what was written."""
        of_columns = partial(digest_of_columns, self.schema, self.num_rows, self.column)
        check_digest(self._path, self.header, of_columns)
