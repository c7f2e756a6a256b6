"""Dimensions of a population with a few known items and features."""

from itertools import permutations

import numpy as np
import pytest

from repatlas.geometry import (
    corrected_participation_ratio,
    halves_of_trials,
    participation_ratio_of_features,
    participation_ratio_of_halves,
)

SPECTRUM = np.exp(-np.arange(12) / 6)
DIMENSIONS = SPECTRUM.sum() ** 2 / (SPECTRUM**2).sum()


def sample(rng, items, features):
    """Return items and features of a population with this spectrum."""
    mixing = rng.standard_normal((len(SPECTRUM), features)) * np.sqrt(SPECTRUM)[:, None]
    return rng.standard_normal((items, len(SPECTRUM))) @ mixing


@pytest.mark.parametrize(
    ("name", "items", "features"),
    [("naive", "all", "all"), ("row", "sample", "all"), ("col", "all", "sample"), ("both",) * 3],
)
def test_it_is_that_of_the_package_dimensionality(
    dimensionality_case, answer, vector_inputs, name, items, features
):
    patterns = vector_inputs("dimensionality")[f"{dimensionality_case}_x"]
    items, features = ("sample", "sample") if name == "both" else (items, features)
    found = corrected_participation_ratio(patterns, items, features)
    assert found == pytest.approx(answer[f"dimensionality_{name}"], rel=1e-9)


@pytest.mark.parametrize("features", ["all", "sample"])
def test_it_is_its_definition_by_four_different_items(rng, features):
    """The definition also holds for two halves, and with more features than items or fewer."""
    for width in (3, 9):
        x, y = 5 + rng.standard_normal((2, 6, width))
        y += x
        found = (
            corrected_participation_ratio(x, features=features),
            participation_ratio_of_halves(x, y, features),
        )
        assert found == pytest.approx(
            (by_definition(x, x, features), by_definition(x, y, features)), rel=1e-9, nan_ok=True
        )


def by_definition(x, y, features):
    numerator, denominator = np.zeros((2, x.shape[1], x.shape[1]))
    for i, j, k, m in permutations(range(len(x)), 4):
        a, b = x[i] - x[j], x[k] - x[m]
        c, d = y[i] - y[j], y[k] - y[m]
        numerator += np.outer(a * c, b * d)
        denominator += np.outer(a * b, c * d)
    if features == "sample":
        np.fill_diagonal(numerator, 0)
        np.fill_diagonal(denominator, 0)
    return numerator.sum() / denominator.sum() if denominator.sum() > 0 else np.nan


@pytest.mark.parametrize(("items", "features"), [(20, 30), (60, 15), (200, 200)])
def test_it_does_not_depend_on_how_many_items_and_features_are_known(rng, items, features):
    """The plain ratio does; a ratio of two estimates may be off by a little where items are few."""
    samples = [sample(rng, items, features) for _ in range(150)]
    found = [corrected_participation_ratio(x) for x in samples]
    plain = np.mean([participation_ratio_of_features(x) for x in samples])
    error = np.std(found) / np.sqrt(len(found))
    assert np.median(found) == pytest.approx(DIMENSIONS, abs=4 * error + 2 / min(items, features))
    if min(items, features) < 50:
        assert plain < 0.8 * DIMENSIONS


def test_items_that_are_all_the_same_have_none():
    assert np.isnan(corrected_participation_ratio(np.full((6, 3), 0.1)))
    assert np.isnan(participation_ratio_of_halves(*np.full((2, 6, 3), 0.1)))


def test_what_is_too_small_or_unknown_is_refused():
    with pytest.raises(ValueError, match=r"patterns has 3 items and 5 features; .* needs 4 items"):
        corrected_participation_ratio(np.eye(3, 5))
    with pytest.raises(ValueError, match=r"patterns has 5 items and 1 features; .* 2 features"):
        corrected_participation_ratio(np.eye(5, 1))
    with pytest.raises(ValueError, match='items is \'some\'; allowed are "sample" and "all"'):
        corrected_participation_ratio(np.eye(5), items="some")
    with pytest.raises(ValueError, match="features is 'some'"):
        participation_ratio_of_halves(np.eye(5), np.eye(5), features="some")
    with pytest.raises(ValueError, match=r"first has shape \(5, 5\) and second has \(5, 4\)"):
        participation_ratio_of_halves(np.eye(5), np.eye(5, 4))


def test_halves_of_trials_share_no_trial_and_use_all(rng):
    conditions = rng.permutation(np.repeat([0, 1, 2], [2, 5, 8]))
    first, second = halves_of_trials(np.eye(15), conditions, seed=3)
    assert not np.any(first * second)
    assert np.array_equal((first + second > 0).sum(axis=1), [2, 5, 8])
    assert np.array_equal((first > 0).sum(axis=1), [1, 2, 4])
    again = halves_of_trials(np.eye(15), conditions, seed=3)
    assert np.array_equal(first, again[0])
    assert not np.array_equal(first, halves_of_trials(np.eye(15), conditions, seed=4)[0])


def test_a_condition_with_one_trial_has_no_halves():
    with pytest.raises(
        ValueError, match="conditions has 1 trial of condition 1; two halves need 2"
    ):
        halves_of_trials(np.eye(3), [0, 0, 1])
