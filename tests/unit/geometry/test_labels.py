"""Which definitions of parallelism score and CCGP the labels of conditions are for."""

from itertools import product
from typing import get_args

import numpy as np
import pytest
from scipy.linalg import hadamard

from repatlas import geometry
from repatlas.geometry.labels import Design, design_of
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score


def cube(k):
    return np.array(list(product([0, 1], repeat=k)))


def one_hot(k, each):
    return np.repeat(np.eye(k), each, axis=0)


LABELS = {
    "two labels of a square": (cube(2), "factorial"),
    "five labels of 32 conditions": (cube(5), "factorial"),
    "one label of two conditions": (cube(1), "dichotomies"),
    "one label of four conditions": (cube(2)[:, :1], "dichotomies"),
    "a combination twice, another not at all": (cube(2)[[0, 0, 1, 2]], "dichotomies"),
    "every combination twice": (np.repeat(cube(2), 2, axis=0), "dichotomies"),
    "fewer labels than index the conditions": (cube(3)[:, :2], "dichotomies"),
    "more labels than index the conditions": (hadamard(8)[:, 1:], "dichotomies"),
    "five classes of two": (one_hot(5, 2), "classes"),
    "three classes of two": (one_hot(3, 2), "classes"),
    "two classes of two, which are one dichotomy": (one_hot(2, 2), "dichotomies"),
    "four classes of three": (one_hot(4, 3), "dichotomies"),
    "classes of one, three and two": (np.eye(3)[[0, 1, 1, 1, 2, 2]], "dichotomies"),
    "a condition of two classes": (one_hot(3, 2) + np.eye(6, 3, 1), "dichotomies"),
    "a condition of no class": (np.vstack([one_hot(3, 2), [0, 0, 0]]), "dichotomies"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_have_the_design(name):
    labels, design = LABELS[name]
    assert design_of(labels) == design
    assert design in get_args(Design)


@pytest.mark.parametrize("kind", [bool, float, str, np.uint8])
def test_labels_may_be_of_any_kind(kind):
    assert design_of(cube(3).astype(kind)) == "factorial"
    assert design_of(one_hot(3, 2).astype(kind)) == "classes"


@pytest.mark.parametrize("name", LABELS)
def test_the_measures_of_a_design_take_its_labels(name, rng):
    """The measures for factorial labels take no others."""
    labels, design = LABELS[name]
    patterns, conditions = rng.standard_normal((len(labels), 9)), np.arange(len(labels))
    if design == "factorial":
        assert np.isfinite(geometry.parallelism_score(patterns, labels, 0))
        assert 0 <= geometry.ccgp(patterns, labels, 0) <= 1
        return
    measure = geometry.parallelism_score if len(labels) > 2 else geometry.ccgp
    with pytest.raises(ValueError, match="labels"):
        measure(patterns, labels, 0)
    if design == "classes":
        classes = labels.argmax(axis=1)
        assert np.isfinite(paired_parallelism_score(patterns, classes))
        assert 0 <= paired_ccgp(patterns, conditions, classes, C=1.0) <= 1


@pytest.mark.parametrize("labels", [[], [0, 1], np.empty((4, 0)), np.empty((0, 2)), [[[0], [1]]]])
def test_labels_that_are_no_table_are_refused(labels):
    with pytest.raises(ValueError, match=r"labels has shape .*; allowed is \(P, K\)"):
        design_of(labels)


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ([0, 1, 2, 3], r"holds the values \[0, 1, 2, 3\]"),
        ([0, 1, 1, np.nan], "holds NaN"),
        (np.ma.array([0, 1, 1, 0], mask=[0, 0, 0, 1]), "has 1 masked values"),
    ],
)
def test_labels_that_are_not_binary_are_refused(column, found):
    with pytest.raises(ValueError, match=f"column 1 of labels {found}"):
        design_of(np.ma.column_stack([[0, 0, 1, 1], column]))
