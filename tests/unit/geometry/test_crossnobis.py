"""Squared distances from noisy trials, which noise does not lengthen."""

from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import crossnobis_distances
from repatlas.geometry.crossnobis import shrunk_correlations

ABOVE = np.triu_indices(3, 1)


@pytest.mark.parametrize(("noise", "key"), [(None, "identity"), ("diagonal", "diag")])
def test_over_runs_it_is_that_of_rsatoolbox(distances_case, answer, vector_inputs, noise, key):
    if f"rsatoolbox_crossnobis_{key}" not in answer:
        pytest.skip("one trial in each condition and run tells no noise")
    inputs = vector_inputs("distances")
    data = (inputs[f"{distances_case}_{name}"] for name in ("x", "conditions", "runs"))
    found = crossnobis_distances(*data, noise=noise)
    expected = answer[f"rsatoolbox_crossnobis_{key}"]
    assert found == pytest.approx(np.array(expected), rel=1e-9, abs=1e-12)


def test_the_shrunk_covariance_is_that_of_rsatoolbox(distances_case, answer, vector_inputs):
    samples = vector_inputs("distances")[f"{distances_case}_x"]
    deviations = samples.std(axis=0, ddof=1)
    standard = (samples - samples.mean(axis=0)) / deviations
    found = shrunk_correlations(standard, len(samples) - 1) * np.outer(deviations, deviations)
    expected = np.array(answer["rsatoolbox_shrinkage_diag_of_samples"])
    assert found == pytest.approx(expected, abs=0.01 * expected.max())


def test_over_trials_it_is_the_mean_over_pairs_of_trials(rng):
    samples, conditions = rng.standard_normal((9, 4)), np.repeat([0, 1], [3, 6])
    x, y = samples[:3], samples[3:]

    def without_itself(z):
        return np.mean([a @ b for a, b in permutations(z, 2)])

    expected = without_itself(x) + without_itself(y) - 2 * x.mean(axis=0) @ y.mean(axis=0)
    found = crossnobis_distances(samples, conditions, noise=None)
    assert found == pytest.approx(np.array([[0, expected], [expected, 0]]) / 4)


def draws(rng, noise, runs=None, number=300, separation=0.0):
    """Return distances of three conditions, the third `separation` apart, from few and unequal
    trials of correlated noise. The noise is larger in the third condition."""
    conditions = np.repeat([0, 1, 2], [5, 8, 11]) if runs is None else np.tile([0, 1, 2], 6)
    sizes = np.array([1, 1, 2])[conditions] if noise is None else np.ones(len(conditions))
    mixing = np.eye(6) + 0.4 * np.random.default_rng(1).standard_normal((6, 6))
    found = []
    for _ in range(number):
        trials = sizes[:, None] * (rng.standard_normal((len(conditions), 6)) @ mixing)
        trials[conditions == 2] += separation
        found.append(crossnobis_distances(trials, conditions, runs, noise)[ABOVE])
    return np.array(found)


@pytest.mark.parametrize("noise", [None, "diagonal", "shrunk"])
def test_the_same_means_are_at_a_distance_of_0_on_average(rng, noise):
    """With covariances of as few trials as this, of the same trials, it would be 0.1 or more."""
    found = draws(rng, noise)
    assert np.all(abs(found.mean(axis=0)) < 4 * found.std(axis=0) / np.sqrt(len(found)))
    assert (found < 0).any()


def test_noise_that_runs_share_is_no_distance_over_runs_and_one_over_trials(rng):
    conditions, runs = np.tile([0, 0, 1, 1], 5), np.repeat(np.arange(5), 4)
    over_runs, over_trials = [], []
    for _ in range(200):
        shared = rng.standard_normal((5, 2, 6))
        trials = shared[runs, conditions] + 0.5 * rng.standard_normal((20, 6))
        over_runs.append(crossnobis_distances(trials, conditions, runs, noise=None)[0, 1])
        over_trials.append(crossnobis_distances(trials, conditions, noise=None)[0, 1])
    assert abs(np.mean(over_runs)) < 4 * np.std(over_runs) / np.sqrt(200)
    assert np.mean(over_trials) > 0.2


def test_it_is_symmetric_and_zero_on_the_diagonal(rng):
    samples, conditions = rng.standard_normal((40, 3)), np.arange(40) % 4
    for noise in (None, "diagonal", "shrunk"):
        found = crossnobis_distances(samples, conditions, noise=noise)
        assert np.array_equal(found, found.T)
        assert not np.diag(found).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"conditions": [0, 0, 0, 1]}, r"conditions has 1 trial of condition 1; .* need 2 or more"),
        (
            {"runs": [0, 0, 1, 1]},
            "runs has no trial of condition 1 in run 0; every run needs every",
        ),
        ({"runs": ["a"] * 4}, "runs holds 'a' alone; cross-validation needs 2 runs or more"),
        ({"runs": [0, 1]}, r"runs has shape \(2,\); allowed is one run for each of the 4 samples"),
        ({"runs": [0, 1, 0, 1], "noise": "shrunk"}, "samples has too few trials of each condition"),
        (
            {"noise": "full"},
            'noise is \'full\'; allowed are "shrunk", "diagonal", a covariance and None',
        ),
    ],
)
def test_what_cannot_be_cross_validated_is_refused(rng, arguments, message):
    given = {"conditions": [0, 0, 1, 1], "noise": None} | arguments
    with pytest.raises(ValueError, match=message):
        crossnobis_distances(rng.standard_normal((4, 3)), **given)


def test_a_feature_without_noise_is_refused(rng):
    samples = rng.standard_normal((12, 3))
    samples[:, 1] = 7
    with pytest.raises(ValueError, match=r"samples has no noise in feature 1: .*leave it out"):
        crossnobis_distances(samples, np.arange(12) % 3)


def test_with_the_variances_alone_many_features_take_little_memory(rng):
    """A covariance of 30,000 features has 7 GB."""
    samples = rng.standard_normal((12, 30_000))
    found = crossnobis_distances(samples, np.arange(12) % 3, noise="diagonal")
    assert abs(found).max() < 0.2


def test_a_given_covariance_makes_distances_of_one_pattern_in_each_run_as_in_rsatoolbox():
    """Computed by rsatoolbox 0.3.2, with the inverse of the covariance as noise."""
    rng = np.random.default_rng(0)
    means, runs, conditions = (
        rng.standard_normal((4, 5)),
        np.repeat(range(6), 4),
        np.tile(range(4), 6),
    )
    betas = means[conditions] + rng.standard_normal((24, 5))
    residuals = rng.standard_normal((80, 5)) @ rng.standard_normal((5, 5))
    covariance = residuals.T @ residuals / 80
    found = crossnobis_distances(betas, conditions, runs, noise=covariance)
    expected = [14.03798974, -6.55210052, 27.16853636, 12.46933, 109.07090088, 37.49440415]
    assert found[np.triu_indices(4, 1)] == pytest.approx(expected, rel=1e-7)
    with pytest.raises(ValueError, match="noise is no covariance of full rank"):
        crossnobis_distances(betas, conditions, runs, noise=np.ones((5, 5)))
