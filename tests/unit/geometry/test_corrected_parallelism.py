"""Parallelism from noisy trials: fewer trials make it less certain, not smaller."""

from itertools import combinations, product

import numpy as np
import pytest

from repatlas.geometry import condition_means, corrected_parallelism_score, parallelism_score
from repatlas.geometry.corrected_parallelism import COSINES, RATIO

CUBE = np.array(list(product([0, 1], repeat=3)))


def recording(rng, trials, sigma=2.0, features=60, correlated=True):
    """Return trials of eight conditions with noise that features share. The coding vectors of the
    first variable are partly parallel."""
    place = np.random.default_rng(5)
    means = np.outer(CUBE[:, 0], place.standard_normal(features))
    means += 0.7 * place.standard_normal((8, features))
    conditions = np.repeat(np.arange(8), trials)
    noise = rng.standard_normal((len(conditions), features))
    if correlated:
        noise = noise + rng.standard_normal((len(conditions), 1))
    return means, means[conditions] + sigma * noise, conditions


def ratio_of(means):
    vectors = means[4:] - means[:4]
    products = sum(a @ b for a, b in combinations(vectors, 2)) / 6
    return products / np.mean([v @ v for v in vectors])


@pytest.mark.parametrize(("form", "sigma"), [("cosines", 1.2), ("ratio", 2.0)])
def test_fewer_trials_lower_the_plain_score_and_not_the_corrected_one(rng, form, sigma):
    means = recording(rng, 1)[0]
    truth = parallelism_score(means, CUBE, 0) if form == "cosines" else ratio_of(means)
    plain = []
    for trials in (32, 16, 8):
        corrected, uncorrected = [], []
        for _ in range(100):
            _, samples, conditions = recording(rng, trials, sigma)
            score = corrected_parallelism_score(samples, CUBE[conditions], 0, form=form)
            corrected.append(score.value)
            uncorrected.append(parallelism_score(condition_means(samples, conditions), CUBE, 0))
        plain.append(np.mean(uncorrected))
        corrected = np.array(corrected)
        corrected = corrected[~np.isnan(corrected)]
        assert len(corrected) > 80
        error = np.std(corrected) / np.sqrt(len(corrected))
        # Four standard errors, and the bias of a ratio of estimates, which falls with the trials.
        assert np.mean(corrected) == pytest.approx(truth, abs=4 * error + 0.3 / trials)
    assert plain[0] > plain[1] + 0.02 > plain[2] + 0.04
    assert plain[2] < 0.85 * truth


def test_without_noise_it_is_the_plain_score(rng):
    means, *_ = recording(rng, 1)
    samples, labels = np.repeat(means, 2, axis=0), np.repeat(CUBE, 2, axis=0)
    score = corrected_parallelism_score(samples, labels, 0)
    assert score.value == pytest.approx(parallelism_score(means, CUBE, 0), abs=1e-12)
    assert score.estimator == COSINES
    ratio = corrected_parallelism_score(samples, labels, 0, form="ratio")
    assert ratio.value == pytest.approx(ratio_of(means), abs=1e-12)
    assert ratio.estimator == RATIO


def test_a_variable_of_three_values_has_a_score_for_each_pair_of_values(rng):
    labels = np.array(list(product(["a", "b", "c"], ["left", "right", "up"])))
    means = rng.standard_normal((9, 20))
    score = corrected_parallelism_score(
        np.repeat(means, 2, axis=0), np.repeat(labels, 2, axis=0), 0, form="cosines"
    )
    assert score.pairs == [("a", "b"), ("a", "c"), ("b", "c")]
    for (first, second), value in zip(score.pairs, score.by_pair, strict=True):
        vectors = means[labels[:, 0] == second] - means[labels[:, 0] == first]
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        expected = np.mean([a @ b for a, b in combinations(units, 2)])
        assert value == pytest.approx(expected, abs=1e-12)
    assert score.value == pytest.approx(np.mean(score.by_pair))


def test_the_ratio_of_several_pairs_is_that_of_their_sums(rng):
    labels = np.repeat(list(product("abc", "xy")), 2, axis=0)
    means = rng.standard_normal((6, 20))
    vectors = {(i, j): means[[2 * j, 2 * j + 1]] - means[[2 * i, 2 * i + 1]] for i, j in
               combinations(range(3), 2)}  # fmt: skip
    products = sum(v[0] @ v[1] for v in vectors.values())
    lengths = sum((v[0] @ v[0] + v[1] @ v[1]) / 2 for v in vectors.values())
    found = corrected_parallelism_score(np.repeat(means, 2, axis=0), labels, 0, form="ratio")
    assert found.value == pytest.approx(products / lengths, abs=1e-12)


def test_where_noise_is_more_than_signal_the_ratio_takes_over(rng):
    _, samples, conditions = recording(rng, 20, sigma=0.5)
    assert corrected_parallelism_score(samples, CUBE[conditions], 0).estimator == COSINES
    _, samples, conditions = recording(rng, 4, sigma=5.0)
    assert corrected_parallelism_score(samples, CUBE[conditions], 0).estimator == RATIO


@pytest.mark.parametrize("features", [1, 5, 60])
def test_a_variable_that_changes_nothing_rarely_has_a_score(features):
    """The test has a level of 5 %, and more where one direction has most of the noise."""
    labels, found = np.tile(CUBE, (6, 1)), []
    for seed in range(200):
        samples = np.random.default_rng(seed).standard_normal((48, features))
        found.append(corrected_parallelism_score(samples, labels, 0).value)
    assert np.isfinite(found).mean() < 0.12
    assert np.nanmax(np.abs(found)) < 5


def test_conditions_within_rounding_of_one_another_have_no_score(rng):
    patterns = 0.5 * (1 + np.finfo(float).eps * rng.standard_normal((8, 5)))
    samples, labels = np.repeat(patterns, 2, axis=0), np.repeat(CUBE, 2, axis=0)
    for form in ("cosines", "ratio"):
        assert np.isnan(corrected_parallelism_score(samples, labels, 0, form).value)


def test_a_single_trial_of_a_condition_is_refused_by_its_name(rng):
    labels = [("cat", "left"), ("cat", "right"), ("dog", "left"), ("dog", "right")] * 2
    with pytest.raises(ValueError, match=r"labels has only one trial of condition \(dog, right\)"):
        corrected_parallelism_score(rng.standard_normal((7, 3)), labels[:7], 0)


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match='form is \'mean\'; allowed are "cosines", "ratio"'):
        corrected_parallelism_score(np.eye(8), CUBE, 0, form="mean")
