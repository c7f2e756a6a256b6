"""Selections that an assertion is over: an assertion over nothing holds whatever the code does."""

from collections.abc import Iterable
from typing import Any

import numpy as np


def some(selection: Iterable) -> Any:
    """Return the selection, as a list where it can be read only once. It must not be empty."""
    found: Any = selection if hasattr(selection, "__len__") else list(selection)
    size = np.size(found) if hasattr(found, "shape") else len(found)
    assert size, "the selection is empty, so the assertion over it says nothing"
    return found
