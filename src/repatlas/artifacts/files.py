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
from socket import gethostname
from tempfile import NamedTemporaryFile
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from repatlas.artifacts.digests import array_digest, digest, table_digest
from repatlas.artifacts.processes import is_alive
from repatlas.record import Refused

FORMAT = 2
"""The version of what files look like. A reader refuses a file of any other."""

METRICS_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string(), nullable=False),
        pa.field("seed", pa.int32(), nullable=False),
        pa.field("step", pa.int32(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("deviation", pa.float64()),
        pa.field("layer", pa.int32()),
        pa.field("neuron", pa.int32()),
        pa.field("cluster", pa.int32()),
        pa.field("other_cluster", pa.int32()),
        pa.field("value", pa.float64()),
        pa.field("diverged_step", pa.int32()),
        pa.field("converged_step", pa.int32()),
    ]
)
"""One row for each run, step, measure and variant, and for each layer, neuron or pair of clusters,
if the measure has them. `deviation` is the deviation of the noise in the samples, if it was
measured on samples. `by` is the module that measured it. A value is null if the run had diverged,
or if the measure is not defined."""


ESTIMATES_SCHEMA = pa.schema(
    [
        *METRICS_SCHEMA,
        pa.field("about", pa.string()),
        pa.field("low", pa.float64()),
        pa.field("high", pa.float64()),
        pa.field("chance", pa.float64()),
        pa.field("p", pa.float64()),
        pa.field("p_geometry", pa.float64()),
        pa.field("n", pa.int32()),
        pa.field("of", pa.string()),
        pa.field("draw", pa.int32()),
        pa.field("reason", pa.string()),
    ]
)
"""The metrics of representations that a user brings. `variant` is the estimator, or the name of a
null; then `draw` is the number of one of its draws. `about` is a variable. Each value comes with
the ends of its 95 % interval, its chance level, and its p values by both nulls. `n` is the number
of rows, items or conditions (`of`) of the value. A reason is given if there is no value, or no
interval."""
PAIRS_SCHEMA = pa.schema(
    [
        pa.field("a", pa.string(), nullable=False),
        pa.field("b", pa.string(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        *(ESTIMATES_SCHEMA.field(n) for n in ("variant", "value", "low", "high", "chance", "p")),
        *(ESTIMATES_SCHEMA.field(n) for n in ("n", "of", "reason")),
        pa.field("statistic", pa.float64()),
        # Parquet calls what a list holds so.
        pa.field("permuted", pa.list_(pa.field("element", pa.float64()))),
    ]
)
"""One row for each pair of representations and measure; a and b are their keys. `permuted` has the
similarity of the pair for each permutation of the items, the same for all pairs. `statistic` is
the value that p compares with them, for p values of many pairs together."""

NETWORK_PAIRS_SCHEMA = pa.schema(
    [
        *(
            pa.field(f"{side}_{name}", kind, nullable=False)
            for side in ("a", "b")
            for name, kind in (
                *(("run", pa.string()), ("seed", pa.int32()), ("step", pa.int32())),
                *(("layer", pa.int32()), ("name", pa.string())),
            )
        ),
        pa.field("items", pa.string(), nullable=False),
        pa.field("reduction", pa.string(), nullable=False),
        pa.field("by", pa.string(), nullable=False),
        pa.field("measure", pa.string(), nullable=False),
        pa.field("variant", pa.string(), nullable=False),
        pa.field("unit", pa.int32()),
        pa.field("other_unit", pa.int32()),
        pa.field("at", pa.float64()),
        pa.field("value", pa.float64()),
        pa.field("sd", pa.float64()),
        pa.field("similarity", pa.bool_(), nullable=False),
        pa.field("m", pa.int32()),
        *(
            pa.field(f"{name}_{side}", pa.int32())
            for name in ("h", "rank", "kept")
            for side in "ab"
        ),
        pa.field("reason", pa.string()),
    ]
)
"""One row for each pair of networks, step, set of items, layer, reduction, measure and variant.
Some measures also have a unit or two, a penalty, or a number of directions or neurons, `at`. `by`
is the module of similarities that measured it; a_name and b_name are the names of the layers. A
variant that ends in " floor" is the same measure with the items of b in random order: the mean
over draws, with standard deviation `sd`. Sizes are m items, and h features, rank and kept
directions of each side. A value is null if it does not exist, and `reason` says why. A network
that had diverged has one such row for each module, with layer -1."""


class Unreadable(Refused):
    """A file is damaged, or not what it should be."""

    def __init__(self, path: Path, reason: str):
        reason = " ".join(reason.split())  # libraries may say it in several lines
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


def write_arrays(path: Path, kind: str, header: dict, arrays: dict[str, np.ndarray]) -> None:
    # safetensors writes the memory as it lies, and so would store a transposed view wrongly.
    arrays = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    digests = {name: array_digest(array) for name, array in arrays.items()}
    content = save(arrays, metadata=metadata_of(kind, header | {"digests": digests}))
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


class Arrays:
    """The header of a safetensors file, and its arrays by name, each read when asked for."""

    def __init__(self, path: Path, kind: str):
        self.path = path
        open_file(path).close()  # safe_open calls a file that may not be read a missing one
        try:
            self._file = safe_open(path, framework="numpy")
        except SafetensorError as error:
            raise Unreadable(path, f"damaged, or no safetensors file ({error})") from error
        self.header = header_of(path, kind, self._file.metadata() or {})

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            array = self._file.get_tensor(name)
        except SafetensorError as error:
            raise Unreadable(self.path, f"has no array {name}") from error
        if array_digest(array) != self.header["digests"].get(name):
            raise Unreadable(self.path, f"damaged, array {name} is not what was written")
        return array

    def check(self) -> None:
        """Read every array. Raises Unreadable."""
        for name in self.header["digests"]:
            self[name]


def write_table(path: Path, kind: str, header: dict, table: pa.Table) -> None:
    described = header | {"digest": table_digest(table)}
    table = table.replace_schema_metadata(metadata_of(kind, described))
    with whole_file(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read_table(path: Path, kind: str, schema: pa.Schema | None = None) -> tuple[dict, pa.Table]:
    """Return the header and the rows of a table. schema: its columns; tables of figures
    differ in theirs. Raises Unreadable."""
    with open_file(path) as file:
        content = pa.BufferReader(file.read())
    with _reading_rows(path):
        table = pq.ParquetFile(content, pre_buffer=False)
        header = header_of(path, kind, _decoded(table.schema_arrow.metadata))
        if schema is not None:
            _check_columns(path, kind, table.schema_arrow, schema)
        # All in this thread: pyarrow's others may still hold the file when Python ends, which then
        # aborts ("terminate called"), though all was read (apache/arrow issue 33975).
        rows = table.read(use_threads=False)
        is_whole = table_digest(rows) == header["digest"]
    if not is_whole:
        raise Unreadable(path, "damaged, its rows are not what was written")
    return header, rows.replace_schema_metadata()


def read_header(path: Path, kind: str) -> dict:
    """Return the header of a file, without reading its data. Raises Unreadable."""
    if path.suffix == ".safetensors":
        return Arrays(path, kind).header
    with open_file(path) as file:
        try:
            metadata = pq.read_schema(file).metadata
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise Unreadable(path, f"damaged, or no Parquet file ({error})") from error
    return header_of(path, kind, _decoded(metadata))


def open_file(path: Path) -> BinaryIO:
    """Open a file to read its bytes. Raises Unreadable for what is no file: a folder cannot be
    read, and reading a pipe would wait for ever."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise Unreadable(path, "is no file but a folder, a pipe, a device or a link to nothing")
    return path.open("rb")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary name next to `path`, and rename it to `path` when all is written and on
    the disk. Remove what a killed process left behind there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left_over in path.parent.glob(f".{path.stem}.{gethostname()}.*{path.suffix}"):
        if not is_alive(int(left_over.name.split(".")[-3])):
            left_over.unlink(missing_ok=True)
    with NamedTemporaryFile(
        dir=path.parent,
        prefix=f".{path.stem}.{gethostname()}.{os.getpid()}.",
        suffix=path.suffix,
        delete=False,
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
    except OSError as error:
        error.filename = error.filename or str(path)  # on a full disk it names no file
        raise
    finally:
        temporary.unlink(missing_ok=True)


def metadata_of(kind: str, header: dict) -> dict[str, str]:
    """Return the header as files hold it, with its digest."""
    text = json.dumps({"format": FORMAT, "kind": kind} | header, sort_keys=True)
    # One entry, since safetensors writes several in an order that changes from process to process.
    return {"repatlas": f"{digest(text.encode())} {text}"}


def header_of(path: Path, kind: str, metadata: dict[str, str]) -> dict:
    """Return the header that the metadata of a file hold. Raises Unreadable."""
    if "repatlas" not in metadata:
        raise Unreadable(path, "not written by repatlas")
    stated, _, text = metadata["repatlas"].partition(" ")
    if digest(text.encode()) != stated:
        raise Unreadable(path, "damaged, its header is not what was written")
    header = json.loads(text)  # as it was written: its digest is right
    if header["format"] != FORMAT or header["kind"] != kind:
        raise Unreadable(
            path,
            f"is a file of {header['kind']}, format {header['format']},"
            f" not of {kind}, format {FORMAT}",
        )
    return header


@contextmanager
def _reading_rows(path: Path) -> Iterator[None]:
    """Raise Unreadable with the message of Parquet about damaged bytes."""
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise Unreadable(path, f"damaged, or no Parquet file ({error})") from error


def _check_columns(path: Path, kind: str, found: pa.Schema, schema: pa.Schema) -> None:
    there = list(found.remove_metadata())
    may_have_more = there == list(ESTIMATES_SCHEMA)  # metrics with intervals
    if there[: len(schema)] != list(schema) or (len(there) > len(schema) and not may_have_more):
        raise Unreadable(path, f"has other columns than a file of {kind}")


def _decoded(metadata: dict[bytes, bytes] | None) -> dict[str, str]:
    return {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (metadata or {}).items()
    }
