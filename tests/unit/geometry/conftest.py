"""Geometries with known answers, and what other implementations computed (tests/vectors)."""

import numpy as np
import pytest
from vectors import expected, inputs


@pytest.fixture
def separable():
    """The delta-separable task: four points (items x 7), with a random frame and place.

    Labels of the points: first (+,-,+,-), second (+,-,-,+), their product, the target, (+,+,-,-).
    delta = 0 is a square whose target is XOR; delta = 1 is a regular tetrahedron.
    """

    def make(delta, seed=0):
        rng = np.random.default_rng(seed)
        frame = np.linalg.qr(rng.standard_normal((7, 3)))[0].T
        corners = np.array([[1, 1, delta], [-1, -1, delta], [1, -1, -delta], [-1, 1, -delta]])
        return 3 * corners @ frame + rng.standard_normal(7)

    make.labels = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    make.target = np.array([1, 1, -1, -1])
    return make


@pytest.fixture
def noisy():
    """Samples of conditions at the given centres: `per_condition` of each, in shuffled order."""

    def draw(centres, sigma, per_condition, seed=0):
        rng = np.random.default_rng(seed)
        conditions = rng.permutation(np.repeat(np.arange(len(centres)), per_condition))
        noise = rng.standard_normal((len(conditions), centres.shape[1]))
        return centres[conditions] + sigma * noise, conditions

    return draw


@pytest.fixture
def vector_inputs():
    return inputs


def pytest_generate_tests(metafunc):
    """Give a test that asks for a case, or for a case and a variable of it, all of them."""
    if "cka_case" in metafunc.fixturenames:
        metafunc.parametrize(
            ("cka_case", "answer"), expected("cka").items(), ids=list(expected("cka"))
        )
    for name in ("distances", "dimensionality"):
        if f"{name}_case" in metafunc.fixturenames:
            metafunc.parametrize(
                (f"{name}_case", "answer"), expected(name).items(), ids=list(expected(name))
            )
    if "geometry_case" in metafunc.fixturenames:
        cases = [
            pytest.param(case, column, variable, answers, id=f"{case}-{variable}")
            for case, answers in expected("geometry").items()
            for column, variable in enumerate(answers["variables"])
        ]
        metafunc.parametrize(("geometry_case", "column", "variable", "answers"), cases)
