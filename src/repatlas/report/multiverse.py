"""The file of the claims of a study in many settings."""

from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from repatlas.artifacts.files import read_table
from repatlas.claims.multiverse import MULTIVERSE_SCHEMA, Summary, summaries


class Multiverse(NamedTuple):
    """What was found in many settings."""

    header: dict[str, Any]
    table: pa.Table
    found: list[Summary]
    """Each claim over all settings"""


def read_multiverse(path: Path) -> Multiverse:
    """Return the content of the file. Raises Refused if it is damaged."""
    header, table = read_table(path, "multiverse", MULTIVERSE_SCHEMA)
    job, rows = header["job"], table.to_pandas()
    return Multiverse(header, table, summaries(rows, job["settings"], job["values"]))
