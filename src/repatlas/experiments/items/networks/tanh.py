"""A network of units that saturate, without biases."""

from typing import ClassVar, Literal

import numpy as np

from repatlas.experiments.items.layered import Activate, Layered


def saturating(u: np.ndarray, slope: np.ndarray) -> np.ndarray:
    np.tanh(u, out=u)
    np.square(u, out=slope)
    return np.subtract(1, slope, out=slope)


class Tanh(Layered):
    """f(u) = tanh(u)."""

    kind: Literal["tanh"]
    activate: ClassVar[Activate] = staticmethod(saturating)
