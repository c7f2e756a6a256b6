"""Decoders see the activity, the noise and the samples that the settings ask for."""

import numpy as np
import pytest
from known_networks import DECODERS, INPUTS, checkpoint, codes_the_label, copies_inputs, values

from repatlas.geometry import decoding_accuracy, matched_ccgp
from repatlas.representation import trained_dichotomies


def test_decoders_are_scored_on_other_samples_than_they_are_fitted_on():
    found = copies_inputs()
    fitted, scored = (found.samples(split, 1.0) for split in ("fitted", "scored"))
    assert not np.any(np.isin(fitted[0], scored[0]))


def test_decoders_get_the_noise_of_each_test_deviation_whatever_the_training_noise():
    quiet, loud = copies_inputs(noise_variance=0.0), copies_inputs(noise_variance=9.0)
    for deviation in (0.5, 1.0):
        (one, clusters), (other, _) = (net.samples("fitted", deviation) for net in (quiet, loud))
        assert np.array_equal(one, other)
        noise = one - quiet.layers[-1][clusters]
        assert noise.std() == pytest.approx(deviation, rel=0.05)


def test_the_decoders_of_the_study_see_the_activity_as_it_is():
    weights = 30 * np.random.default_rng(0).standard_normal((12, INPUTS))
    network = checkpoint(weights, np.zeros(12), "relu")
    (hidden, conditions), scored = (network.samples(s, 1.0) for s in ("fitted", "scored"))
    (dichotomy,) = trained_dichotomies(network.targets)
    by_scale = {
        scale: (
            matched_ccgp(hidden, conditions, dichotomy, scale=scale),
            decoding_accuracy((hidden, conditions), scored, dichotomy, scale=scale),
        )
        for scale in (None, "rms")
    }
    found = values("ccgp", network) | values("decoding", network)
    assert (found["ccgp", 1.0], found["decoding_trained", 1.0]) == by_scale[None]
    assert by_scale[None] != by_scale["rms"]


def test_the_regularisation_of_the_decoder_is_that_of_the_settings():
    network = codes_the_label()
    weak = DECODERS.model_copy(update={"regularisation": 1e-6})
    network.parameters["weights1"] = np.random.default_rng(0).standard_normal((8, INPUTS))
    assert values("ccgp", network) != values("ccgp", network, weak)
