"""Data have the same geometry in another unit."""

from itertools import product

import numpy as np
import pytest

from repatlas.geometry import (
    NotConverged,
    alignment_of_kernels,
    balanced_ccgp,
    balanced_decoding,
    ccgp,
    centred_kernel,
    chance_alignment,
    condition_means,
    corrected_parallelism_score,
    corrected_participation_ratio,
    crossnobis_distances,
    decoding_accuracies,
    decoding_accuracy,
    halves_of_trials,
    kernel_alignment,
    matched_ccgp,
    matched_parallelism_score,
    parallelism_score,
    participation_ratio,
    participation_ratio_of_features,
    participation_ratio_of_halves,
)

CUBE = np.array(list(product([0, 1], repeat=3)))
CONDITIONS = np.repeat(np.arange(8), 20)
RNG = np.random.default_rng(0)
CENTRES = 1 + 2 * CUBE @ RNG.standard_normal((3, 12))
TRIALS, FRESH = CENTRES[CONDITIONS] + RNG.standard_normal((2, 160, 12))
OTHER = TRIALS[:, :3] + RNG.standard_normal((160, 3))

ALIGNMENTS = {
    "kernel_alignment of x": lambda x, z: kernel_alignment(x, OTHER),
    "kernel_alignment of y": lambda x, z: kernel_alignment(OTHER, x),
    "kernel_alignment of few items": lambda x, z: kernel_alignment(x[:5], OTHER[:5]),
    "debiased": lambda x, z: kernel_alignment(x, OTHER, debiased=True),
    "chance_alignment": lambda x, z: chance_alignment(x, OTHER),
    "alignment_of_kernels": lambda x, z: alignment_of_kernels(
        centred_kernel(x), centred_kernel(OTHER)
    ),
    "participation_ratio": lambda x, z: participation_ratio(centred_kernel(x)),
    "participation_ratio_of_features": lambda x, z: participation_ratio_of_features(x),
    "corrected_participation_ratio": lambda x, z: corrected_participation_ratio(x),
    "participation_ratio_of_halves": lambda x, z: participation_ratio_of_halves(x, z),
}
MEASURES = ALIGNMENTS | {
    "parallelism_score": lambda x, z: parallelism_score(condition_means(x, CONDITIONS), CUBE, 1),
    "matched_parallelism_score, best": lambda x, z: matched_parallelism_score(
        condition_means(x, CONDITIONS), CUBE[:, 0]
    ),
    "matched_parallelism_score, nearest": lambda x, z: matched_parallelism_score(
        condition_means(x, CONDITIONS), CUBE[:, 0], pairing="nearest"
    ),
    "corrected_parallelism_score": lambda x, z: (
        corrected_parallelism_score(x, CUBE[CONDITIONS], 1).value
    ),
    "corrected_parallelism_score, ratio": lambda x, z: (
        corrected_parallelism_score(x, CUBE[CONDITIONS], 1, form="ratio").value
    ),
    "crossnobis_distances": lambda x, z: crossnobis_distances(x, CONDITIONS)[0, 1],
    "halves_of_trials": lambda x, z: participation_ratio_of_halves(
        *halves_of_trials(x, CONDITIONS)
    ),
    "balanced_ccgp": lambda x, z: balanced_ccgp(x, CUBE[CONDITIONS], 1).value,
    "balanced_decoding": lambda x, z: balanced_decoding(x, CUBE[CONDITIONS], 1).value,
    "ccgp": lambda x, z: ccgp(x, CUBE[CONDITIONS], 1),
    "ccgp, leave one pair out": lambda x, z: ccgp(
        x, CUBE[CONDITIONS], 1, split="leave-one-pair-out"
    ),
    "matched_ccgp": lambda x, z: matched_ccgp(x, CONDITIONS, CUBE[:, 0] ^ CUBE[:, 1]),
    "decoding_accuracy": lambda x, z: decoding_accuracy(
        (x, CONDITIONS), (z, CONDITIONS), CUBE[:, 0] ^ CUBE[:, 1]
    ),
    "decoding_accuracies": lambda x, z: decoding_accuracies(
        (x, CONDITIONS), (z, CONDITIONS), CUBE.T
    ).mean(),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_measure_has_no_unit(measure):
    score = MEASURES[measure]
    found = [score(10.0**k * TRIALS, 10.0**k * FRESH) for k in (-13, -6, -1, 1, 6, 13)]
    assert np.isfinite(found[0])
    assert found == pytest.approx([score(TRIALS, FRESH)] * len(found), abs=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_power_of_two_changes_no_bit(measure):
    score = MEASURES[measure]
    found = {score(2.0**k * TRIALS, 2.0**k * FRESH) for k in (-43, 5)}
    assert found == {score(TRIALS, FRESH)}


@pytest.mark.parametrize("unit", [1e-100, 1e100])
@pytest.mark.parametrize("measure", ALIGNMENTS)
def test_alignments_neither_overflow_nor_vanish(measure, unit):
    score = ALIGNMENTS[measure]
    with np.errstate(all="raise"):
        assert score(unit * TRIALS, FRESH) == pytest.approx(score(TRIALS, FRESH), abs=1e-9)


def test_without_a_scale_decoders_see_the_samples_as_they_are():
    assert ccgp(TRIALS, CUBE[CONDITIONS], 1, scale=None) != ccgp(
        1e-13 * TRIALS, CUBE[CONDITIONS], 1, scale=None
    )
    with pytest.raises(NotConverged, match=r'standardise them \(scale="rms"\)'):
        ccgp(1e13 * TRIALS, CUBE[CONDITIONS], 1, scale=None)


def test_the_scale_is_that_of_the_training_samples_alone():
    """Test samples may be anything: each is on its side of the same boundary as before."""
    far = np.concatenate([FRESH, 1e6 * FRESH[:8]])
    conditions = np.concatenate([CONDITIONS, CONDITIONS[:8]])
    hits = [
        decoding_accuracy((TRIALS, CONDITIONS), (z, c), CUBE[:, 0]) * len(z)
        for z, c in ((FRESH, CONDITIONS), (1e6 * FRESH[:8], CONDITIONS[:8]), (far, conditions))
    ]
    assert hits[2] == pytest.approx(hits[0] + hits[1])


def test_in_ccgp_the_scale_is_that_of_the_fitted_context_alone():
    """One condition lies far out, on its side. Decoders that are fitted in the other contexts are
    right everywhere. A decoder fitted in this context has a boundary far out, and half of the
    others are wrong."""
    samples = CUBE * [2.0, 4, 4] - [1, 0, 0]
    samples[7, 0] = 1e6
    assert ccgp(samples, CUBE, 0) == np.mean([1, 1, 1, 0.5])


def test_an_unknown_scale_is_refused():
    with pytest.raises(
        ValueError, match='scale is \'z-score\'; allowed are "rms", "features" and None'
    ):
        ccgp(TRIALS, CUBE[CONDITIONS], 1, scale="z-score")


def test_patterns_within_rounding_of_one_another_have_no_parallelism():
    rounding = np.finfo(float).eps * np.random.default_rng(0).standard_normal((8, 5))
    assert np.isnan(parallelism_score(0.5 * (1 + rounding), CUBE, 0))


@pytest.mark.parametrize("measure", MEASURES)
def test_an_offset_of_every_feature_changes_nothing(measure):
    score, offset = MEASURES[measure], 1e4 * np.arange(12)
    shifted = score(TRIALS + offset, FRESH + offset)
    assert shifted == pytest.approx(score(TRIALS, FRESH), abs=1e-9)
