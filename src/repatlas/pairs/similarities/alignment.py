"""Debiased kernel alignment (CKA)."""

from __future__ import annotations

from collections.abc import Iterator

from repatlas.geometry import kernel_alignment
from repatlas.pairs.seen import Row, Seen, Settings, row_or_reason

DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield "debiased", the debiased kernel alignment: about 0 for unrelated networks, whatever
    their widths."""
    yield row_or_reason(
        "alignment", "debiased", lambda: kernel_alignment(x.rows, y.rows, debiased=True)
    )
