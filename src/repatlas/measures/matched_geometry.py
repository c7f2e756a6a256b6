"""The geometry of the hidden layer at matched loss: when the loss first fell below fractions of
|Y|^2 / 2."""

from collections.abc import Iterator

import numpy as np

from repatlas.dynamics.solutions import parallelism_over_contexts
from repatlas.geometry import (
    alignment_of_kernels,
    centred_kernel,
    linear_svm,
    matched_ccgp,
    matched_parallelism_score,
    participation_ratio,
)
from repatlas.measures.context_geometry import SPLITS
from repatlas.representation import Decoders, OnItems, Row, RunOnItems, decoded

OF = "run"
LEVELS = (0.5, 0.25, 0.1, 0.05, 0.01)
XOR = {"target": (1, -1, -1, 1), "first input": (1, 1, -1, -1)}
"""Dichotomies of the four items."""


def rows(seen: RunOnItems, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield an epoch and a row, at each level of the loss that was reached. The variant is the
    level, such as "0.05". All are for the last hidden layer, over all items, which have no noise:

    target_alignment, input_alignment, participation_ratio; at the last epoch, without a variant,
    levels_reached, the number of levels.

    For contexts of 8 objects: context_parallelism of the splits of the tree (`neuron` 0: halves, 1
    and 2: pairs). context_ccgp of animals against plants, fitted in all contexts except one and
    scored there (`neuron` 0), or fitted in one and scored in the others (1). context_ccgp of each
    context against the others, balanced, fitted on half of the objects of each kind and scored on
    the rest (2).

    For four items: parallelism, ccgp and decoding of the target (0) and of the first input (1).

    Decoders see activity divided by the root mean square of the activity that they are fitted on.
    """
    reached = seen.curves.get("level")
    epochs = dict(zip(reached.values.tolist(), reached.epochs, strict=True)) if reached else {}
    yield max(seen.checkpoints), Row("levels_reached", "", float(len(epochs)))
    for level in LEVELS:
        found = seen.at_level(level)
        if found is None:
            continue
        task = found.spec.task
        parts = [_alignments(found)]
        if task.objects == 8:
            parts.append(_context_rows(found, settings))
        elif task.items == 4:
            parts.append(_four_item_rows(found, settings))
        for part in parts:
            for row in part:
                yield int(epochs[level]), row._replace(variant=f"{level:g}")


def _alignments(found: OnItems) -> Iterator[Row]:
    kernel = centred_kernel(found.layers[-1])
    for name, other in (("target_alignment", found.targets), ("input_alignment", found.inputs)):
        yield Row(name, "", alignment_of_kernels(kernel, centred_kernel(other)))
    yield Row("participation_ratio", "", participation_ratio(kernel))


def _context_rows(found: OnItems, settings: Decoders) -> Iterator[Row]:
    hidden, number = found.layers[-1], found.spec.task.number_of_contexts
    for split, sides in enumerate(SPLITS.values()):
        score = parallelism_over_contexts(hidden @ hidden.T, sides, number)
        yield Row("context_parallelism", "", score, neuron=split)
    contexts = np.repeat(np.arange(number), 8)
    objects = np.tile(np.arange(8), number)
    animals = np.where(objects < 4, 1, -1)
    held_out = [contexts != context for context in range(number)]
    kinds = (held_out, [~rest for rest in held_out])
    for kind, fitted in enumerate(kinds):
        scores = [_scored(hidden, animals, rows, settings) for rows in fitted]
        yield _mean_row(scores, kind)
    halves = [objects % 2 == 0, objects % 2 == 1]
    scores = [
        _scored(hidden, np.where(contexts == context, 1, -1), rows, settings)
        for context in range(number)
        for rows in halves
    ]
    yield _mean_row(scores, 2)


def _scored(
    hidden: np.ndarray, signs: np.ndarray, fitted: np.ndarray, settings: Decoders
) -> tuple[float, str | None]:
    """Return the accuracy on items that a decoder was not fitted on, the mean over both classes."""
    centre = hidden[fitted].mean(axis=0)
    scale = max(np.sqrt(np.mean((hidden[fitted] - centre) ** 2)), np.finfo(float).tiny)
    x = (hidden - centre) / scale

    def balanced() -> float:
        hits = linear_svm(x[fitted], signs[fitted], settings.regularisation).predict(x) == signs
        return float(np.mean([hits[~fitted & (signs == sign)].mean() for sign in (1, -1)]))

    return decoded(balanced)


def _mean_row(scores: list[tuple[float, str | None]], kind: int) -> Row:
    reasons = [reason for _, reason in scores if reason]
    value = float(np.mean([score for score, _ in scores]))
    return Row("context_ccgp", "", value, neuron=kind, reason=reasons[0] if reasons else None)


def _four_item_rows(found: OnItems, settings: Decoders) -> Iterator[Row]:
    hidden, items = found.layers[-1], np.arange(4)
    for number, dichotomy in enumerate(XOR.values()):
        signs = np.array(dichotomy)
        yield Row("parallelism", "", matched_parallelism_score(hidden, signs), neuron=number)
        value, reason = decoded(matched_ccgp, hidden, items, signs, settings.regularisation)
        yield Row("ccgp", "", value, neuron=number, reason=reason)
        value, reason = decoded(_fits, hidden, signs, settings)
        yield Row("decoding", "", value, neuron=number, reason=reason)


def _fits(hidden: np.ndarray, signs: np.ndarray, settings: Decoders) -> float:
    """Return the accuracy of a decoder on the items that it was fitted on: whether they can be
    distinguished."""
    centred = hidden - hidden.mean(axis=0)
    scale = max(np.sqrt(np.mean(centred**2)), np.finfo(float).tiny)
    x = centred / scale
    return linear_svm(x, signs, settings.regularisation).accuracy(x, signs)
