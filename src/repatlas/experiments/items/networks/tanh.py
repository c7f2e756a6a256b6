"""A network of units that saturate, without biases."""

from typing import ClassVar, Literal

import numpy as np

from repatlas.experiments.items.layered import Activate, Layered


def saturating(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value = np.tanh(u)
    return value, 1 - value**2


class Tanh(Layered):
    """f(u) = tanh(u)."""

    kind: Literal["tanh"]
    activate: ClassVar[Activate] = staticmethod(saturating)
