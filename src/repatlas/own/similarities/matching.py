"""Units matched one to one (Li et al. 2016)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from repatlas.similarity import matching

HOW = "mean correlation of units in pairs, no unit twice"
PREPARED = np.asarray


def similarity(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the mean correlation of pairs."""
    return float(matching(x, y).correlations.mean())
