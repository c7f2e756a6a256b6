"""Measures run on one thread of BLAS, and leave the threads of others as they are."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import FunctionType

import numpy as np
import pytest
import scipy.linalg  # noqa: F401, whose BLAS is to be seen
from threadpoolctl import threadpool_info, threadpool_limits

from repatlas import geometry, own, similarity
from repatlas.geometry import threads as threads_of_blas

SEVERAL = 3
EVERY = [
    pytest.param(package, name, id=f"{package.__name__}.{name}")
    for package in (geometry, similarity)
    for name in package.__all__
    if isinstance(getattr(package, name), FunctionType)
]


@pytest.fixture(params=[1, SEVERAL])
def threads(request):
    with threadpool_limits(request.param, "blas"):
        yield request.param


@pytest.fixture
def several():
    with threadpool_limits(SEVERAL, "blas"):
        yield


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


class Asks:
    """Data of a user, which notes how many threads BLAS has while a measure reads it."""

    def __init__(self, array):
        self.array, self.seen = array, set()

    def __array__(self, dtype=None, copy=None):
        self.seen |= blas_threads()
        return self.array


X, Y = np.random.default_rng(0).standard_normal((2, 600, 200))
"""Large enough that the last bits of products depend on the number of threads."""


def numbers():
    table = own.compare({"x": X, "y": Y, "z": X[:, :60]}, measures=["alignment", "svcca"], draws=2)
    directions = similarity.Overlap(X, Y).product
    return [*table.value, geometry.kernel_alignment(X, Y), *directions.ravel()]


EXPECTED = []


def test_every_number_of_threads_gives_the_same_bits(threads):
    EXPECTED.append(numbers())
    assert EXPECTED[0] == EXPECTED[-1]


def test_a_measure_has_one_thread_and_others_have_theirs_again(several):
    data = Asks(X[:50])
    geometry.kernel_alignment(data, X[:50])
    assert data.seen == {1}
    assert blas_threads() == {SEVERAL}


def test_so_has_a_measure_of_a_notebook(several):
    data = Asks(X[:50, :5])
    own.compare(data, X[:50, :5], draws=2)
    assert data.seen == {1}
    assert blas_threads() == {SEVERAL}


def test_a_measure_inside_of_a_measure_sets_the_threads_no_second_time(several, monkeypatch):
    limits, one_thread = [], threads_of_blas._one_thread
    monkeypatch.setattr(
        threads_of_blas, "_one_thread", lambda: limits.append(blas_threads()) or one_thread()
    )
    data = Asks(X[:40, :5])
    own.measure(data, np.tile([0, 1], 20), "trials", measures=["decoding"], draws=3)
    assert limits == [{SEVERAL}]
    assert data.seen == {1}
    assert blas_threads() == {SEVERAL}


def test_measures_in_several_threads_of_python_leave_them_too():
    together, before = Barrier(2), blas_threads()

    class Waits(Asks):
        def __array__(self, dtype=None, copy=None):
            together.wait(60)
            array = super().__array__()
            together.wait(60)
            return array

    data = Waits(X[:50]), Waits(X[:50])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(geometry.participation_ratio_of_features, data))
    assert [each.seen for each in data] == [{1}, {1}]
    assert blas_threads() == before


@pytest.mark.parametrize(("package", "name"), EVERY)
def test_every_function_is_one_of_these_and_can_be_sent_to_another_process(package, name):
    function = getattr(package, name)
    assert function.__wrapped__ is not function
    assert pickle.loads(pickle.dumps(function)) is function
