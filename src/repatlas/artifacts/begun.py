"""The rows of finished measures, which a job keeps until it has all. A job that was killed
continues with them."""

import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from repatlas.artifacts.files import write_table
from repatlas.artifacts.layout import PARTS
from repatlas.artifacts.runs import remove_folder_of_parts

MOST = 0.05
"""The share of a job's time that writing these rows may take."""


class Begun:
    """The file with these rows, in a folder next to the versions of the shard's file."""

    def __init__(self, output: Path, schema: pa.Schema, seconds: float):
        """Prepare the parts of an output. seconds: the work that may be lost."""
        self.path = output.parent / PARTS / f"begun{output.suffix}"
        self._schema = schema
        self._seconds, self._kept = seconds, time.perf_counter()

    def keep(
        self,
        about: dict[str, dict],
        stored: dict[tuple[str, str], pa.Table],
        new: list[dict[str, Any]],
        places: dict[tuple[str, str], slice],
    ) -> None:
        """Write the rows of all measures so far, unless that was done just now.

        about: the dependencies of the rows of each network, by key; stored: rows that the job
        found, by key and measure; new, places: rows that the job has made, and the slice of them
        for each key and measure.
        """
        now = time.perf_counter()
        if now - self._kept < self._seconds:
            return
        measured = pa.Table.from_pylist(new, schema=self._schema)
        tables = stored | {of: measured[place] for of, place in places.items()}
        runs = {
            key: basis | {"measures": finished}
            for key, basis in about.items()
            if (finished := {n: m for n, m in basis["measures"].items() if (key, n) in tables})
        }
        write_table(self.path, "metrics", {"runs": runs}, pa.concat_tables(tables.values()))
        self._kept = time.perf_counter()
        self._seconds = max(self._seconds, (self._kept - now) / MOST)

    def remove(self) -> None:
        """Remove the rows, once the file of the shard is there. A file that was set aside stays."""
        self.path.unlink(missing_ok=True)
        remove_folder_of_parts(self.path.parent)
