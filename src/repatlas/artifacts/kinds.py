"""Rows of a table that are equal in some columns, which are one kind."""

import numpy as np
import pyarrow as pa

LARGEST = 1 << 62


def kinds_of(rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """(kinds,): where each kind has its first row; and (n,): the number of each row's kind."""
    codes, size = np.zeros(len(rows), np.int64), 1
    for column in rows.columns:
        found = column.combine_chunks().dictionary_encode(null_encoding="encode")
        if (several := len(found.dictionary)) > 1:
            if size * several > LARGEST:
                codes = np.unique(codes, return_inverse=True)[1]
                size = len(codes)
            codes = codes * several + found.indices.to_numpy()
            size *= several
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return first, numbers
