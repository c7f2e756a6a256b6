"""From pairs of networks, which share networks, to one value for each network."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from selections import some

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


@numbers
def test_their_mean_is_the_mean_over_all_pairs(number):
    s = symmetric(number)
    assert pseudo_values(s).mean() == pytest.approx(mean_of_pairs(s), abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12), st.floats(-1, 1))
def test_what_each_network_adds_to_its_pairs_counts_twice(added, mean):
    a = np.array(added)
    assert pseudo_values(mean + a[:, None] + a) == pytest.approx(mean + 2 * a, abs=1e-12)


@numbers
def test_a_difference_has_the_differences_of_the_pseudo_values(number):
    first, second = symmetric(number, 1), symmetric(number, 2)
    paired = pseudo_values(first) - pseudo_values(second)
    assert pseudo_values(first - second) == pytest.approx(paired, abs=1e-12)


def test_two_groups_of_the_same_seeds_count_both_ways_round():
    between = np.random.default_rng(0).standard_normal((6, 6))  # of A_i and B_j
    both = (between + between.T) / 2
    assert np.array_equal(pseudo_values(between), pseudo_values(both))


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


def test_two_networks_have_none():
    assert some(np.isnan(pseudo_values(symmetric(2)))).all()


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


def t_interval(values):
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return values.mean() - half, values.mean() + half


def normal(rng, number):
    return rng.standard_normal(number)


def exponential(rng, number):
    return rng.exponential(size=number)


def lognormal(rng, number):
    return rng.lognormal(size=number)


SKEWED = [(exponential, np.log(2), 1), (lognormal, 1, np.exp(0.5))]
"""What networks add, its median and its mean."""


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
def test_so_it_does_with_t_intervals_where_all_is_normal():
    pseudo, partners, pairs = coverage(normal, 0, 10, 0, t_interval)
    assert abs(pseudo - 0.95) < ERROR
    assert partners == pytest.approx(0.65, abs=0.03)
    assert pairs == pytest.approx(0.44, abs=0.03)


@pytest.mark.parametrize("noise", [0, 1])
@pytest.mark.parametrize("number", [6, 10, 20])
@pytest.mark.parametrize(("draw", "median", "mean"), SKEWED)
def test_from_skewed_networks_it_holds_the_similarity_of_two_typical_ones(
    draw, median, mean, number, noise
):
    """The similarity of two typical networks is twice the median of what a network adds."""
    pseudo, partners, pairs = coverage(draw, 2 * median, number, noise, exact)
    assert pseudo > 0.95 - ERROR
    assert partners < 0.9
    assert pairs < 0.85


@pytest.mark.parametrize(("draw", "median", "mean"), SKEWED)
def test_from_skewed_networks_it_does_not_hold_the_mean(draw, median, mean):
    """The mean over pairs is another quantity: twice the mean of what a network adds."""
    pseudo, _, _ = coverage(draw, 2 * mean, 20, 0, exact)
    assert pseudo == pytest.approx({exponential: 0.8, lognormal: 0.61}[draw], abs=0.03)
