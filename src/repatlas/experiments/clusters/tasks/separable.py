"""Inputs between XOR and equidistant: separability delta (Figures 2 and 3; paper, section 5.1)."""

from typing import Literal

import numpy as np
from pydantic import Field

from repatlas.experiments.clusters.arrays import Task, TaskArrays, first_half_positive
from repatlas.record import Number
from repatlas.streams import stream


class Separable(Task):
    """Four centres sqrt(N/3) (b1 e1 + b2 e2 + delta b1 b2 e3), with label b1 b2 = +1.

    e1, e2, e3 is a random orthonormal frame, (b1, b2) = ++, --, +-, -+. At delta = 0 the task is
    XOR on a square, at delta = 1 the centres are equidistant with squared norm N. In between
    C(K_X, K_Y) = delta^2 / sqrt(2 + delta^4).
    """

    kind: Literal["separable"]
    inputs: int = Field(120, ge=3, le=100_000)
    """Input dimensions N."""
    delta: Number = Field(1.0, ge=0, le=1)
    """Separability: 0 is XOR, 1 is equidistant."""

    @property
    def clusters(self) -> int:
        return 4

    @property
    def targets(self) -> int:
        return 1

    def draw(self, seed: int) -> TaskArrays:
        gaussian = stream(seed, "frame").standard_normal((self.inputs, 3))
        q, r = np.linalg.qr(gaussian)
        frame = (q * np.sign(np.diag(r))).T  # Haar-distributed only with the signs fixed
        bits = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
        coordinates = np.column_stack([bits, self.delta * bits.prod(axis=1)])
        e1, e2, e3 = frame
        # At delta = 0 the difference of the class means vanishes; e3 is its limit.
        axes = np.stack([e3, (e1 + e2) / np.sqrt(2), (e1 - e2) / np.sqrt(2)])
        return TaskArrays(
            np.sqrt(self.inputs / 3) * coordinates @ frame, first_half_positive(4), axes
        )
