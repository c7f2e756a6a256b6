"""Cross-condition generalisation performance (CCGP) of each variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from repatlas.geometry import balanced_ccgp
from repatlas.own.decoders import scores
from repatlas.own.result import Result
from repatlas.own.trials import Trials

OF = "checkpoint"


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """balanced_ccgp with one draw of equal numbers of rows. Chance is 0.5."""
    yield from scores("ccgp", balanced_ccgp, seen, moved=True)
