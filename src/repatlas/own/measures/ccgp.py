"""Cross-condition generalisation performance (CCGP) of each variable."""

from collections.abc import Iterator
from typing import Any

from repatlas.geometry import balanced_ccgp
from repatlas.own.decoders import scores
from repatlas.own.result import Result
from repatlas.own.trials import Trials


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield balanced_ccgp, of conditions with two rows or more if rows are trials. One trial shows
    nothing of its condition, and fits would then use one trial of the others, too. Chance is
    0.5."""
    least = 2 if seen.rows == "trials" else 1
    yield from scores("ccgp", balanced_ccgp, seen, moved=True, least=least, by_context=True)
