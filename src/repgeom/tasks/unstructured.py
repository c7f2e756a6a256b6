"""Unstructured inputs: clusters at random places (Figure 1; paper, section 4)."""

from typing import Literal

import numpy as np
from pydantic import Field

from repgeom.record import Number, Record
from repgeom.streams import stream
from repgeom.tasks.arrays import TaskArrays, first_half_positive


class Unstructured(Record):
    """Centres drawn from N(0, I), then centred; the first half of the clusters is one class.

    Subtracting the mean over the centres follows the first author's public code, not the paper's
    text. It matters: a shared mean direction makes a ReLU neuron active for all clusters or none.
    """

    kind: Literal["unstructured"]
    inputs: int = Field(100, ge=3, le=100_000)
    """Input dimensions N."""
    clusters: int = Field(4, ge=4, le=8, multiple_of=2)
    """Clusters P. At most 8, since every balanced dichotomy of them is decoded."""
    noise_variance: Number = Field(1.0, ge=0, allow_inf_nan=False)
    """Variance of the training inputs around their centre, in each dimension."""

    @property
    def targets(self) -> int:
        return 1

    def draw(self, seed: int) -> TaskArrays:
        centres = stream(seed, "centres").standard_normal((self.clusters, self.inputs))
        centres -= centres.mean(axis=0)
        labels = first_half_positive(self.clusters)
        half = self.clusters // 2
        directions = [
            (2 * labels[:, 0] - 1) @ centres,
            centres[0] - centres[1],
            centres[half] - centres[half + 1],
        ]
        return TaskArrays(centres, labels, _orthonormal(directions))


def _orthonormal(directions) -> np.ndarray:
    """Gram-Schmidt in the given order: the inter-class axis keeps its direction."""
    q, r = np.linalg.qr(np.stack(directions, axis=1))
    return (q * np.sign(np.diag(r))).T
