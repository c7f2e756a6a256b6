"""Figure 9: parallelism score and CCGP of four example geometries; no network is trained."""

from itertools import product

import numpy as np
import pandas as pd

from repatlas.geometry import ccgp, context_pairs, linear_svm, parallelism_score
from repatlas.streams import stream

LABELS = np.array([[1, 0], [1, 1], [0, 0], [0, 1]])
"""The labels of two binary variables in the four conditions, (P, k): the first half has label 1 in
the first, as in all tasks here. For each variable the values of the other are its two contexts."""
CONDITIONS, VARIABLES = LABELS.shape
DEVIATION = 0.3
"""The standard deviation of the noise, in each dimension."""
DISTANCE = 8 * DEVIATION
"""The distance between the two values of variable 1: within a context a decoder makes no errors."""
SAMPLES = 100_000
"""Samples of each condition: the scores are stable to the printed hundredth."""
DRAWN_SAMPLES = 30
"""Samples of each condition that are drawn."""
ANGLE = 75.0
"""An angle in degrees: its cosine, the parallelism score, is low, but not 0."""
SHIFT = 1.25 * DISTANCE
"""A shift by more than the distance: where one context ends, along the coding vector, the other
begins."""


def two_contexts(angle: float = 0.0, shift: float = 0.0, apart: float = DISTANCE) -> np.ndarray:
    """Return the positions of the conditions, (P, 3).

    Variable 1 moves the first context along the first axis. It moves the second context at an angle
    to it, in degrees, in the plane of the first two axes. The second context is shifted along the
    first axis, and at a distance along the third.
    """
    turn = np.deg2rad([0.0, angle])
    coding = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(2)])
    middle = np.outer([-0.5, 0.5], [shift, 0.0, apart])
    return np.array([middle[c] + (y - 0.5) * DISTANCE * coding[c] for y, c in LABELS])


GEOMETRIES = {
    "square": two_contexts(),
    "turned": two_contexts(angle=ANGLE),
    "shifted": two_contexts(shift=SHIFT),
    # Opposite edges of a regular tetrahedron are orthogonal, and 1 / sqrt 2 of their length apart.
    "tetrahedron": two_contexts(angle=90.0, apart=DISTANCE / np.sqrt(2)),
}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    noise = mirrored_noise(SAMPLES)
    parts = [
        part.assign(kernel=name)
        for name, places in GEOMETRIES.items()
        for part in (_score_rows(places, noise), _decoder_rows(places, noise))
    ]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(clusters=CONDITIONS, targets=VARIABLES)


def mirrored_noise(number: int) -> np.ndarray:
    """Return standard normal draws, (number, 3), each with its mirror images in the three axes."""
    mirrors = np.array(list(product([1, -1], repeat=3)))
    drawn = stream(0, "example geometries").standard_normal((number // len(mirrors), 3))
    return (drawn[:, None] * mirrors).reshape(-1, 3)


def samples_around(places: np.ndarray, noise: np.ndarray, variable: int) -> np.ndarray:
    """Return samples of each condition, (P, number, 3).

    The first axis of the noise is put along the coding vector of the variable in each context.
    Normal noise has no preferred direction. If it is mirrored along this vector, and equal for all
    conditions, it is as symmetric as its distribution. Chance then does not tilt or move a
    decoder's boundary. Otherwise the few samples near the boundary, which determine it, would move
    CCGP by 0.03, even with 100,000 samples of each condition.
    """
    samples = np.empty((CONDITIONS, *noise.shape))
    for pair in context_pairs(LABELS, variable):
        coding = places[pair[0]] - places[pair[1]]
        frame, _ = np.linalg.qr(np.column_stack([coding, np.eye(3)]))
        samples[pair] = places[pair][:, None] + DEVIATION * noise @ frame.T
    return samples


def _score_rows(places: np.ndarray, noise: np.ndarray) -> pd.DataFrame:
    """Return the conditions, and both scores of each variable."""
    conditions = np.repeat(np.arange(CONDITIONS), len(noise))
    scores = []
    for variable in range(VARIABLES):
        samples = samples_around(places, noise, variable).reshape(-1, 3)
        found = {
            "parallelism": parallelism_score(places, LABELS, variable),
            "ccgp": ccgp(samples, LABELS[conditions], variable, scale=None),
        }
        scores += [
            {"measure": measure, "variant": f"variable {variable + 1}", "value": value}
            for measure, value in found.items()
        ]
    means = _place_rows(places, np.arange(CONDITIONS), measure="condition", variant="mean")
    deviation = {"measure": "deviation", "variant": "noise", "value": DEVIATION}
    return pd.concat([means, pd.DataFrame([*scores, deviation])])


def _decoder_rows(places: np.ndarray, noise: np.ndarray) -> pd.DataFrame:
    """Return the decoder of variable 1 that is fitted in its first context, and its accuracy in
    both.

    There are also some samples of both contexts. For the second context it is marked whether the
    decoder is right.
    """
    samples = samples_around(places, noise, variable=0)
    signs, own = 2 * LABELS[:, 0] - 1, LABELS[:, 1] == 0
    labels = np.repeat(signs[own], len(noise))
    svm = linear_svm(samples[own].reshape(-1, 3), labels)
    said = svm.predict(samples.reshape(-1, 3)).reshape(CONDITIONS, -1)
    right = said == signs[:, None]  # (P, number)
    numbers = [
        ("decoder", "weight 1", svm.weights[0]),
        ("decoder", "weight 2", svm.weights[1]),
        ("decoder", "weight 3", svm.weights[2]),
        ("decoder", "intercept", svm.intercept),
        ("accuracy", "own context", right[own].mean()),
        ("accuracy", "other context", right[~own].mean()),
    ]
    # One of every eight: the others are its mirror images.
    drawn = slice(0, 8 * DRAWN_SAMPLES, 8)
    clouds = [
        _place_rows(
            samples[c, drawn],
            c,
            measure="sample",
            variant="own context" if own[c] else np.where(right[c, drawn], "right", "wrong"),
        )
        for c in range(CONDITIONS)
    ]
    return pd.concat([pd.DataFrame(numbers, columns=["measure", "variant", "value"]), *clouds])


def _place_rows(places: np.ndarray, cluster: np.ndarray | int, **columns) -> pd.DataFrame:
    """Return rows of positions, (m, 3): x, y and, as their value, the third coordinate."""
    x, y, value = places.T
    return pd.DataFrame({"x": x, "y": y, "value": value, "cluster": cluster, **columns})
