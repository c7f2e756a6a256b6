"""Reading and writing results: safetensors for arrays, Parquet for tables.

Every file says what it is: a JSON header (in the safetensors header, in the Parquet schema's
metadata) holds its kind and what it was made from. A file appears under its name at once and
whole, or not at all. Nothing is ever read with pickle.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

FORMAT = 1
"""Of every file; a reader refuses any other."""

METRICS_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string(), nullable=False),
        pa.field("seed", pa.int32(), nullable=False),
        pa.field("step", pa.int32(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("neuron", pa.int32()),
        pa.field("cluster", pa.int32()),
        pa.field("value", pa.float64()),
        pa.field("diverged_step", pa.int32()),
    ]
)
"""One row for each run, step, measure and variant (and neuron or cluster, where it is about one).
A value is null where there is none: the run had diverged, or the measure is not defined."""

TABLE_SCHEMA = pa.schema(
    [
        pa.field("activation", pa.string(), nullable=False),
        pa.field("delta", pa.float64()),
        pa.field("noise_variance", pa.float64(), nullable=False),
        pa.field("seed", pa.int32(), nullable=False),
        pa.field("step", pa.int32()),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("neuron", pa.int32()),
        pa.field("cluster", pa.int32()),
        pa.field("intra", pa.float64()),
        pa.field("inter", pa.float64()),
        pa.field("value", pa.float64()),
        pa.field("diverged_step", pa.int32()),
    ]
)
"""The rows of a figure. `intra` and `inter` are a place in the plane of the two axes, where the
value belongs to one."""


class Unreadable(ValueError):
    """A file is damaged, or not what it should be."""


def write_arrays(path: Path, kind: str, header: dict, arrays: dict[str, np.ndarray]) -> None:
    # safetensors writes the memory as it lies, and so would store a transposed view wrongly.
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    with whole_file(path) as temporary:
        temporary.write_bytes(save(arrays, metadata={"repgeom": _dumps(kind, header)}))


class Arrays:
    """The header of a safetensors file, and its arrays by name, each read when asked for."""

    def __init__(self, path: Path, kind: str):
        self.path = path
        try:
            self._file = safe_open(path, framework="numpy")
        except SafetensorError as error:
            raise Unreadable(f"{path}: damaged, or no safetensors file ({error})") from error
        self.header = _loads(path, kind, (self._file.metadata() or {}).get("repgeom"))

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._file.get_tensor(name)
        except SafetensorError as error:
            raise Unreadable(f"{self.path}: has no array {name}") from error


def write_table(path: Path, kind: str, header: dict, table: pa.Table) -> None:
    described = table.replace_schema_metadata({"repgeom": _dumps(kind, header)})
    with whole_file(path) as temporary:
        pq.write_table(described, temporary, compression="zstd")


def read_table(path: Path, kind: str, schema: pa.Schema) -> tuple[dict, pa.Table]:
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise Unreadable(f"{path}: damaged, or no Parquet file ({error})") from error
    header = _loads(path, kind, (table.schema.metadata or {}).get(b"repgeom"))
    if table.schema.remove_metadata() != schema:
        raise Unreadable(f"{path}: has other columns than a file of {kind}")
    return header, table.replace_schema_metadata()


def read_header(path: Path, kind: str) -> dict:
    """What a file says it is, without reading its data."""
    if path.suffix == ".safetensors":
        return Arrays(path, kind).header
    try:
        metadata = pq.read_schema(path).metadata
    except pa.ArrowInvalid as error:
        raise Unreadable(f"{path}: damaged, or no Parquet file ({error})") from error
    return _loads(path, kind, (metadata or {}).get(b"repgeom"))


def set_aside(path: Path) -> Path:
    """Rename a file that can't be used, out of the way but not lost."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    return path.rename(aside)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary name beside `path`, renamed to it when all is written and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix, delete=False
    ) as file:
        temporary = Path(file.name)
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        # A temporary file is readable by its owner alone, results by whom the umask says.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        os.replace(temporary, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the rename, too, must outlive a power cut
        finally:
            os.close(folder)
    finally:
        temporary.unlink(missing_ok=True)


def _dumps(kind: str, header: dict) -> str:
    return json.dumps({"format": FORMAT, "kind": kind} | header, sort_keys=True)


def _loads(path: Path, kind: str, text: str | bytes | None) -> dict:
    if text is None:
        raise Unreadable(f"{path}: not written by repgeom")
    header = json.loads(text)
    if header["format"] != FORMAT or header["kind"] != kind:
        raise Unreadable(
            f"{path}: is a file of {header['kind']}, format {header['format']},"
            f" not of {kind}, format {FORMAT}"
        )
    return header
