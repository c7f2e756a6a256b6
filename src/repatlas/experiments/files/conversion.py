"""What all conversions share: the files that they write, and what a config says of these."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.format import open_memmap

from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import Stored
from repatlas.record import Refused

ROWS = "rows.csv"


class Converted(NamedTuple):
    """What was written into a folder."""

    arrays: str
    """The pattern of the arrays, below the folder"""
    rows: str
    """The pattern of the tables of rows"""
    item: str | None
    """The column that says what was shown, where the tool has one for that"""
    shapes: dict[str, tuple[int, ...]]
    """The shape of each array, by the name of its file"""
    columns: dict[str, list]
    """The columns of the table of rows, or of the last table"""
    sessions: bool = False
    """True if each array is a separate session, with trials"""

    def text(self, folder: Path) -> str:
        """Return the part of a config that reads them."""
        item = self.item or f"...  # one of: {', '.join(self.columns)}"
        lines = [f"# {name}: {' x '.join(map(str, shape))}" for name, shape in self.shapes.items()]
        lines += [
            "representations:",
            f"  {folder.name.replace('-', '_').lower() or 'mine'}:",
            f"    arrays: {folder / self.arrays}",
            f"    rows: {folder / self.rows}",
            f"    item: {item}",
        ]
        cells = self.columns.get(self.item, [])
        if self.sessions or len(set(cells)) < len(cells):
            lines.append("    trials: true  # rows of an item are repeats of it")
        if self.sessions:
            lines.append("    pool: session  # pseudo-population")
        if any(len(shape) > 2 for shape in self.shapes.values()):
            lines.append("    reduction: pooled  # or flat, spatial")
        return "\n".join(lines)


def write_array(path: Path, parts: Sequence[Stored], source: Path) -> tuple[int, ...]:
    """Write arrays one below another into an npy file, some 16 MB at a time, and return its shape.

    source: the file or folder that they are read from, for messages. Raises Refused if arrays
    differ in more than the number of their rows.
    """
    shapes = {tuple(part.shape[1:]) for part in parts}
    if len(shapes) > 1:
        one, other, *_ = sorted(shapes)
        raise Refused(f"{path.stem}: found rows of shape {one} and of {other}, allowed: one shape")
    dtype = np.result_type(*(part.dtype for part in parts)).newbyteorder("=")
    shape = (sum(part.shape[0] for part in parts), *shapes.pop())
    written = open_memmap(path, "w+", dtype, shape)
    done = 0
    for part in parts:
        for start, block in Matrix(str(source), part, "flat", None).raw_blocks():
            written[done + start : done + start + len(block)] = block
        done += part.shape[0]
    written.flush()
    return shape


def write_rows(path: Path, columns: Mapping[str, Iterable]) -> dict[str, list]:
    """Write a table of rows as csv, and return its columns."""
    table = {name: list(cells) for name, cells in columns.items()}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return table


def file_name(name: str) -> str:
    """Return the name of an array as the name of a file.

    >>> file_name("blocks/3/attn")
    'blocks-3-attn'
    """
    return name.replace("/", "-").replace("\\", "-")


def plain(values: np.ndarray) -> Iterator:
    """Yield values of a coordinate or a descriptor, texts among them as Python has them."""
    for value in np.asarray(values).tolist():
        yield value.decode() if isinstance(value, bytes) else value
