"""Cross-validated decoding of each variable, balanced over the others."""

from collections.abc import Iterator
from typing import Any

from repatlas.geometry import balanced_decoding
from repatlas.own.decoders import scores
from repatlas.own.result import Result
from repatlas.own.trials import Trials


def rows(seen: Trials, settings: Any = None) -> Iterator[Result]:
    """Yield balanced_decoding of conditions with a row for each fold or more. Chance is 0.5."""
    folds = seen.fits.folds
    yield from scores(
        "decoding",
        balanced_decoding,
        seen,
        moved=False,
        least=folds,
        by_context=False,
        hint=f"{folds} folds need {folds} rows of a condition: fewer folds keep more conditions",
        folds=folds,
    )
