"""A law for activation functions: three properties of f predict what its networks learn.

The properties are moments of f(u) for a normal u with mean 0. No network is needed. They do not
change if f(u) becomes f(-u) or -f(u), or if a constant is added. Networks with such functions learn
the same geometry: initial weights are symmetric, and half of the readout weights are negative.

    gain      log(|E f'(u)| + 0.05), deviation of u 1.5
    evenness  variance of (f(u) + f(-u)) / 2 divided by the variance of f(u), deviation 2.25
    skew      skewness of f(u), deviation 1.5; negative if the long tail is opposite to the bend

A prediction is low + (high - low) / (1 + exp(-q)). Here q is a polynomial of degree 3 in the three
properties. Each property has mean 0 and deviation 1 over the functions of the fit. The law holds
for one task, one network and one length of training, config/law.yaml. Its numbers are in
`activation_law.json`, which docs/law/fit.py wrote.
"""

from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement
from json import loads
from pathlib import Path
from typing import Any

import numpy as np

PROPERTIES = ("gain", "evenness", "skew")
NARROW, WIDE = 1.5, 2.25
"""Deviations of u. Before training, the pre-activations of training samples have a deviation of
0.8. Training makes them larger, so these deviations were chosen on the functions of the fit."""
DEGREE = 3
RANGES = {
    "target_alignment": (-0.02, 1.02),
    "input_alignment": (-0.02, 1.02),
    "parallelism": (-1.02, 1.02),
    "ccgp": (-0.02, 1.02),
}
"""The limits that a prediction approaches, by measure."""
NUMBERS = Path(__file__).with_suffix(".json")

_NODES = np.linspace(-8, 8, 1601)
_WEIGHTS = np.exp(-(_NODES**2) / 2)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_RIDGE, _ITERATIONS = 0.01, 30


def properties(
    value: Callable[[np.ndarray], np.ndarray], slope: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return gain, evenness and skew (3,) of a function with this value and slope.

    >>> properties(lambda u: u**2, lambda u: 2 * u).round(3)
    array([-2.996,  1.   ,  2.828])
    """
    narrow, wide = value(NARROW * _NODES), value(WIDE * _NODES)
    gain = np.log(abs(_WEIGHTS @ slope(NARROW * _NODES)) + 0.05)
    even = (wide + wide[::-1]) / 2
    centred = narrow - _WEIGHTS @ narrow
    skewness = (_WEIGHTS @ centred**3) / (_WEIGHTS @ centred**2) ** 1.5
    side = np.sign(_WEIGHTS @ (centred * _NODES**2))
    return np.array([gain, _variance(even) / _variance(wide), side * skewness])


def predict(
    found: np.ndarray, measure: str, delta: float, law: dict[str, Any] | None = None
) -> np.ndarray:
    """Return a measure that a law predicts for functions with these properties (n, 3), at a
    separability of the law. law: the numbers of a fit; the stored ones if not given. Properties
    outside the range of the fit count as its nearest end.

    >>> linear = properties(lambda u: u, lambda u: np.ones_like(u))
    >>> predict(linear[None], "target_alignment", 0.5).round(2)
    array([1.])
    """
    law = law or numbers()
    coefficients = law["coefficients"][f"{measure} at {delta:g}"]
    low, high = RANGES[measure]
    part = _logistic(_terms(found, law) @ np.array(coefficients))
    least = -1.0 if measure == "parallelism" else 0.0
    return np.clip(low + (high - low) * part, least, 1.0)


@cache
def numbers() -> dict[str, Any]:
    """Return the numbers of the law, as stored: the mean, deviation, smallest and largest value of
    each property, and the coefficients of each measure at each separability.

    >>> len(numbers()["coefficients"]["ccgp at 1"])
    20
    """
    return loads(NUMBERS.read_text(encoding="utf-8"))


def fit(found: np.ndarray, values: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the numbers of a law, fitted to functions with these properties (n, 3) by least
    squares. values: (n,) for each measure at each separability, by "measure at delta".

    >>> found = np.random.default_rng(0).standard_normal((200, 3))
    >>> law = fit(found, {"ccgp at 1": np.full(200, 0.5)})
    >>> predict(found[:2], "ccgp", 1, law).round(2)
    array([0.5, 0.5])
    """
    law: dict[str, Any] = {
        name: [float(f"{x:.6g}") for x in getattr(found, function)(axis=0)]
        for name, function in (("mean", "mean"), ("deviation", "std"), ("least", "min"))
    }
    law["most"] = [float(f"{x:.6g}") for x in found.max(axis=0)]
    terms = _terms(found, law)
    law["coefficients"] = {
        name: [float(f"{x:.6g}") for x in _least_squares(terms, y, *RANGES[name.split(" at ")[0]])]
        for name, y in values.items()
    }
    return law


def _variance(f: np.ndarray) -> float:
    return float(_WEIGHTS @ (f - _WEIGHTS @ f) ** 2)


def _terms(found: np.ndarray, law: dict[str, Any]) -> np.ndarray:
    """Return the terms (n, 20) of the polynomial."""
    inside = np.clip(found, law["least"], law["most"])
    x = (inside - law["mean"]) / law["deviation"]
    powers = [
        np.prod(x[:, list(chosen)], axis=1)
        for degree in range(DEGREE + 1)
        for chosen in combinations_with_replacement(range(len(PROPERTIES)), degree)
    ]
    return np.column_stack(powers)


def _logistic(q: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(q, -40, 40)))


def _least_squares(terms: np.ndarray, y: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the coefficients with the least squared error, by Levenberg and Marquardt's steps. All
    coefficients except the first, the constant, are shrunk a little."""
    share = np.clip((y - low) / (high - low), 0.01, 0.99)
    count, size = terms.shape
    gram = terms.T @ terms
    b = np.linalg.solve(gram + 1e-3 * count * np.eye(size), terms.T @ np.log(share / (1 - share)))
    shrink = _RIDGE * np.eye(size)
    shrink[0, 0] = 0

    def error(b: np.ndarray) -> tuple[float, np.ndarray]:
        part = _logistic(terms @ b)
        return float(((y - low - (high - low) * part) ** 2).sum() + b @ shrink @ b), part

    loss, part = error(b)
    damping = 0.01
    for _ in range(_ITERATIONS):
        slopes = terms * ((high - low) * part * (1 - part))[:, None]
        gradient = slopes.T @ (y - low - (high - low) * part) - shrink @ b
        change = np.linalg.solve(slopes.T @ slopes + shrink + damping * np.eye(size), gradient)
        next_loss, next_part = error(b + change)
        if next_loss < loss:
            b, loss, part, damping = b + change, next_loss, next_part, damping / 4
        else:
            damping *= 8
    return b
