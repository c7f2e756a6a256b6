"""Mutual neighbours, Procrustes, Bures and distances of items: others' numbers, and what holds."""

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes, sqrtm
from scipy.stats import ortho_group
from selections import some
from sklearn.linear_model import Ridge
from sklearn.neighbors import NearestNeighbors
from vectors import expected, inputs

from repatlas.geometry import centred_kernel
from repatlas.similarity import (
    Neighbours,
    Regressors,
    bures_similarity,
    dissimilarities,
    dissimilarity_similarity,
    linear_predictivity,
    mutual_neighbours,
    procrustes,
    thin_svd,
)

CASES = expected("shape")
SIZES = [(30, 4, 7), (12, 9, 5)]
SYMMETRIC = {
    "mutual_neighbours": lambda x, y: mutual_neighbours(x, y, 5).value,
    "procrustes": lambda x, y: procrustes(x, y).similarity,
    "bures": lambda x, y: bures_similarity(centred_kernel(x), centred_kernel(y)),
    "distances": lambda x, y: dissimilarity_similarity(dissimilarities(x), dissimilarities(y)),
}
sizes = pytest.mark.parametrize(("items", "one", "other"), SIZES)
symmetric = pytest.mark.parametrize("name", SYMMETRIC)


def pair(case):
    with inputs("cka") as arrays:
        return arrays[f"{case}_x"], arrays[f"{case}_y"]


@pytest.mark.parametrize("case", CASES)
def test_the_shape_distance_is_that_of_netrep(case):
    found = procrustes(*pair(case)).angle
    assert found == pytest.approx(CASES[case]["netrep_linear_alpha1_angle"], abs=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_similarities_of_distances_are_those_of_rsatoolbox(case):
    answers = {key: value for key, value in CASES[case].items() if key.startswith("rsatoolbox")}
    for key, answer in answers.items():
        _, distance, by = key.split("_")
        found = dissimilarity_similarity(*(dissimilarities(x, distance) for x in pair(case)), by)
        assert found == pytest.approx(answer, abs=1e-10)


@sizes
def test_procrustes_is_that_of_scipy(rng, items, one, other):
    x, y = rng.standard_normal((items, one)), rng.standard_normal((items, other))
    padded = [
        np.pad(of - of.mean(0), ((0, 0), (0, max(one, other) - of.shape[1]))) for of in (x, y)
    ]
    scaled = [of / np.linalg.norm(of) for of in padded]
    _, total = orthogonal_procrustes(*scaled)
    assert procrustes(x, y).similarity == pytest.approx(total, abs=1e-12)
    assert procrustes(thin_svd(x), thin_svd(y)).similarity == pytest.approx(total, abs=1e-12)


@sizes
def test_bures_is_the_formula_and_the_similarity_of_procrustes(rng, items, one, other):
    x, y = rng.standard_normal((items, one)), rng.standard_normal((items, other))
    kx, ky = centred_kernel(x), centred_kernel(y)
    root = sqrtm(kx)
    formula = np.trace(sqrtm(root @ ky @ root)).real / np.sqrt(np.trace(kx) * np.trace(ky))
    assert bures_similarity(kx, ky) == pytest.approx(formula, abs=1e-6)
    assert bures_similarity(kx, ky) == pytest.approx(procrustes(x, y).similarity, abs=1e-7)


@sizes
def test_neighbours_are_those_of_scikit_learn(rng, items, one, other):
    x, y = rng.standard_normal((items, one)), rng.standard_normal((items, other))
    near = [
        NearestNeighbors(n_neighbors=5).fit(of).kneighbors(return_distance=False) for of in (x, y)
    ]
    shared = np.mean([len({*a} & {*b}) / 5 for a, b in zip(*near, strict=True)])
    found, chance = mutual_neighbours(x, y, 5), 5 / (items - 1)
    assert found.value == pytest.approx(shared, abs=1e-12)
    assert found.chance == pytest.approx(chance, abs=1e-12)
    assert found.calibrated == pytest.approx((shared - chance) / (1 - chance), abs=1e-12)


@symmetric
@sizes
def test_a_rotation_a_shift_and_a_scale_change_nothing(rng, name, items, one, other):
    x, y = rng.standard_normal((items, one)), rng.standard_normal((items, other))
    turned = 3 + 7 * x @ ortho_group.rvs(one, random_state=rng)
    measure = SYMMETRIC[name]
    assert measure(turned, y) == pytest.approx(measure(x, y), abs=1e-6)
    assert measure(turned, x) == pytest.approx(1, abs=1e-6)


@symmetric
def test_what_is_the_same_for_all_items_has_no_similarity(rng, name):
    assert np.isnan(SYMMETRIC[name](np.full((30, 4), 0.1), rng.standard_normal((30, 4))))


def test_the_chance_of_neighbours_is_their_mean_over_orders_also_where_items_are_equally_far(rng):
    x, y = rng.integers(0, 3, (2, 20, 2)).astype(float)
    chance = mutual_neighbours(x, y, 4).chance
    drawn = [mutual_neighbours(x, y[rng.permutation(20)], 4).value for _ in range(500)]
    assert chance == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(500))
    assert mutual_neighbours(x, x, 4).value == pytest.approx(1)


def test_features_without_structure_swamp_alignment_and_neighbours_put_in_order_stay_themselves(
    rng,
):
    x, order = rng.standard_normal((30, 4)), rng.permutation(30)
    moved = Neighbours(x).in_order(order)
    assert np.array_equal(moved.weights.toarray(), Neighbours(x[order]).weights.toarray())


@pytest.mark.parametrize(("items", "features"), [(60, 5), (30, 50)])
def test_predictivity_is_ridge_regression_of_scikit_learn(rng, items, features):
    x = rng.standard_normal((items, features)) + 3
    y = x[:, :3] + rng.standard_normal((items, 3))
    errors = spread = 0.0
    for fold in Regressors(x).folds:
        kept = np.delete(np.arange(items), fold)
        values = np.linalg.svd(x[kept] - x[kept].mean(0), compute_uv=False)
        values = values[values > 1e-9 * values[0]]
        ridge = Ridge(alpha=0.1 * np.mean(values**2)).fit(x[kept], y[kept])
        errors += np.sum((y[fold] - ridge.predict(x[fold])) ** 2)
        spread += np.sum((y[fold] - y[kept].mean(0)) ** 2)
    found = linear_predictivity(x, y, penalties=[0.1])
    assert found == pytest.approx(1 - errors / spread, abs=1e-10)


def test_the_penalty_is_chosen_without_the_held_out_items(rng):
    """No penalty predicts anything of unrelated data: a choice by the held-out items would."""
    found = [linear_predictivity(*rng.standard_normal((2, 40, 30))) for _ in range(40)]
    assert np.mean(found) < 0.01
    assert np.mean(found) > -0.3


def test_items_of_a_group_are_predicted_from_other_groups(rng):
    """Each group has another pattern in both, which tells nothing of another group."""
    groups = np.repeat(np.arange(20), 5)
    x, y = (
        rng.standard_normal((20, 30))[groups] + 0.1 * rng.standard_normal((100, 30)) for _ in "xy"
    )
    assert linear_predictivity(x, y) > 0.9
    assert linear_predictivity(x, y, groups=groups) < 0.05


@pytest.mark.parametrize("order", [[0], [0, 1]])
def test_regressors_in_another_order_predict_as_the_same_items(rng, order):
    x, y = rng.standard_normal((40, 4)), rng.standard_normal((40, 4))
    y += x
    orders = rng.permutation(40), rng.permutation(40)
    a, b = Regressors(x), Regressors(y)
    plain = linear_predictivity(a, b)
    both = linear_predictivity(a.in_order(orders[0]), b.in_order(orders[0]))
    assert both == pytest.approx(plain, abs=1e-12)
    apart = linear_predictivity(a.in_order(orders[0]), b.in_order(orders[1]))
    matched = linear_predictivity(x, y[orders[1]][np.argsort(orders[0])])
    assert apart == pytest.approx(matched, abs=1e-12)


REFUSED = {
    "too many neighbours": (
        lambda x: mutual_neighbours(x, x, 29),
        "x has 30 items, each with 29 others; 29 neighbours need 31 items or more",
    ),
    "half a neighbour": (
        lambda x: mutual_neighbours(x, x, 2.5),
        "neighbours is 2.5; allowed are whole numbers from 1",
    ),
    "other numbers of neighbours": (
        lambda x: mutual_neighbours(Neighbours(x, 3), Neighbours(x, 4)),
        "x has 3 neighbours and y has 4",
    ),
    "other items": (
        lambda x: procrustes(x, x[1:]),
        "x has 30 items and y has 29; both must describe the same items",
    ),
    "no distances": (
        lambda x: dissimilarity_similarity(x, x),
        "x has shape (30, 4); allowed is (m, m), the distances of 3 items or more",
    ),
    "one direction alone": (
        lambda x: dissimilarity_similarity(np.triu(dissimilarities(x)), dissimilarities(x)),
        "x is not symmetric",
    ),
    "an unknown distance": (
        lambda x: dissimilarities(x, "mahalanobis"),
        "distance is 'mahalanobis'; allowed are \"euclidean\" and \"correlation\"",
    ),
    "an unknown correlation": (
        lambda x: dissimilarity_similarity(dissimilarities(x), dissimilarities(x), "kendall"),
        "by is 'kendall'",
    ),
    "one feature": (
        lambda x: dissimilarities(x[:, :1], "correlation"),
        "x has 1 feature; correlations over features need 2 or more",
    ),
    "no kernel of patterns": (
        lambda x: bures_similarity(
            centred_kernel(x[:4]) - 3 * centred_kernel(np.eye(4)[:, :1]), np.zeros((4, 4))
        ),
        "kernel_x has",
    ),
    "too many folds": (
        lambda x: linear_predictivity(x, x, folds=16),
        "x has 30 items; 16 folds need 32 items and 16 groups or more: take fewer folds",
    ),
    "too few groups": (
        lambda x: linear_predictivity(x, x, groups=np.arange(30) % 3),
        "x has 30 items in 3 groups; 5 folds need 10 items and 5 groups or more",
    ),
    "groups of other items": (
        lambda x: linear_predictivity(x, x, groups=np.arange(20)),
        "groups has shape (20,); allowed is one for each of 30 items",
    ),
    "a negative penalty": (
        lambda x: linear_predictivity(x, x, penalties=[-1.0]),
        "penalties is [-1.0]; allowed are one number or more, above 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(rng, case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(rng.standard_normal((30, 4)))
    assert str(refused.value).startswith(sentence)


def test_a_dead_item_has_no_correlation_distance():
    found = dissimilarities([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], "correlation")
    assert some(np.isnan(found[0, 1:])).all()
    assert found[1, 2] == pytest.approx(2)
