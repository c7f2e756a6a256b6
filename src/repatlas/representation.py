"""What measures see of a network, what they say of it, and the settings of the decoders.

Experiments and measures meet here alone: an experiment makes representations, a measure reads them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
from pydantic import AfterValidator, Field

from repatlas.geometry import NotConverged
from repatlas.grids import sorted_unique
from repatlas.record import LARGEST_WHOLE, Positive, Record, number

Deviation = number(Field(ge=1e-18, le=1e18, allow_inf_nan=False))
"""A standard deviation for which sums of squares of the activity are numbers in float32, too."""


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

    @property
    def fitted(self) -> dict[str, Any]:
        """What decoders of repatlas.geometry take. They see activity as it is, not standardised: as
        in the paper."""
        return {"C": self.regularisation, "scale": None}


class Row(NamedTuple):
    """One number that a measure says of a representation."""

    measure: str
    variant: str
    value: float
    layer: int | None = None
    neuron: int | None = None
    cluster: int | None = None
    other_cluster: int | None = None
    deviation: float | None = None
    """Standard deviation of the noise in the samples that it was measured on, if it was on samples
    """
    reason: str | None = None
    """Why the value is missing: for the log"""


class LastLayer(NamedTuple):
    """The last hidden layer for the samples of C classes, and what reads it."""

    variant: str
    """The samples: "centres", "training" or "test" """
    features: np.ndarray
    """(m, n)"""
    conditions: np.ndarray | None
    """(m,): samples of one condition have one class; None where no sample shares its condition"""
    classes: np.ndarray
    """(m,): 0 ... C - 1"""
    weights: np.ndarray
    """(C, n): the most probable class has the largest product with the features, plus intercept"""
    intercepts: np.ndarray
    """(C,)"""


class Representation(Protocol):
    """What a network makes of P conditions with K targets, at one checkpoint."""

    variant: str
    """The origin of the patterns below: "centres", without noise, or "class means" of samples"""
    inputs: np.ndarray
    """(P, N)"""
    targets: np.ndarray
    """(P, K)"""
    layers: list[np.ndarray]
    """(P, n) for each layer"""
    first_layer: int
    """The number of the first of them: 0 is the input, 1 the first hidden layer"""
    single_layer: int | None
    """The number that rows have which are about the last layer alone; None for none"""
    deviations: Sequence[float]
    """Standard deviations of the noise that `samples` may have; none where items vary by themselves
    """
    finite: bool
    """Whether all of it is: no infinity and no NaN"""

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return (m, n) the last layer's activity for single items, and (m,) their conditions.
        Decoders are fitted on the split "fitted", and scored on the split "scored"."""

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield measure, variant and value of how well the network does: its loss and
        accuracies."""

    def last_layers(self) -> Iterator[LastLayer]:
        """Yield the last hidden layer for each of several sets of samples."""


def decoded(score: Callable, *arguments: Any, **settings: Any) -> tuple[Any, str | None]:
    """Return a score of decoders; or nan, and why. Activity may be finite, but so large that double
    precision cannot fit a decoder to it. Other measures of the network are correct."""
    try:
        return score(*arguments, **settings), None
    except NotConverged as error:
        return np.nan, f"the decoder did not converge. {error}"


def class_readout(
    targets: np.ndarray, readout: np.ndarray, bias: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the class of each condition, (P,), and the weights, (C, n), and intercepts, (C,), of
    each class.

    A class is a combination of target labels. targets: (P, K) of 0 and 1; readout: (K, n); bias:
    (K,), or 0. The most probable class has the largest sum over targets of (label - 1/2) times the
    output before the sigmoid. So its weights are the sum of (label - 1/2) times the weights of each
    target.
    """
    words, classes = np.unique(targets, axis=0, return_inverse=True)
    signs = words - 0.5  # (C, K)
    return classes.ravel(), signs @ readout, signs @ np.broadcast_to(bias, len(targets.T))


def trained_dichotomies(targets: np.ndarray) -> np.ndarray:
    """Return (K, P) of +-1: the division of the conditions by each target, (P, K) of 0 and 1."""
    return np.where(targets.T > 0, 1, -1)
