"""What measures need of a network, one Protocol for each need; what they say of it; and the
settings of the decoders.

Experiments and measures meet here alone. `rows` of a measure takes one of the Protocols, and that
is all that it may use. The grid of an experiment lists in `has` those that its networks answer.
Numbers: P conditions with K targets, N inputs, H units, C classes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Scored(Protocol):
    """A network with scores."""

    def scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield measure, variant and value of how well the network does: its loss and
        accuracies."""


class Patterns(Protocol):
    """The patterns of conditions in each layer, with targets."""

    variant: str
    """The origin of the patterns: "centres", without noise, or "class means" of samples"""
    inputs: np.ndarray
    """(P, N)"""
    targets: np.ndarray
    """(P, K)"""
    layers: list[np.ndarray]
    """(P, H) for each layer"""
    first_layer: int
    """The number of the first of them: 0 is the input, 1 the first hidden layer"""
    single_layer: int | None
    """The number that rows have which are about the last layer alone; None for none"""
    finite: bool
    """Whether all of it is: no infinity and no NaN"""
    deviations: Sequence[float]
    """Standard deviations of the noise that `samples` may have; none where items vary by themselves
    """

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return (m, H) the last layer's activity for single items, and (m,) their conditions.
        Decoders are fitted on the split "fitted", and scored on the split "scored"."""


class Labelled(Patterns, Protocol):
    """Conditions whose targets are labels, 0 or 1."""


class Noisy(Labelled, Protocol):
    """Labelled conditions with samples of noise of a chosen size."""


class OnClusters(Noisy, Protocol):
    """A network on clusters whose first layer and readout are named."""

    spec: Any
    task: Any
    """The arrays of the task; `axes` has the inter-class axis and two intra-class axes, (3, N)"""
    parameters: dict[str, np.ndarray]
    """"weights1" (H, N), "readout" (K, H), and others"""

    def training_samples(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples that it was trained on: (m, N) inputs and (m, K) targets."""

    def training_scores(self) -> Iterator[tuple[str, str, float]]:
        """Yield measure, variant and value of its loss and accuracy on these samples."""


class LastLayer(NamedTuple):
    """The last hidden layer for the samples of C classes, and what reads it."""

    variant: str
    """The samples: "centres", "training" or "test" """
    features: np.ndarray
    """(m, H)"""
    conditions: np.ndarray | None
    """(m,): samples of one condition have one class; None where no sample shares its condition"""
    classes: np.ndarray
    """(m,): 0 ... C - 1"""
    weights: np.ndarray
    """(C, H): the most probable class has the largest product with the features, plus intercept"""
    intercepts: np.ndarray
    """(C,)"""


class LastLayers(Protocol):
    """Classes of several samples each, in the last hidden layer."""

    def last_layers(self) -> Iterator[LastLayer]:
        """Yield the last hidden layer for each of several sets of samples."""


class OnItems(Patterns, Protocol):
    """A network on a few items in contexts, or a theory of it."""

    spec: Any
    parameters: dict[str, np.ndarray]
    outputs: np.ndarray
    """(P, K)"""
    maps: Mapping[str, np.ndarray]
    """(K, N) for each pathway, by its name; none for a network without pathways"""

    def pathway_inputs(self) -> list[np.ndarray]:
        """Return (N, P) for each pathway: the inputs that reach it."""

    def pathway_outputs(self, number: int) -> dict[str, np.ndarray]:
        """Return (P, K), by its name, of the pathway of this number; none where there isn't one."""


class WithUnits(OnItems, Protocol):
    """A network on a few items in contexts that has hidden units."""

    incoming: np.ndarray
    """(H, N or H): the weights that go to the last hidden layer"""
    outgoing: np.ndarray
    """(K, H): the weights that come from it"""
    mass: np.ndarray
    """(H,): of its units"""

    def activity(self, layer: int = -1) -> np.ndarray:
        """Return (H, contexts, objects): the activity of a hidden layer."""


class OnImages(Scored, Protocol):
    """A network that names images, with its layers for sets of images."""

    finite: bool
    usual_items: str
    """The set that layers are compared on: "train" or "test" """

    def layers_of_items(self, items: str) -> list[Any]:
        """Return the layers for the images of a set, with one row for each image."""

    def logits(self, items: str) -> np.ndarray:
        """Return (m, C)"""

    def accuracy(self, outputs: np.ndarray, items: str) -> float:
        """Return the share of images that these logits (m, C) name right."""

    def logits_from(self, number: int, activity: np.ndarray) -> np.ndarray:
        """Return (m, C): what the network makes of the activity (m, H) of a layer."""


class Recorded(Protocol):
    """A run whose loss is recorded between checkpoints."""

    curves: Mapping[str, Any]
    """The epochs and the values of each curve, by its name"""


class RunOnClusters(Protocol):
    """A run of a network on clusters."""

    spec: Any
    checkpoints: Mapping[int, OnClusters]
    """The network at each stored step"""

    def batches(self) -> list[np.ndarray]:
        """Return the samples of each step up to the last checkpoint."""


class RunOnItems(Recorded, Protocol):
    """A run of a network on a few items in contexts, or of a theory of it."""

    checkpoints: Mapping[int, OnItems]

    def at_level(self, level: float) -> OnItems | None:
        """Return the network at the first epoch at which its loss was below this part of |Y|^2 / 2;
        None if it never was."""


class RunWithUnits(Recorded, Protocol):
    """A run of a network on a few items in contexts that has hidden units."""

    spec: Any
    seed: int
    checkpoints: Mapping[int, WithUnits]


class RunOnImages(Recorded, Protocol):
    """A run of a network that names images."""

    checkpoints: Mapping[int, OnImages]

    def saved_gradients(self, step: int) -> float:
        """Return the share of the gradients of its layers that frozen layers had saved by a
        step."""


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
