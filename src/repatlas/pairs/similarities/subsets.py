"""Similarities of 8 random units of each network, for networks of different widths.

Canonical correlations of unrelated data grow with the number of units. As many units of each
network have the same floor, whatever the width (Morcos et al. 2018, section 3.2, with 128 filters).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity import Overlap
from repatlas.streams import stream

UNITS = 8
SUBSETS = 20
DRAWS = 20


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield "pwcca" (both weightings), "cca" and "alignment" (debiased) of 8 units of each network.
    The value is the mean over 20 draws of the units, with the standard deviation of the draws. The
    draws of a network are the same in all its pairs. A draw with only dead units is left out. There
    is no value if a network has fewer than 8 units, or if no draw has a value."""
    measures: dict[str, Callable[[Overlap], float]] = {
        "pwcca": lambda both: both.pwcca("both"),
        "cca": _mean_correlation,
        "alignment": lambda both: both.alignment(debiased=True),
    }
    fewest = min(x.rows.shape[1], y.rows.shape[1])
    draws = range(SUBSETS) if fewest >= UNITS else ()
    subsets = [
        Overlap(x.units(_chosen(x, draw)).svd, y.units(_chosen(y, draw)).svd) for draw in draws
    ]
    for name, measure in measures.items():
        if not subsets:
            reason = f"{fewest} units, {UNITS} needed"
            yield Row("subsets", name, np.nan, reason=reason)
            continue
        drawn = [measure(both) for both in subsets]
        values = np.array(drawn)[~np.isnan(drawn)]
        if len(values) < 2:
            yield Row("subsets", name, np.nan, reason="nearly all units are dead")
            continue
        yield Row("subsets", name, float(values.mean()), sd=float(values.std(ddof=1)))


def _mean_correlation(both: Overlap) -> float:
    found = both.correlations()
    return float(found.mean()) if len(found) else np.nan


def _chosen(seen: Seen, draw: int) -> NDArray[np.intp]:
    """Return 8 random units, sorted. A whole layer of 8 units is then taken as it is."""
    generator = stream(seen.network.seed, "subset of units", draw)
    units: NDArray[np.intp] = generator.permutation(seen.rows.shape[1])
    return np.sort(units[:UNITS])
