"""The linear decoder against scikit-learn's LinearSVC: time, and distance from convergence.

python benchmarks/decoders.py prints the section. Both sides have one thread and the same samples:
hidden activity of a random layer for noisy clusters. Dichotomies are of the clusters, or of the
samples, which no decoder can separate.
"""

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before numpy reads them

from contextlib import contextmanager
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from measuring import alternate, markdown, medians
from sklearn.svm import LinearSVC

from repatlas.geometry import balanced_dichotomies, linear_svms, newton, svm

INPUTS, NOISE = 30, 0.5
SMALL_FITS = 16


class Case(NamedTuple):
    name: str
    clusters: int
    per_cluster: int
    features: int
    dichotomies: int
    fitted: int | None = None
    """Decoders are fitted on the samples of this number of clusters; all by default."""
    shuffled: bool = False
    """Labels drawn for each sample, and not for each cluster."""


CASES = [
    Case("CCGP, 2 of 32 clusters", 32, 50, 100, 1, fitted=2),
    Case("CCGP, 2 of 16 clusters", 16, 100, 100, 1, fitted=2),
    Case("CCGP, 2 of 4 clusters", 4, 1250, 120, 1, fitted=2),
    Case("random labels", 2, 50, 100, 1, shuffled=True),
    Case("random labels", 2, 100, 100, 1, shuffled=True),
    Case("random labels", 16, 100, 100, 30, shuffled=True),
    Case("4 clusters", 4, 400, 100, 3),
    Case("16 clusters", 16, 100, 100, 30),
    Case("32 clusters", 32, 50, 100, 30),
    Case("4 clusters", 4, 625, 120, 1),
    Case("4 clusters", 4, 625, 120, 3),
    Case("4 clusters", 4, 1250, 120, 1),
    Case("4 clusters", 4, 1250, 120, 3),
]


def report(smoke: bool = False) -> str:
    cases = CASES[:1] if smoke else CASES
    columns = ["case", "samples x features", "dichotomies", "LinearSVC, ms per fit", "ours"]
    columns += ["ratio", "without numba", "accuracy: LinearSVC", "ours"]
    numba = f"numba {version('numba')}" if compiled() else "without numba"
    return f"""## Decoders

Medians of seven alternations, one thread; scikit-learn {version("scikit-learn")}, numpy
{version("numpy")}, {numba}. LinearSVC has its defaults, and as many iterations as it asks for.
Several dichotomies share their samples; up to 200 samples, a timed call fits {SMALL_FITS} sets of
them, as CCGP does. The converged solution is LinearSVC's with `tol=1e-12` and `dual=False`: the
largest difference from it in accuracy on some 2,000 fresh samples is shown. Layers have tanh units.

{markdown(columns, map(row, cases))}
"""


def row(case: Case) -> list:
    small = (case.fitted or case.clusters) * case.per_cluster <= 200
    problems = [problem(case, seed) for seed in range(SMALL_FITS if small else 1)]

    def linear_svc(**options):
        fits = [
            LinearSVC(max_iter=10**6, **options).fit(x, y)
            for x, labelings, *_ in problems
            for y in labelings
        ]
        return [np.append(fit.coef_, fit.intercept_) for fit in fits]

    def ours():
        fits = [fit for x, labelings, *_ in problems for fit in linear_svms(x, labelings)]
        return [np.append(fit.weights, fit.intercept) for fit in fits]

    def ours_without_numba():
        with without_numba():
            return ours()

    seconds = medians(alternate({f.__name__: f for f in (linear_svc, ours, ours_without_numba)}, 7))
    number = len(problems) * case.dichotomies
    theirs, fast, plain = (seconds[name] / number * 1e3 for name in seconds)
    converged = linear_svc(tol=1e-12, dual=False)
    tests = [(x, y) for *_, x, labelings in problems for y in labelings]
    differences = [
        max(
            abs(accuracy(v, *test) - accuracy(w, *test))
            for v, w, test in zip(fits, converged, tests, strict=True)
        )
        for fits in (linear_svc(), ours())
    ]
    shape = f"{len(problems[0][0])} x {case.features}"
    times = [theirs, fast, theirs / fast, theirs / plain]
    return [case.name, shape, case.dichotomies, *times, *differences]


def problem(case: Case, seed: int):
    """Return samples (m, n), labelings (number, m), and both again of fresh samples: of the
    clusters that were not fitted, if there are any."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((case.clusters, INPUTS))
    weights = rng.standard_normal((INPUTS, case.features)) / np.sqrt(INPUTS)
    bias = 0.5 * rng.standard_normal(case.features)
    dichotomies = cluster_dichotomies(rng, case)

    def samples(clusters, per_cluster):
        clusters = np.repeat(clusters, per_cluster)
        inputs = centres[clusters] + NOISE * rng.standard_normal((len(clusters), INPUTS))
        labelings = dichotomies[:, clusters]
        if case.shuffled:
            labelings = rng.permuted(labelings, axis=1)
        return np.tanh(inputs @ weights + bias), labelings

    fitted = case.fitted or case.clusters
    tested = np.arange(case.clusters) if case.fitted is None else np.arange(fitted, case.clusters)
    return (
        *samples(np.arange(fitted), case.per_cluster),
        *samples(tested, 2000 // len(tested)),
    )


def cluster_dichotomies(rng, case):
    """Return balanced, with clusters 0 and 1 on different sides where only those are fitted."""
    if case.fitted:
        return np.resize([-1, 1], (1, case.clusters))
    if case.clusters == 4:
        return balanced_dichotomies(4)[: case.dichotomies]
    balanced = np.resize([-1, 1], (case.dichotomies, case.clusters))
    return rng.permuted(balanced, axis=1)


def accuracy(v, x, y):
    return float(np.mean((x @ v[:-1] + v[-1] > 0) == (y > 0)))


def compiled() -> bool:
    return svm._minimise() is not newton.minimise


@contextmanager
def without_numba():
    choose, svm._minimise = svm._minimise, lambda: newton.minimise
    try:
        yield
    finally:
        svm._minimise = choose


if __name__ == "__main__":
    print(report())
