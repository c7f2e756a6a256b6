"""A network of rectified linear units, without biases."""

from typing import ClassVar, Literal

import numpy as np

from repatlas.experiments.items.layered import Activate, Layered


def rectified(u: np.ndarray, gates: np.ndarray) -> np.ndarray:
    """Return max(u, 0) and its slope from gates, since a ReLU network is a gated network that sets
    its own gates."""
    np.greater(u, 0, out=gates)
    u *= gates
    return gates


class Relu(Layered):
    """f(u) = max(u, 0)."""

    kind: Literal["relu"]
    activate: ClassVar[Activate] = staticmethod(rectified)
