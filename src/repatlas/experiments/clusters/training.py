"""The training data of a seed: one fixed set of samples, the same for every network of the seed.

A sample is centre[condition] + sigma * noise. Conditions and noise are shared by all settings of
a seed, whatever their centres, sigma or activation: comparisons between networks are paired.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from repatlas.record import LARGEST_WHOLE, Positive, Record
from repatlas.streams import stream


class Training(Record):
    """Gradient descent on batches of a fixed set of samples."""

    optimiser: Literal["sgd", "adam"] = "sgd"
    """Plain stochastic gradient descent, or Adam with betas 0.9 and 0.999."""
    learning_rate: Positive = 0.1
    """Step size of the descent on the mean loss of a batch."""
    batch: int = Field(200, ge=1, le=LARGEST_WHOLE)
    """Samples in a batch. Where it does not divide the samples, an epoch leaves some out, others
    each time."""
    samples: int = Field(5000, ge=1, le=LARGEST_WHOLE)
    """Samples in the training set, over all clusters."""
    errors: Literal["output", "equal"] = "output"
    """The errors that gradients go with: y_hat - y; or "equal", 1/2 - y whatever the output, as
    they are for outputs of 1/2: the paper's simplified dynamics (section 4.1.1)."""
    stop_below: Positive | None = None
    """A network has converged, and stays as it is, when its mean training loss was below this value
    in two consecutive epochs; null trains it to the last step."""

    @model_validator(mode="after")
    def _has_a_batch(self):
        if self.batch > self.samples:
            raise PydanticCustomError(
                "batch",
                "training.batch: found {batch}, should be at most samples, {samples}",
                {"batch": self.batch, "samples": self.samples},
            )
        return self

    @property
    def epoch(self) -> int:
        """Steps in an epoch."""
        return self.samples // self.batch


def training_noise(seed: int, samples: int, inputs: int) -> np.ndarray:
    """Return (samples, N) float32, standard normal."""
    return stream(seed, "noise").standard_normal((samples, inputs), dtype=np.float32)


def training_conditions(seed: int, samples: int, clusters: int) -> np.ndarray:
    """Return (samples,) cluster of each sample, uniform."""
    return stream(seed, "conditions").integers(0, clusters, samples)


def batches(seed: int, training: Training, steps: int, start: int = 0) -> Iterator[np.ndarray]:
    """Yield the samples of step start, ... steps - 1, each (batch,): a new random order every
    epoch."""
    for step in range(start, steps):
        number, place = divmod(step, training.epoch)
        if step == start or place == 0:
            order = stream(seed, "order", number).permutation(training.samples)
        yield order[place * training.batch : (place + 1) * training.batch]
