"""Parallelism score of the last layer (section 3)."""

from collections.abc import Iterator

import numpy as np

from repatlas.geometry import parallelism_score
from repatlas.geometry.dichotomies import as_dichotomy
from repatlas.geometry.labels import design_of
from repatlas.geometry.paired import paired_parallelism_score
from repatlas.geometry.parallelism import Pairing, matched_parallelism_scores
from repatlas.representation import Decoders, Labelled, Row, trained_dichotomies

OF = "checkpoint"


def rows(seen: Labelled, settings: Decoders) -> Iterator[Row]:
    """Yield the parallelism score, the mean over the trained dichotomies. Factorial targets have
    scores over contexts, and classes have scores over pairs of labels. Other targets have the score
    of a pairing: the best one for 4 conditions, the nearest one for more."""
    patterns, labels = seen.layers[-1], seen.targets
    design, layer = design_of(labels), seen.single_layer
    if design == "classes":
        score = paired_parallelism_score(patterns, labels.argmax(axis=1))
        yield Row("parallelism", seen.variant, score, layer)
        return
    if design == "factorial":
        each = [parallelism_score(patterns, labels, target) for target in range(labels.shape[1])]
        yield Row("parallelism", seen.variant, float(np.mean(each)), layer)
    pairings: dict[str, Pairing] = {"matched" if design == "factorial" else seen.variant: "nearest"}
    if len(patterns) == 4:
        pairings = dict.fromkeys(pairings, "best")
    elif len(patterns) <= 8:
        pairings["best pairing"] = "best"
    dichotomies = np.stack([as_dichotomy(d) for d in trained_dichotomies(labels)])
    for variant, pairing in pairings.items():
        scores = matched_parallelism_scores(patterns, dichotomies, pairing)
        yield Row("parallelism", variant, float(np.mean(scores)), layer)
