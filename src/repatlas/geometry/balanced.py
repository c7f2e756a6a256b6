"""Decoding and CCGP from trials of any number, for variables of two values or more.

Conditions are the combinations of values that occur. They have equal weight. In a fit each has the
same number of trials, drawn at random without replacement: as many as the rarest condition of the
fit. In scores each has the same weight. Draws are repeated, and come from a seed: the same seed
gives the same numbers. Variables of more than two values have a decoder for each pair of values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.ccgp import Split
from repatlas.geometry.design import ByPair, Design, as_trials, coded
from repatlas.geometry.scaling import Scale, scaled_with_ones
from repatlas.geometry.svm import as_regularisation, weights_of


def balanced_ccgp(
    samples: ArrayLike,
    labels: ArrayLike,
    variable: int,
    split: Split = "one-context",
    resamples: int = 10,
    C: float = 1.0,
    scale: Scale = "rms",
    seed: int = 0,
    blocks: ArrayLike | None = None,
    folds: int = 5,
) -> ByPair:
    """Return the cross-condition generalisation performance of a variable, for any number of
    trials.

    samples: (m, n), one row for each trial; labels: (m, k), the values that k variables had in each
    trial, numbers or strings, k >= 2; variable: the column of labels to decode. A context is a
    setting of the other variables. Each pair of values has a score, over the contexts that have
    both, where these are two or more; value is their mean. Chance is 0.5.
    split="one-context": fit on the two conditions of one context, test on all other contexts, mean
    over the contexts (Alleman et al. 2024, section 3).
    split="leave-one-pair-out": fit on all other contexts, test on one (Bernardi et al. 2020).
    resamples: how often equal numbers of trials are drawn for a fit whose conditions have unequal
    numbers; fits with equal numbers take all trials, once. All trials of the tested conditions are
    tested, and each condition has the same weight. C, scale: as in ccgp, which is this for two
    values and equal numbers. seed: of the draws.
    Raises ValueError for labels without two values in two contexts, or malformed input, and
    NotConverged as ccgp does.

    Three values on a line, the same way in two contexts; one condition has more trials.

    >>> labels = [(side, value) for side in "LR" for value in (1, 2, 3)] + [("L", 3)]
    >>> samples = [[value, side == "R"] for side, value in labels]
    >>> score = balanced_ccgp(samples, labels, variable=1)
    >>> score.value, score.pairs
    (1.0, [(1, 2), (1, 3), (2, 3)])
    """
    if split not in ("one-context", "leave-one-pair-out"):
        raise ValueError(f'split is {split!r}; allowed are "one-context" and "leave-one-pair-out".')
    at_least("resamples", resamples, 1)
    C = as_regularisation(C)
    patterns, design = as_trials(samples, labels)
    contexts = design.contexts(variable, fewest=2)
    fold = None if blocks is None else folds_of_blocks(blocks, len(patterns), folds, seed)
    by_pair = []
    for number, pairs in enumerate(contexts.values()):
        scores: list[float] = []
        for context in range(len(pairs)):
            rng = np.random.default_rng([seed, number, context])
            rest = np.delete(pairs, context, axis=0)
            fitted, tested = (
                (pairs[[context]], rest) if split == "one-context" else (rest, pairs[[context]])
            )
            if fold is not None:
                both = fitted.ravel(), tested.ravel()
                scores.append(_over_folds(patterns, design, *both, fold, resamples, rng, C, scale))
                continue
            equal = len(set(design.counts[fitted.ravel()].tolist())) == 1
            held = [design.members[condition] for condition in tested.ravel()]
            of_draws = [
                _accuracy(patterns, equal_rows(design, fitted, rng), held, C, scale)
                for _ in range(1 if equal else resamples)
            ]
            scores.append(float(np.mean(of_draws)))
        by_pair.append(float(np.mean(scores)))
    of_blocks = "" if fold is None else f", {folds} folds of blocks"
    return _over_pairs(contexts, by_pair, f"CCGP of equal numbers of trials, {split}{of_blocks}")


def balanced_decoding(
    samples: ArrayLike,
    labels: ArrayLike,
    variable: int,
    folds: int = 5,
    resamples: int = 10,
    C: float = 1.0,
    scale: Scale = "rms",
    seed: int = 0,
    blocks: ArrayLike | None = None,
) -> ByPair:
    """Return the cross-validated accuracy of decoders, balanced over the other variables.

    Each decoder is a linear_svm. To balance the conditions in this way is our choice.
    samples: (m, n), one row for each trial, or for each item where they have no noise; labels:
    (m, k), the values that k variables had in each, numbers or strings, or (m,) for one variable;
    variable: the column of labels to decode. Each pair of values has an accuracy, over the contexts
    (settings of the other variables) that have both; value is their mean. Chance is 0.5.
    An equal number of trials of each of these conditions is drawn at random, as many as the rarest
    condition has. They are divided among the folds, so that another variable cannot predict the
    decoded one in any fit. Each fold is predicted by a decoder that was fitted on all others. All
    this is repeated `resamples` times, and the mean is over the repeats. C, scale: as in
    decoding_accuracy. seed: of the draws.
    blocks: (m,), the run or session of each trial, as numbers or names, where trials of one block
    are not independent. Whole blocks are divided among the folds. Fits take equal numbers of each
    condition. All trials of the held-out blocks are tested, each condition with equal weight.
    Raises ValueError for malformed input, a condition with fewer trials than folds or in one fold
    alone, and fewer blocks than folds; and NotConverged as decoding_accuracy does.

    What tells left from right is the first feature. The rarest condition has six trials, so each
    fold has one or two of each condition.

    >>> labels = [(side, colour) for side in "LR" for colour in "rg" for trial in range(6)]
    >>> labels += [("L", "r")] * 20
    >>> rng = np.random.default_rng(0)
    >>> samples = [[side == "R", colour == "r"] + rng.normal(0, 0.2, 2) for side, colour in labels]
    >>> balanced_decoding(samples, labels, variable=0).value > 0.9
    True
    """
    at_least("folds", folds, 2)
    at_least("resamples", resamples, 1)
    C = as_regularisation(C)
    patterns, design = as_trials(samples, labels)
    contexts = design.contexts(variable, fewest=1)
    by_pair = []
    if blocks is not None:
        of_rows = folds_of_blocks(blocks, len(patterns), folds, seed)
        for number, pairs in enumerate(contexts.values()):
            rng = np.random.default_rng([seed, number])
            both = pairs.ravel(), pairs.ravel()
            by_pair.append(_over_folds(patterns, design, *both, of_rows, resamples, rng, C, scale))
        return _over_pairs(contexts, by_pair, f"{folds}-fold accuracy, folds of blocks, balanced")
    for number, pairs in enumerate(contexts.values()):
        rarest = int(min(pairs.ravel(), key=design.counts.__getitem__))
        if design.counts[rarest] < folds:
            raise ValueError(
                f"labels has {design.counts[rarest]} trials of condition ({design.name(rarest)}); "
                f"{folds} folds need {folds} or more: take fewer folds, or leave it out."
            )
        rng = np.random.default_rng([seed, number])
        scores = []
        for _ in range(resamples):
            rows = equal_rows(design, pairs, rng)
            fold = np.arange(rows.shape[1]) % folds
            scores += [
                _accuracy(patterns, rows[:, fold != out], list(rows[:, fold == out]), C, scale)
                for out in range(folds)
            ]
        by_pair.append(float(np.mean(scores)))
    return _over_pairs(contexts, by_pair, f"{folds}-fold cross-validated accuracy, balanced")


def folds_of_blocks(blocks: ArrayLike, number: int, folds: int, seed: int) -> NDArray[np.intp]:
    """Return the fold of each trial, (number,): whole blocks at random."""
    at_least("folds", folds, 2)
    names, codes = coded("blocks", blocks)
    if codes.shape != (number,):
        raise ValueError(
            f"blocks has shape {codes.shape}; allowed is one for each of the {number} samples."
        )
    if len(names) < folds:
        raise ValueError(
            f"blocks has {len(names)} blocks; {folds} folds need {folds} or more: take fewer folds."
        )
    # Nulls with the same seed use another stream. They permute the blocks.
    order = np.random.default_rng([seed, folds]).permutation(len(names))
    dealt: NDArray[np.intp] = order[codes] % folds
    return dealt


def _over_folds(
    patterns: NDArray[np.float64],
    design: Design,
    fitted: NDArray[np.intp],
    tested: NDArray[np.intp],
    fold: NDArray[np.intp],
    resamples: int,
    rng: np.random.Generator,
    C: float,
    scale: Scale,
) -> float:
    """Return the mean accuracy over the tested conditions. The first, third ... have one value, the
    others the other, from fits to the trials of the fitted conditions in other folds."""
    hits, counts = np.zeros(len(tested)), np.zeros(len(tested))
    for out in range(int(fold.max()) + 1):
        members = [design.members[condition] for condition in fitted]
        members = [rows[fold[rows] != out] for rows in members]
        held = [design.members[condition] for condition in tested]
        held = [rows[fold[rows] == out] for rows in held]
        if not any(map(len, held)):
            continue
        if lacking := [
            c for c, rows in zip(fitted.tolist(), members, strict=True) if not len(rows)
        ]:
            raise ValueError(
                f"labels has condition ({design.name(lacking[0])}) in the blocks of one fold "
                f"alone; decoders of other blocks need it, too: leave it out."
            )
        for _ in range(resamples):
            rows = equal_numbers(members, rng)
            place = np.repeat(np.arange(len(held)), [len(of) for of in held])
            hits += np.bincount(
                place, weights=_hits(patterns, rows, held, C, scale), minlength=len(held)
            )
            counts += np.bincount(place, minlength=len(held))
    return float(np.mean(hits / counts))


def equal_rows(
    design: Design, pairs: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return rows of the conditions of (contexts, 2) pairs, (2 contexts, q), in random order. q of
    each are drawn, as many as the rarest condition has."""
    return equal_numbers([design.members[condition] for condition in pairs.ravel()], rng)


def equal_numbers(members: list[NDArray[np.intp]], rng: np.random.Generator) -> NDArray[np.intp]:
    number = min(map(len, members))
    return np.array([rng.permutation(rows)[:number] for rows in members])


def _accuracy(
    patterns: NDArray[np.float64],
    fitted: NDArray[np.intp],
    tested: list[NDArray[np.intp]],
    C: float,
    scale: Scale,
) -> float:
    """Return the mean accuracy over conditions of a decoder that is fitted on rows (conditions, q),
    and tested on rows of each condition."""
    hits = _hits(patterns, fitted, tested, C, scale)
    counts = np.array([len(of) for of in tested])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return float(np.mean(np.add.reduceat(hits.astype(np.float64), starts) / counts))


def _hits(
    patterns: NDArray[np.float64],
    fitted: NDArray[np.intp],
    tested: list[NDArray[np.intp]],
    C: float,
    scale: Scale,
) -> NDArray[np.bool_]:
    """Return whether each tested row is decoded, one condition after another. The first, third ...
    condition has one value, the others the other, both of the fitted and of the tested."""
    rows = patterns[fitted.ravel()]
    signs = np.tile(np.repeat([-1.0, 1.0], fitted.shape[1]), len(fitted) // 2)
    scaled, samples = scaled_with_ones(rows, scale)
    # linear_svm would check each number again.
    [weights] = weights_of(samples, signs[None], C)
    counts = [len(of) for of in tested]
    decisions = scaled(patterns[np.concatenate(tested)]) @ weights[:-1] + weights[-1]
    hits: NDArray[np.bool_] = (decisions > 0) == np.repeat(np.arange(len(tested)) % 2 == 1, counts)
    return hits


def _over_pairs(
    contexts: dict[tuple[Any, Any], NDArray[np.intp]], by_pair: list[float], estimator: str
) -> ByPair:
    return ByPair(float(np.mean(by_pair)), list(contexts), np.array(by_pair), estimator)


def at_least(name: str, value: int, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} is {value!r}; allowed are whole numbers from {least}.")
