"""p values of rows that follow one another in time: uniform with blocks, and not without."""

import numpy as np
import pytest
from scipy.stats import binomtest, kstest

from repatlas.geometry import svm
from repatlas.own import compare, measure

pytestmark = pytest.mark.slow

NUMBER, DRAWS = 200, 19
"""Numbers of p values, and of draws for each of them: 19 is the smallest that can give 0.05."""
LEAST = 0.0005
"""The least probability of a share of p values. The two variables of a data set have the same
noise: a false alarm stays below 0.1 % even if their p values have a correlation of 0.2."""
RUNS, ROWS, NEURONS = 10, 24, 8


def slow_noise(rng, memory):
    """Return first-order autoregressive noise of each neuron, independent between runs."""
    noise = rng.standard_normal((RUNS, ROWS, NEURONS))
    for row in range(1, ROWS):
        noise[:, row] = memory * noise[:, row - 1] + np.sqrt(1 - memory**2) * noise[:, row]
    return noise.reshape(RUNS * ROWS, NEURONS)


def labels(rng):
    """Return four conditions of two variables, six rows of a condition after another."""
    cells = np.array([(a, b) for a in "LR" for b in "uv"])
    orders = [np.repeat(rng.permutation(cells), ROWS // 4, axis=0) for _ in range(RUNS)]
    table = np.concatenate(orders)
    return {"side": table[:, 0], "place": table[:, 1]}


def p_of_labels(name):
    """Return the function that gives the p values of both variables of a data set."""

    def p(rng, memory, blocks):
        samples, table = slow_noise(rng, memory), labels(rng)
        seed = int(rng.integers(2**31))
        found = measure(
            samples, table, "trials", None, [name], draws=DRAWS, seed=seed, blocks=blocks
        )
        return found.p

    return p


def p_of_similarity(name):
    def p(rng, memory, blocks):
        x, y = slow_noise(rng, memory), slow_noise(rng, memory)
        seed = int(rng.integers(2**31))
        return compare(x, y, [name], draws=DRAWS, seed=seed, blocks=blocks).p

    return p


MEASURES = {name: p_of_labels(name) for name in ("decoding", "ccgp", "parallelism")}
MEASURES |= {name: p_of_similarity(name) for name in ("alignment", "procrustes", "predictivity")}


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Compile the first fits of a call, too, which are made by numpy otherwise."""
    monkeypatch.setattr(svm, "FEW", 0)


@pytest.mark.parametrize("memory", [0.0, 0.9])
@pytest.mark.parametrize("name", MEASURES)
def test_of_data_that_code_nothing(name, memory):
    shares = {}
    for blocks in (None, np.repeat(np.arange(RUNS), ROWS)):
        rng = np.random.default_rng(1)
        values = []
        while len(values) < NUMBER:
            values += [*MEASURES[name](rng, memory, blocks)]
        values = np.array(values)
        hits = int(np.sum(values <= 0.05))
        uniform = kstest(values - rng.uniform(0, 1 / (DRAWS + 1), NUMBER), "uniform").pvalue
        shares[blocks is None] = hits / NUMBER
        print(
            f"| {name} | {memory} | {'without' if blocks is None else 'with'} "
            f"| {100 * hits / NUMBER:.1f} | {uniform:.2g} |"
        )
        if blocks is not None or memory == 0:
            assert binomtest(hits, NUMBER, 0.05).pvalue > LEAST
    if memory and name not in ("ccgp", "parallelism"):
        assert shares[True] > 0.2


@pytest.mark.parametrize("name", ["decoding", "ccgp", "parallelism"])
def test_labels_in_random_order_within_runs_of_unequal_length_that_code_nothing(name):
    rng, values = np.random.default_rng(2), []
    kept = np.setdiff1d(np.arange(RUNS * ROWS), [3, 30])
    runs, cells = (
        np.repeat(np.arange(RUNS), ROWS)[kept],
        np.array([(a, b) for a in "LR" for b in "uv"]),
    )
    while len(values) < NUMBER:
        table = np.concatenate(
            [rng.permutation(np.repeat(cells, ROWS // 4, 0)) for _ in range(RUNS)]
        )
        found = measure(
            slow_noise(rng, 0.9)[kept], table[kept], "trials", None, [name], draws=DRAWS,
            seed=int(rng.integers(2**31)), blocks=runs,
        )  # fmt: skip
        values += [*found.p]
    hits = int(np.sum(np.array(values) <= 0.05))
    print(f"| {name} | 0.9 | within | {100 * hits / NUMBER:.1f} |")
    assert binomtest(hits, NUMBER, 0.05).pvalue > LEAST
