"""The settings of the linear decoders, and the samples that they are fitted and scored on."""

from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from repatlas.experiments.clusters.grid import sorted_unique
from repatlas.record import LARGEST_WHOLE, Positive, Record, number
from repatlas.streams import stream

Deviation = number(Field(ge=1e-18, le=1e18, allow_inf_nan=False))
"""Such that sums of squares of the activity are numbers in float32, too."""


class Decoders(Record):
    """The linear decoders behind decodability and CCGP."""

    test_deviations: Annotated[list[Deviation], AfterValidator(sorted_unique)] = Field(
        [1.0, 3.0], min_length=1, max_length=100
    )
    """Standard deviations sigma_test of the noise in the decoders' inputs."""
    train_samples: int = Field(5000, ge=16, le=LARGEST_WHOLE)
    """Samples that a decoder is fitted on, equally many of each cluster."""
    test_samples: int = Field(1000, ge=16, le=LARGEST_WHOLE)
    """Samples that it is scored on."""
    regularisation: Positive = 1.0
    """C of the support vector machine."""


class Samples(NamedTuple):
    """Samples of all clusters, but for the centres: the same for every network of a seed."""

    conditions: np.ndarray
    """(m,): the cluster of each sample"""
    noise: np.ndarray
    """(m, N): standard normal"""


def balanced_samples(seed: int, purpose: str, number: int, clusters: int, inputs: int) -> Samples:
    """Equally many of each cluster; a remainder of `number` is left out."""
    conditions = np.repeat(np.arange(clusters), number // clusters)
    noise = stream(seed, purpose).standard_normal((len(conditions), inputs), dtype=np.float32)
    return Samples(conditions, noise)
