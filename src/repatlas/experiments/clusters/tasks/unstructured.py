"""Unstructured inputs: clusters at random places (Figures 1, 7 and 8; paper, section 4)."""

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.arrays import Task, TaskArrays, first_half_positive
from repatlas.streams import stream

TWO_TARGETS = [[1, 1], [1, 0], [0, 1], [0, 0]]
"""The labels of the four clusters (paper, appendix A)."""


class Distribution(NamedTuple):
    """A distribution of the coordinates of the centres: uniform between low and high, then times
    the factor, if there is one, for a variance of 1."""

    low: float
    high: float
    factor: float = 1.0
    unit: float = 1.0
    rectified: bool = False


DISTRIBUTIONS = {
    "symmetric": Distribution(-1.0, 1.0, factor=3**0.5),
    "positive": Distribution(0.0, 1.0, factor=12**0.5),
    "rectified": Distribution(0.0, 1.0, factor=12**0.5, rectified=True),
    "raw": Distribution(0.0, 1.0, unit=12**-0.5, rectified=True),
}


class Unstructured(Task):
    """Random centres, centred; the first half of the clusters is one class.

    Subtracting the mean over the centres follows the first author's public code, not the paper's
    text. It matters: a shared mean direction makes a ReLU neuron active for all clusters or none.
    """

    kind: Literal["unstructured"]
    inputs: int = Field(100, ge=3, le=100_000)
    """Input dimensions N."""
    clusters: int = Field(4, ge=4, le=8, multiple_of=2)
    """Clusters P. At most 8, since every balanced dichotomy of them is decoded."""
    targets: int = Field(1, ge=1, le=2)
    """Binary targets K. Two of them label four clusters 11, 10, 01 and 00."""
    distribution: Literal["normal", *DISTRIBUTIONS] = "normal"
    """The distribution of the coordinates of the centres. "normal" is N(0, 1). "symmetric" is
    uniform in [-1, 1] and "positive" in [0, 1], both scaled to variance 1. "rectified" is positive
    with inputs cut at 0, noise included. "raw" is rectified without the scale, and its noise is in
    units of the standard deviation of the coordinates, 1/sqrt(12)."""
    centred: bool = True
    """Whether the mean over the centres is subtracted from them."""

    @model_validator(mode="after")
    def _is_possible(self):
        if self.targets == 2 and self.clusters != 4:
            raise PydanticCustomError(
                "clusters",
                "task.clusters: found {clusters}, allowed: 4 with two targets",
                {"clusters": self.clusters},
            )
        if self.rectified and self.centred:
            raise PydanticCustomError(
                "centred",
                "task.centred: found True, allowed: False with distribution {distribution}",
                {"distribution": repr(self.distribution)},
            )
        return self

    @property
    def unit(self) -> float:
        return 1.0 if self.distribution == "normal" else DISTRIBUTIONS[self.distribution].unit

    @property
    def rectified(self) -> bool:
        return self.distribution != "normal" and DISTRIBUTIONS[self.distribution].rectified

    def draw(self, seed: int) -> TaskArrays:
        centres = self._coordinates(stream(seed, "centres"))
        if self.centred:
            centres -= centres.mean(axis=0)
        labels = np.array(TWO_TARGETS, np.float64)
        if self.targets == 1:
            labels = first_half_positive(self.clusters)
        half = self.clusters // 2
        # With two targets the inter-class axis is the axis of the first target.
        directions = [
            (2 * labels[:, 0] - 1) @ centres,
            centres[0] - centres[1],
            centres[half] - centres[half + 1],
        ]
        return TaskArrays(centres, labels, _orthonormal(directions))

    def _coordinates(self, generator: np.random.Generator) -> np.ndarray:
        shape = (self.clusters, self.inputs)
        if self.distribution == "normal":
            return generator.standard_normal(shape)
        low, high, factor, *_ = DISTRIBUTIONS[self.distribution]
        return factor * generator.uniform(low, high, shape)


def _orthonormal(directions) -> np.ndarray:
    """Return orthonormal axes by Gram-Schmidt, in the given order: the first keeps its
    direction."""
    q, r = np.linalg.qr(np.stack(directions, axis=1))
    return (q * np.sign(np.diag(r))).T
