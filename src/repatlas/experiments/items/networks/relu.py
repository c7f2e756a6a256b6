"""A network of rectified linear units, without biases."""

from typing import ClassVar, Literal

import numpy as np

from repatlas.experiments.items.layered import Activate, Layered


def rectified(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """max(u, 0) and its slope, by gates: a ReLU network is a gated one that sets its own gates."""
    gates = (u > 0).astype(u.dtype)
    return u * gates, gates


class Relu(Layered):
    """f(u) = max(u, 0)."""

    kind: Literal["relu"]
    activate: ClassVar[Activate] = staticmethod(rectified)
