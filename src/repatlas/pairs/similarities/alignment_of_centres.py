"""Kernel alignment (CKA) of the patterns of cluster centres."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.geometry import alignment_of_kernels, centred_kernel
from repatlas.pairs.seen import Row, Seen, Settings, row_or_reason

DRAWS = 20
ON = "centres"


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield "plain", the plain kernel alignment: the centres are no sample of more centres."""
    kernels = centred_kernel(x.rows), centred_kernel(y.rows)
    yield row_or_reason("alignment", "plain", lambda: alignment_of_kernels(*kernels))
