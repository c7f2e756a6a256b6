"""How many directions of a layer a network needs, and how many neurons (Raghu et al. 2017, 2.1).

The activity of a layer of a is confined to some directions, or neurons. The rest of the network
continues from there, without training for it. The result is its accuracy on test images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from repatlas.pairs.seen import Row, Seen, Settings
from repatlas.similarity import svcca
from repatlas.streams import stream

ON = "train"
"""Directions and decoders are estimated on these items; accuracy is that on the set "test"."""
DRAWS = 0
NUMBERS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 64, 96, 128)
"""Numbers of directions, or of neurons, up to the width of the layer."""
OF_NEURONS = (1, 2, 4, 8, 16, 32, 64, 128)
"""Neurons that directions are cut to."""
LEADING = 10
"""Directions that are cut, each by itself."""
RANDOM = 20
"""Draws of random neurons."""

Matrix = NDArray[np.float64]


def rows(x: Seen, y: Seen, settings: Settings) -> Iterator[Row]:
    """Yield accuracies on test images of a network x whose layer is reduced, with a partner y.

    "accuracy", `at` k directions or neurons, has these variants. "whole" is at the full width.
    "svcca, orthogonal" and "svcca, least squares" use the leading directions that SVCCA (99 % of
    the variance) finds with the partner, then the other singular directions. "principal" uses the
    leading singular directions. "random neurons" is a mean of 20 draws, with its sd. "largest
    neurons" are chosen by the largest activity. Variants of neurons have the endings ", others 0",
    ", others at mean" and ", regressed".

    z is a layer's activity, mu its mean, and W are the coefficients of the directions:

        orthogonal: z -> mu + (z - mu) Q Q^T, Q the orthonormal basis of W;
        least squares: z -> mu + (z - mu) W W^T S, S = X^T X, X the centred activity: the projection
        of each neuron's vector over items on the vectors of the directions.

    "accuracy", "svcca, orthogonal, cut to m neurons" with `unit` m: only the m neurons with the
    largest share of the k directions vary. The others stay at their mean.
    "cut_correlation", `at` m: each of the first 10 directions is cut to the m neurons of its
    largest coefficients (times the sd of the neurons). The value is the mean correlation with the
    full direction. "cut_accuracy": the accuracy with these directions alone.

    There is no value, but a reason, for layers from which the network cannot continue, such as
    reductions of convolutions.
    """
    network, number, width = x.network, x.number, x.rows.shape[1]

    def row(variant: str, value: float, at: float, **more) -> Row:
        return Row("accuracy", variant, value, at=at, similarity=False, **more)

    if x.variant or not network.goes_on:
        yield row("whole", np.nan, width, reason="the network cannot go on from this layer")
        return
    mean = x.rows.mean(axis=0)
    centred = x.rows - mean
    test = x.on("test").rows - mean

    def accuracy(confined: Matrix) -> float:
        logits = network.logits_from(number, mean + confined)
        return float(np.mean(logits.argmax(axis=1) == labels))

    numbers = [k for k in NUMBERS if k <= width]
    labels = network.labels("test")
    try:
        yield row("whole", accuracy(test), width)
    except ValueError as error:
        yield row("whole", np.nan, width, reason=str(error))
        return
    if not x.rank:
        yield row("svcca, orthogonal", np.nan, 1, reason="all items have the same activity")
        return
    try:
        coefficients = _coefficients(x, y)
    except ValueError as error:
        yield row("svcca, orthogonal", np.nan, 1, reason=str(error))
        return
    for k in [k for k in numbers if k <= coefficients.shape[1]]:
        w = coefficients[:, :k]
        q = np.linalg.qr(w)[0]
        projected = test @ q @ q.T
        yield row("svcca, orthogonal", accuracy(projected), k)
        # S W is X^T H with H = X W, so that no h x h matrix is made.
        yield row("svcca, least squares", accuracy((test @ w) @ ((centred @ w).T @ centred)), k)
        v = x.svd.right[:, :k]
        yield row("principal", accuracy(test @ v @ v.T), k)
        most = np.argsort(-(q**2).sum(axis=1), kind="stable")
        for m in [m for m in OF_NEURONS if m <= width]:
            kept = _only(projected, most[:m])
            yield row("svcca, orthogonal, cut to m neurons", accuracy(kept), k, unit=m)
    yield from _neurons(x, centred, test, mean, numbers, accuracy, row)
    yield from _cut(coefficients[:, :LEADING], centred, test, accuracy)


def _coefficients(x: Seen, y: Seen) -> Matrix:
    """Return (h, rank): the coefficients of the SVCCA directions of x with y, followed by the
    coefficients of the singular directions that SVCCA leaves out. X W is orthonormal."""
    a, b = x.svd, y.svd
    kept, others = svcca(a, b).kept
    rotation = np.linalg.svd(a.left[:, :kept].T @ b.left[:, :others])[0]
    scaled = a.right / a.values
    return np.hstack([scaled[:, :kept] @ rotation, scaled[:, kept:]])


def _only(values: Matrix, neurons: NDArray[np.intp]) -> Matrix:
    found = np.zeros_like(values)
    found[:, neurons] = values[:, neurons]
    return found


def _neurons(
    x: Seen,
    centred: Matrix,
    test: Matrix,
    mean: Matrix,
    numbers: list[int],
    accuracy: Callable[[Matrix], float],
    row: Callable[..., Row],
) -> Iterator[Row]:
    """Yield the accuracies of a network that keeps some neurons."""

    # Rotated items have the same least squares, and there are as many as neurons.
    triangle = np.linalg.qr(centred, mode="r")

    def regressed(neurons: NDArray[np.intp]) -> Matrix:
        weights = np.linalg.lstsq(triangle[:, neurons], triangle, rcond=1e-8)[0]
        return test[:, neurons] @ weights

    ways: dict[str, Callable[[NDArray[np.intp]], Matrix]] = {
        "others 0": lambda neurons: _only(test + mean, neurons) - mean,
        "others at mean": lambda neurons: _only(test, neurons),
        "regressed": regressed,
    }
    largest = np.argsort(-np.abs(x.rows).max(axis=0), kind="stable")
    orders = [
        stream(x.network.seed, "random neurons", draw).permutation(len(mean))
        for draw in range(RANDOM)
    ]
    for k in numbers:
        for way, confine in ways.items():
            yield row(f"largest neurons, {way}", accuracy(confine(largest[:k])), k)
            drawn = [accuracy(confine(order[:k])) for order in orders]
            sd = float(np.std(drawn, ddof=1))
            yield row(f"random neurons, {way}", float(np.mean(drawn)), k, sd=sd)


def _cut(
    w: Matrix, centred: Matrix, test: Matrix, accuracy: Callable[[Matrix], float]
) -> Iterator[Row]:
    """Yield each direction, cut to the neurons of its largest coefficients times their sd."""
    whole = centred @ w
    sizes = np.abs(w) * centred.std(axis=0)[:, None]
    order = np.argsort(-sizes, axis=0, kind="stable")
    for m in [m for m in OF_NEURONS if m <= len(w)]:
        cut = np.zeros_like(w)
        np.put_along_axis(cut, order[:m], np.take_along_axis(w, order[:m], axis=0), axis=0)
        partial = centred @ cut
        lengths = np.linalg.norm(partial, axis=0) * np.linalg.norm(whole, axis=0)
        products = (partial * whole).sum(axis=0)
        found = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        yield Row("cut_correlation", "svcca", float(found.mean()), at=m, similarity=False)
        # Several directions may be cut to the same neurons: they span fewer then.
        left, values, _ = np.linalg.svd(cut, full_matrices=False)
        q = left[:, values > 1e-10 * values[0]]
        yield Row("cut_accuracy", "svcca", accuracy(test @ q @ q.T), at=m, similarity=False)
