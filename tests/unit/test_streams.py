import numpy as np
import pytest

from repatlas.experiments.clusters.samples import balanced_samples
from repatlas.experiments.clusters.tasks.separable import Separable
from repatlas.experiments.clusters.tasks.unstructured import Unstructured
from repatlas.experiments.clusters.training import (
    Training,
    batches,
    training_conditions,
    training_noise,
)
from repatlas.networks.mlp import Network, initial_parameters
from repatlas.streams import stream

# The first raw number of each stream of seed 0. If one of these changes, so does every result of
# the project: do that on purpose only, and raise SPEC_VERSION.
FIRST_RAW = {
    "frame": 5857481309713699303,
    "centres": 3561696238372806835,
    "weights": 9145877205962952273,
    "bias": 9267801820885045579,
    "noise": 10844721705502166775,
    "conditions": 5044247157373543471,
    "order": 6736521387719214775,
    "decoder training": 16523019160322937008,
    "decoder test": 5682852986247582544,
}


@pytest.mark.parametrize(("purpose", "first"), FIRST_RAW.items())
def test_the_streams_are_those_of_all_earlier_results(purpose, first):
    assert stream(0, purpose).bit_generator.random_raw() == first


def test_what_is_drawn_from_the_streams_is_what_earlier_results_were_made_from():
    initial = initial_parameters(0, Network(activation="tanh", width=8), 12, 1)
    drawn = {
        "frame": Separable(kind="separable", inputs=12).draw(0).centres[0, 0],
        "centres": Unstructured(kind="unstructured", inputs=12).draw(0).centres[0, 0],
        "weights": initial["weights1"][0, 0],
        "bias": initial["bias1"][0],
        "noise": training_noise(0, 10, 12)[0, 0],
        "decoder training": balanced_samples(0, "decoder training", 8, 4, 12).noise[0, 0],
    }
    assert {purpose: float(value) for purpose, value in drawn.items()} == pytest.approx(
        {
            "frame": -0.08307772,
            "centres": 1.049878,
            "weights": -0.00242545,
            "bias": -0.006541187,
            "noise": 2.755841,
            "decoder training": 0.3833233,
        },
        rel=1e-5,
    )
    assert training_conditions(0, 8, 4).tolist() == [1, 1, 0, 2, 1, 3, 1, 0]
    assert next(batches(0, Training(samples=8, batch=8), 1)).tolist() == [6, 3, 1, 5, 4, 0, 2, 7]


@pytest.mark.parametrize(
    "other", [(4, "noise", 2), (3, "order", 2), (3, "noise", 1), (3, "noise", 0)]
)
def test_another_seed_purpose_or_index_is_another_stream(other):
    assert not np.any(stream(3, "noise", 2).standard_normal(100) == stream(*other).normal(size=100))
