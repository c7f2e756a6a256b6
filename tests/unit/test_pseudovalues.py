"""From pairs of networks, which share networks, to one value for each network."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repatlas.inference.intervals import median_interval
from repatlas.inference.pseudovalues import pseudo_values


def symmetric(number, seed=0):
    s = np.random.default_rng(seed).standard_normal((number, number))
    return (s + s.T) / 2


def mean_of_pairs(s):
    return s[np.triu_indices(len(s), 1)].mean()


numbers = pytest.mark.parametrize("number", [3, 4, 10])


@numbers
def test_they_are_those_of_the_jackknife(number):
    """A pseudo-value is n times the mean of all pairs minus n - 1 times the mean without a
    network."""
    s = symmetric(number)
    without = [mean_of_pairs(np.delete(np.delete(s, i, 0), i, 1)) for i in range(number)]
    expected = number * mean_of_pairs(s) - (number - 1) * np.array(without)
    assert pseudo_values(s) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12), st.floats(-1, 1))
def test_what_each_network_adds_to_its_pairs_counts_twice(added, mean):
    a = np.array(added)
    assert pseudo_values(mean + a[:, None] + a) == pytest.approx(mean + 2 * a, abs=1e-12)


def test_a_network_is_not_compared_with_itself():
    s = symmetric(5)
    other = s + np.diag([1.0, 2.0, np.nan, np.inf, -1.0])
    assert np.array_equal(pseudo_values(s), pseudo_values(other))


def test_a_network_without_any_value_is_left_out():
    s = symmetric(6)
    s[2] = s[:, 2] = np.nan
    rest = np.delete(np.delete(s, 2, 0), 2, 1)
    found = pseudo_values(s)
    assert np.isnan(found[2])
    assert np.array_equal(np.delete(found, 2), pseudo_values(rest))


def test_a_pair_without_a_value_is_refused():
    s = symmetric(5)
    s[3, 1] = np.nan
    with pytest.raises(ValueError, match="nan for the networks 1 and 3, which have other pairs"):
        pseudo_values(s)


@pytest.mark.parametrize("shape", [(4,), (4, 3), (2, 2, 2)])
def test_a_table_that_is_not_square_is_refused(shape):
    with pytest.raises(ValueError, match=r"similarities has shape .*; allowed is \(n, n\)"):
        pseudo_values(np.ones(shape))


def coverage(draw, truth, number, noise, interval):
    """Return the fraction of 3,000 tables in which an interval contains the truth: from
    pseudo-values, from means over partners, and from pairs."""
    rng, tables, above = np.random.default_rng(0), 3000, np.triu_indices(number, 1)
    held = np.zeros(3)
    for _ in range(tables):
        a, of_pair = draw(rng, number), noise * rng.standard_normal((number, number))
        s = a[:, None] + a + (of_pair + of_pair.T) / np.sqrt(2)
        np.fill_diagonal(s, 0)
        for way, values in enumerate((pseudo_values(s), s.sum(axis=1) / (number - 1), s[above])):
            low, high = interval(values)
            held[way] += low <= truth <= high
    return held / tables


def exact(values):
    return median_interval(values)[1:]


def normal(rng, number):
    return rng.standard_normal(number)


def exponential(rng, number):
    return rng.exponential(size=number)


def lognormal(rng, number):
    return rng.lognormal(size=number)


ERROR = 3 * np.sqrt(0.05 * 0.95 / 3000)
"""Three standard errors of a share of 95 % among 3,000 tables: 1.2 %."""


SLOW = [pytest.param(*each, marks=pytest.mark.slow) for each in product([6, 20], [0, 1])]


@pytest.mark.parametrize(("number", "noise"), [(10, 1), *SLOW])
def test_95_percent_means_95_percent_from_pseudo_values_alone(number, noise):
    """The true mean over pairs is 0, which is also the similarity of two typical networks."""
    pseudo, partners, pairs = coverage(normal, 0, number, noise, exact)
    assert pseudo > 0.95 - ERROR
    assert partners < 0.85
    assert pairs < 0.8


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0, 1])
@pytest.mark.parametrize("number", [6, 20])
@pytest.mark.parametrize(("draw", "median"), [(exponential, np.log(2)), (lognormal, 1)])
def test_from_skewed_networks_it_holds_the_similarity_of_two_typical_ones(
    draw, median, number, noise
):
    """The similarity of two typical networks is twice the median of what a network adds."""
    pseudo, partners, pairs = coverage(draw, 2 * median, number, noise, exact)
    assert pseudo > 0.95 - ERROR
    assert partners < 0.9
    assert pairs < 0.85
