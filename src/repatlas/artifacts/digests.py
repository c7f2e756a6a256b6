"""Digests of what files hold, which tell whether a bit was flipped since it was written."""

import hashlib
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

DIGEST_LENGTH = 32
"""Hexadecimal digits of SHA-256 that tell whether a bit was flipped."""


def digest(*parts: bytes) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part)
    return hashed.hexdigest()[:DIGEST_LENGTH]


def array_digest(array: np.ndarray) -> str:
    about = f"{array.dtype} {array.shape}".encode()
    return digest(about, np.ascontiguousarray(array).data.cast("B") if array.size else b"")


def table_digest(table: pa.Table) -> str:
    """Return a digest of a table's values, not of its bytes: Parquet has many ways to write
    them."""
    return digest_of_columns(table.schema, len(table), lambda name: iter([table[name]]))


def digest_of_columns(
    schema: pa.Schema, rows: int, column: Callable[[str], Iterator[pa.ChunkedArray]]
) -> str:
    """Return the digest of a table whose columns come in pieces."""
    hashed = hashlib.sha256()
    for name, kind in zip(schema.names, schema.types, strict=True):
        hashed.update(f"{name} {kind} {rows}".encode())
        for piece in column(name):
            hashed.update(piece.is_null().to_numpy().tobytes())
        between = ""
        for piece in column(name):
            if pa.types.is_string(kind):
                hashed.update((between + "\0".join(piece.fill_null("").to_pylist())).encode())
                between = "\0"
            elif pa.types.is_list(kind):
                for values in piece.to_pylist():
                    hashed.update(np.array(values or [], dtype=np.float64).tobytes())
            else:
                nothing = False if pa.types.is_boolean(kind) else 0
                hashed.update(piece.fill_null(nothing).to_numpy().tobytes())
    return hashed.hexdigest()[:DIGEST_LENGTH]
