"""Digests of what files hold, which tell whether a bit was flipped since it was written."""

import hashlib

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
    hashed = hashlib.sha256()
    for name, kind, column in zip(table.column_names, table.schema.types, table, strict=True):
        hashed.update(f"{name} {kind} {len(table)}".encode())
        hashed.update(column.is_null().to_numpy().tobytes())
        if pa.types.is_string(kind):
            hashed.update("\0".join(column.fill_null("").to_pylist()).encode())
        elif pa.types.is_list(kind):
            for values in column.to_pylist():
                hashed.update(np.array(values or [], dtype=np.float64).tobytes())
        else:
            nothing = False if pa.types.is_boolean(kind) else 0
            hashed.update(column.fill_null(nothing).to_numpy().tobytes())
    return hashed.hexdigest()[:DIGEST_LENGTH]
