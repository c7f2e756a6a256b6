"""The training data of a seed: one fixed set of samples, the same for every network of the seed.

A sample is centre[condition] + sigma * noise. Conditions and noise are shared by all settings of
a seed, whatever their centres, sigma or activation: comparisons between networks are paired.
"""

from collections.abc import Iterator

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from repgeom.record import Number, Record
from repgeom.streams import stream


class Training(Record):
    """Plain stochastic gradient descent on a fixed set of samples."""

    learning_rate: Number = Field(0.1, gt=0, allow_inf_nan=False)
    """Step size of gradient descent on the mean loss of a batch."""
    batch: int = Field(200, ge=1)
    """Samples in a batch."""
    samples: int = Field(5000, ge=1)
    """Samples in the training set, over all clusters."""

    @model_validator(mode="after")
    def _whole_batches(self):
        if self.samples % self.batch:
            raise PydanticCustomError(
                "batch",
                "training.batch: found {batch}, should divide samples, {samples}",
                {"batch": self.batch, "samples": self.samples},
            )
        return self


def training_noise(seed: int, samples: int, inputs: int) -> np.ndarray:
    """(samples, N) float32, standard normal."""
    return stream(seed, "noise").standard_normal((samples, inputs), dtype=np.float32)


def training_conditions(seed: int, samples: int, clusters: int) -> np.ndarray:
    """(samples,) cluster of each sample, uniform."""
    return stream(seed, "conditions").integers(0, clusters, samples)


def batches(seed: int, training: Training, steps: int, start: int = 0) -> Iterator[np.ndarray]:
    """The samples of step start, ... steps - 1, each (batch,): a new random order every epoch."""
    per_epoch = training.samples // training.batch
    for step in range(start, steps):
        if step in (start, step // per_epoch * per_epoch):
            epoch = stream(seed, "order", step // per_epoch).permutation(training.samples)
        start = step % per_epoch * training.batch
        yield epoch[start : start + training.batch]
