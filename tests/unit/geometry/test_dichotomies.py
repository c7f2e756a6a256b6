from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from selections import some

from repatlas.geometry import balanced_dichotomies, context_pairs, nearest_pairing, pairings


@pytest.mark.parametrize("n", [2, 8])
def test_balanced_dichotomies_are_all_of_them_once_up_to_sign(n):
    naive = {d for d in product([-1, 1], repeat=n) if sum(d) == 0 and d[0] == 1}
    found = [tuple(row) for row in balanced_dichotomies(n).tolist()]
    assert len(found) == comb(n, n // 2) // 2
    assert set(found) == naive


def test_balanced_dichotomies_of_four_conditions_come_in_this_order():
    expected = [[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]
    assert balanced_dichotomies(4).tolist() == expected


@pytest.mark.parametrize("n", [0, 3, 4.5, 26])
def test_numbers_without_a_list_of_balanced_dichotomies_are_refused(n):
    with pytest.raises(ValueError, match="even number from 2 to 24"):
        balanced_dichotomies(n)


@pytest.mark.parametrize("dichotomy", [[1, -1], [1, 1, -1, -1], [0, 1, 1, 0, 1, 0, 0, 1]])
def test_pairings_are_all_ways_to_pair_the_two_sides(dichotomy):
    positive = {i for i, label in enumerate(dichotomy) if label == 1}
    negative = set(range(len(dichotomy))) - positive
    found = pairings(dichotomy).tolist()
    assert len({frozenset(map(tuple, pairing)) for pairing in found}) == factorial(len(positive))
    for pairing in found:
        assert {a for a, _ in pairing} == positive
        assert {b for _, b in pairing} == negative


def test_all_pairings_of_more_than_eight_conditions_are_refused():
    with pytest.raises(ValueError, match=r"10 conditions; .* at most 8, use the nearest pairing"):
        pairings([1, -1] * 5)


@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_pairing_has_the_least_total_squared_distance(seed):
    rng = np.random.default_rng(seed)
    patterns, dichotomy = rng.standard_normal((8, 3)), rng.permutation([1, -1] * 4)

    def total(pairs):
        return sum(np.sum((patterns[a] - patterns[b]) ** 2) for a, b in pairs)

    shortest = min(pairings(dichotomy).tolist(), key=total)
    found = nearest_pairing(patterns, dichotomy)
    assert sorted(found.tolist()) == sorted(shortest)
    assert dichotomy[found].tolist() == [[1, -1]] * 4


def test_squared_distances_decide_the_nearest_pairing():
    # Along a line: 0 and 3 are +, 3.2 and 7 are -. The squares favour 2 pairs of middling length;
    # for plain distances the totals of the two pairings are equal.
    patterns, dichotomy = np.array([[0.0], [3.0], [3.2], [7.0]]), [1, 1, -1, -1]
    assert nearest_pairing(patterns, dichotomy).tolist() == [[0, 2], [1, 3]]


@pytest.mark.parametrize(
    ("dichotomy", "message"),
    [
        ([1, 1, 1, -1], "3 positive and 1 negative"),
        ([1, 2, 1, 2], r"dichotomy holds the values \[1, 2\]"),
        ([[1, -1], [1, -1]], r"dichotomy of shape \(2, 2\)"),
        ([], "0 positive and 0 negative"),
        ([1, -1], "dichotomy labels 2 conditions; the patterns have 4"),
    ],
)
def test_malformed_dichotomies_are_refused_by_name(dichotomy, message):
    with pytest.raises(ValueError, match=message):
        nearest_pairing(np.eye(4), dichotomy)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("low", [-1, 0])
def test_context_pairs_differ_in_their_variable_only(rng, k, low):
    labels = rng.permutation(list(product([low, 1], repeat=k)))
    for variable in range(k):
        pairs = context_pairs(labels, variable)
        assert sorted(pairs.ravel()) == list(range(2**k))
        assert some(labels[pairs[:, 0], variable] == 1).all()
        assert some(labels[pairs[:, 1], variable] == low).all()
        rest = np.delete(labels, variable, axis=1)
        assert (rest[pairs[:, 0]] == rest[pairs[:, 1]]).all()  # of one variable, nothing is left


@pytest.mark.parametrize(
    ("labels", "variable", "message"),
    [
        ([[0, 0], [0, 1], [1, 0], [1, 0]], 0, "repeats a row"),
        ([[0, 0], [0, 1], [1, 0]], 0, r"labels has shape \(3, 2\)"),
        ([0, 1], 0, r"labels has shape \(2,\)"),
        ([[0, 0], [0, 2], [2, 0], [2, 2]], 0, r"labels holds the values \[0, 2\]"),
        ([[0, 0], [0, 1], [1, 0], [1, -1]], 0, "labels holds the values"),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], 2, "variable is 2; allowed are the columns 0 to 1"),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], -1, "variable is -1"),
    ],
)
def test_labels_that_are_not_factorial_are_refused_by_name(labels, variable, message):
    with pytest.raises(ValueError, match=message):
        context_pairs(labels, variable)
