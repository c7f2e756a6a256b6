"""Decoding at one time by a decoder of another time: whether a code stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.balanced import at_least, equal_numbers, equal_rows, folds_of_blocks
from repatlas.geometry.design import Design, as_trials
from repatlas.geometry.patterns import as_array
from repatlas.geometry.scaling import Scale, scaled_with_ones
from repatlas.geometry.svm import as_regularisation, weights_of


class OverTime(NamedTuple):
    """Accuracies of decoding_over_time, (times, times): a line for each time of a fit, a column for
    each time of a test; estimator: how they were made.

    >>> OverTime(np.array([[1.0, 0.5], [0.5, 1.0]]), "5-fold").accuracies[0, 1]
    np.float64(0.5)
    """

    accuracies: NDArray[np.float64]
    estimator: str


def decoding_over_time(
    samples: ArrayLike,
    labels: ArrayLike,
    variable: int,
    folds: int = 5,
    C: float = 1.0,
    scale: Scale = "rms",
    seed: int = 0,
    blocks: ArrayLike | None = None,
) -> OverTime:
    """Return the cross-validated accuracy of decoders fitted at one time and tested at another.

    This is the temporal generalisation of King & Dehaene (2014).
    samples: (m, n, T), trials x features x times; labels: (m, k), the values that k variables had
    in each trial, or (m,); variable: the column to decode, of two values or more, as for
    balanced_decoding, whose folds, blocks, C and seed these are. The diagonal is balanced_decoding
    of each time, with resamples=1. Off the diagonal, too, no trial is in a fit and in its test: the
    times of one trial are not independent. Samples are put on the scale of the fitted time, so that
    a mean that moves counts as a change of the code. Chance is 0.5.
    Raises ValueError for anything but finite trials x features x times, and as balanced_decoding.

    The second time has the code of the first one, turned around.

    >>> side = np.tile([0, 1], 20)
    >>> rates = np.random.default_rng(0).standard_normal((40, 5, 2))
    >>> rates[:, 0] += 4 * (2 * side - 1)[:, None] * [1, -1]
    >>> decoding_over_time(rates, side, variable=0).accuracies
    array([[1., 0.],
           [0., 1.]])
    """
    at_least("folds", folds, 2)
    C = as_regularisation(C)
    by_time = as_times(samples)
    _, design = as_trials(by_time[0], labels)
    contexts = design.contexts(variable, fewest=1)
    fold = None if blocks is None else folds_of_blocks(blocks, by_time.shape[1], folds, seed)
    total = np.zeros((len(by_time), len(by_time)))
    for number, pairs in enumerate(contexts.values()):
        hits, counts = np.zeros((2, pairs.size, *total.shape))
        rng = np.random.default_rng([seed, number])
        for fitted, tested in _splits(design, pairs, fold, folds, rng):
            place = np.repeat(np.arange(len(tested)), [len(of) for of in tested])
            found = _hits(by_time, fitted, np.concatenate(tested), place % 2 == 1, C, scale)
            # Folds of blocks have any numbers of a condition, whose trials count alike. Other folds
            # count alike, as in balanced_decoding.
            weight = 1.0 if fold is not None else len(tested) / len(place)
            np.add.at(hits, place, weight * np.moveaxis(found, 2, 0))
            np.add.at(counts, place, weight)
        total += (hits / counts).mean(axis=0)
    held = "" if fold is None else ", folds of blocks"
    return OverTime(total / len(contexts), f"{folds}-fold accuracy over time{held}, balanced")


def as_times(samples: ArrayLike) -> NDArray[np.float64]:
    """Return samples, (m, n, T), as (T, m, n). Raises ValueError unless all are finite numbers."""
    array = as_array("samples", samples)
    if array.ndim != 3 or 0 in array.shape or array.dtype.kind == "U":
        raise ValueError(
            f"samples has shape {array.shape}; allowed is (m, n, T), trials x features x times."
        )
    if not np.isfinite(array).all():
        trial, feature, time = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"samples holds NaN or infinite values; all values must be finite (the first that is "
            f"not: trial {trial}, feature {feature}, time {time})."
        )
    return np.ascontiguousarray(np.moveaxis(array, 2, 0), dtype=np.float64)


def _splits(
    design: Design,
    pairs: NDArray[np.intp],
    fold: NDArray[np.intp] | None,
    folds: int,
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.intp], list[NDArray[np.intp]]]]:
    """Yield the rows of each fit, (conditions, q), and the rows of each condition in its test."""
    conditions = pairs.ravel()
    if fold is None:
        rarest = int(min(conditions, key=design.counts.__getitem__))
        if design.counts[rarest] < folds:
            raise ValueError(
                f"labels has {design.counts[rarest]} trials of condition ({design.name(rarest)}); "
                f"{folds} folds need {folds} or more: take fewer folds, or leave it out."
            )
        rows = equal_rows(design, pairs, rng)
        of_rows = np.arange(rows.shape[1]) % folds
        for out in range(folds):
            yield rows[:, of_rows != out], list(rows[:, of_rows == out])
        return
    for out in range(folds):
        members = [design.members[condition] for condition in conditions]
        held = [rows[fold[rows] == out] for rows in members]
        kept = [rows[fold[rows] != out] for rows in members]
        if not any(map(len, held)):
            continue
        lacking = next((c for c, of in zip(conditions, kept, strict=True) if not len(of)), None)
        if lacking is not None:
            raise ValueError(
                f"labels has condition ({design.name(int(lacking))}) in the blocks of one fold "
                f"alone; decoders of other blocks need it, too: leave it out."
            )
        yield equal_numbers(kept, rng), held


def _hits(
    by_time: NDArray[np.float64],
    fitted: NDArray[np.intp],
    tested: NDArray[np.intp],
    signs: NDArray[np.bool_],
    C: float,
    scale: Scale,
) -> NDArray[np.bool_]:
    """Return whether each tested row is decoded, (times, times, rows)."""
    found = np.empty((len(by_time), len(by_time), len(tested)), dtype=bool)
    targets = np.tile(np.repeat([-1.0, 1.0], fitted.shape[1]), len(fitted) // 2)
    held = by_time[:, tested]
    for time, patterns in enumerate(by_time):
        rows = patterns[fitted.ravel()]
        scaled, samples = scaled_with_ones(rows, scale)
        [weights] = weights_of(samples, targets[None], C)
        found[time] = (scaled(held) @ weights[:-1] + weights[-1] > 0) == signs
    return found
