"""The SVM against scikit-learn at tight tolerance, and against its own optimality conditions."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from repatlas.geometry import LinearSVM, NotConverged, linear_svm, linear_svms, newton
from repatlas.geometry import svm as decoders
from repatlas.geometry.scaling import scaled_with_ones, scaling, with_ones

SHAPES = [(4, 2), (30, 200), (100, 100), (150, 100), (400, 20)]
KINDS = ["separable", "overlapping", "random labels", "duplicate rows", "constant features"]


@pytest.fixture(autouse=True, scope="module", params=["compiled", "plain"])
def path(request):
    """Every test runs with Newton's method as machine code and as plain Python."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "compiled":
            pytest.importorskip("numba")
        else:
            patch.setattr(decoders, "_minimise", lambda: newton.minimise)
        yield request.param


def problem(kind, m, n, seed=0):
    rng = np.random.default_rng(seed)
    y = np.resize([-1, 1], m)
    x = rng.standard_normal((m, n))
    if kind == "separable":
        x[:, 0] += 8 * y
    if kind == "overlapping":
        x += 0.3 * y[:, None] * rng.standard_normal(n) + 1
    if kind == "duplicate rows":
        half = m // 2
        x[half:], y[half:] = x[: m - half], y[: m - half]
    if kind == "constant features":
        x[:, ::2] = 0.5
    return x, y


def augmented(x, svm):
    """Return x with a feature of ones, and weights with the intercept, in extended precision."""
    ones = np.ones((len(x), 1))
    v = np.append(svm.weights, svm.intercept)
    return np.hstack([x, ones]).astype(np.longdouble), v.astype(np.longdouble)


def distance_from_the_optimum(x, y, svm, C):
    """Return the length of a Newton step from the solution, relative to the weights."""
    x, v = augmented(x, svm)
    slack = np.maximum(0, 1 - y * (x @ v))
    gradient = v - 2 * C * ((y * slack) @ x)
    active = x[slack > 0]
    hessian = np.eye(len(v)) + 2 * C * (active.T @ active).astype(float)
    step = np.linalg.solve(hessian, gradient.astype(float))
    return np.linalg.norm(step) / np.linalg.norm(v.astype(float))


def angle(a, b):
    return 2 * np.arcsin(np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)) / 2)


def oracle(x, y, C=1.0):
    # The primal solver: the dual one is short of this tolerance after a million passes.
    return LinearSVC(C=C, tol=1e-12, dual=False, max_iter=10**6).fit(x, y)


@pytest.mark.parametrize(("m", "n"), SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_and_accuracies_are_those_of_a_converged_linear_svc(kind, m, n):
    x, y = problem(kind, m, n)
    svm, reference = linear_svm(x, y), oracle(x, y)
    ours = np.append(svm.weights, svm.intercept)
    theirs = np.append(reference.coef_, reference.intercept_)
    assert angle(ours, theirs) < 1e-6
    assert np.linalg.norm(ours) == pytest.approx(np.linalg.norm(theirs), rel=1e-6)
    new_x, new_y = problem(kind, 500, n, seed=1)
    assert svm.accuracy(x, y) == reference.score(x, y)
    assert svm.accuracy(new_x, new_y) == reference.score(new_x, new_y)


@pytest.mark.parametrize("C", [1e-3, 0.1, 10])
def test_other_penalties_give_the_weights_of_linear_svc(C):
    x, y = problem("overlapping", 300, 20)
    assert angle(linear_svm(x, y, C).weights, oracle(x, y, C).coef_[0]) < 1e-6


@pytest.mark.parametrize(
    ("m", "n", "scale"), [(100, 100, 1e-3), (100, 100, 1), (100, 100, 1e3), (5000, 60, 1)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_solution_is_optimal_at_every_feature_scale(kind, m, n, scale):
    x, y = problem(kind, m, n)
    # 5e-8 is reached by collinear features of size 500, 1e-13 is usual.
    assert distance_from_the_optimum(scale * x, y, linear_svm(scale * x, y), C=1) < 1e-7


@given(
    m=st.integers(2, 40),
    n=st.integers(1, 30),
    decimals=st.integers(0, 3),
    log_C=st.floats(-3, 3),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, derandomize=True, max_examples=60)
def test_the_solution_is_optimal_for_any_small_problem(m, n, decimals, log_C, seed):
    rng = np.random.default_rng(seed)
    x = np.round(rng.standard_normal((m, n)), decimals)  # few decimals: many ties
    y = np.append([-1, 1], rng.choice([-1, 1], m - 2))
    svm = linear_svm(x, y, 10**log_C)
    if np.hypot(np.linalg.norm(svm.weights), svm.intercept) > 1e-9:
        assert distance_from_the_optimum(x, y, svm, 10**log_C) < 1e-9


def test_two_points_have_the_solution_worked_out_by_hand():
    # x = +-a, y = +-1: b = 0, and w minimises w^2/2 + 2 (1 - w a)^2, so w = 4 a / (1 + 4 a^2).
    svm = linear_svm([[2.0], [-2.0]], [1, -1])
    assert svm.weights == pytest.approx([8 / 17], rel=1e-12)
    assert svm.intercept == pytest.approx(0, abs=1e-15)


def test_a_sample_on_the_boundary_is_negative_as_in_linear_svc():
    reference = LinearSVC().fit([[1.0], [-1.0]], [1, -1])
    reference.coef_, reference.intercept_ = np.array([[1.0]]), np.array([0.0])
    on_the_boundary = np.zeros((1, 1))
    svm = LinearSVM(np.array([1.0]), 0.0)
    assert svm.predict(on_the_boundary) == reference.predict(on_the_boundary) == [-1]


@pytest.mark.parametrize(
    ("x", "y", "C", "message"),
    [
        (np.eye(3), [1, 2, 1], 1, r"y holds the values \[1, 2\]; allowed are 0 and 1, or -1 and"),
        (np.eye(3), ["a", "b", "a"], 1, r"y holds the strings \['a', 'b'\]; allowed are 0 and 1"),
        (np.eye(3), [1, 1, 1], 1, r"y labels all 3 samples \+1; both classes"),
        (np.eye(3), [1, -1], 1, r"y has shape \(2,\); x has 3 samples"),
        (np.full((2, 2), np.inf), [1, -1], 1, "x holds NaN or infinite"),
        (np.eye(2), [1, -1], 0, "C is 0; it must be positive"),
        (np.eye(2), [1, -1], "a", "C is 'a'; it must be positive"),
    ],
)
def test_malformed_problems_are_refused_by_name(x, y, C, message):
    with pytest.raises(ValueError, match=message):
        linear_svm(x, y, C)


def test_samples_with_other_features_are_refused():
    svm = linear_svm(*problem("separable", 10, 2))
    with pytest.raises(ValueError, match="x has 3 features; the decoder was fitted on 2"):
        svm.decision(np.ones((4, 3)))


@pytest.mark.parametrize("scale", [1e6, 1e200])
@pytest.mark.filterwarnings("ignore:overflow")
def test_features_beyond_double_precision_are_an_error_and_not_a_wrong_answer(scale):
    x, y = problem("separable", 30, 200)
    sentence = r"root mean square of .* too large for C = 1 .*; standardise them \(scale=\"rms\"\)"
    with pytest.raises(RuntimeError, match=sentence):
        linear_svm(scale * x, y)


def test_samples_so_large_that_their_gram_matrix_is_singular_do_not_converge():
    """The two features are equal, and what C adds to the diagonal is lost to rounding."""
    x = 1e12 * np.array([[1.0, 1.0], [2.0, 2.0], [-1.0, -1.0], [-2.0, -2.0]])
    with pytest.raises(NotConverged, match=r"are too large for C = 1 in double precision"):
        linear_svms(x, [[1, 1, -1, -1], [1, -1, -1, 1]])


def test_few_samples_of_many_features_take_no_products_of_all_features():
    """All products of 2,000 features would take 32 MB; of 50,000, as in voxels, 20 GB."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((10, 2000)), np.repeat([-1.0, 1.0], 5)
    tracemalloc.start()
    newton.minimise(x, y, 1.0, y @ x / 2000, np.empty((0, 0)), 1e-16, 0.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e6


@pytest.mark.parametrize(("m", "n"), [(30, 200), (150, 100)])
@pytest.mark.parametrize("kind", KINDS)
def test_short_line_searches_end_at_the_same_optimum(kind, m, n):
    x, y = problem(kind, m, n)
    arguments = (x, y.astype(float), 1.0, y @ x / np.vdot(x, x), np.empty((0, 0)), 1e-16)
    (exact, done), (short, short_done) = (
        newton.minimise(*arguments, search) for search in (0.0, decoders.SHORT)
    )
    assert done and short_done
    assert np.linalg.norm(short - exact) < 1e-12 * np.linalg.norm(exact)


@pytest.mark.parametrize("scale", ["rms", None])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_samples_for_a_fit_have_the_bits_of_their_scaling(scale, offset):
    samples = np.random.default_rng(0).standard_normal((50, 7)) + offset
    same, found = scaled_with_ones(samples, scale)
    expected = scaling(samples, scale)
    assert np.array_equal(found, with_ones(expected(samples)))
    assert np.array_equal(same.shift, expected.shift) and same.size == expected.size
