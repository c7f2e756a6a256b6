"""The gates that clusters of a ReLU network's units show, with null controls."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from repatlas.dynamics.gates import Gates, find_gates, permuted_over_contexts, recall
from repatlas.representation import Decoders, Row, RunWithUnits
from repatlas.streams import stream

OF = "run"
FROM = 1500
"""The first epoch whose activity counts: after the common phase."""
NEVER_ACTIVE = "the mean activity of the cluster is above 0 in no context"


class _Case(NamedTuple):
    activity: np.ndarray
    mass: np.ndarray
    features: str = "contexts"


def rows(seen: RunWithUnits, settings: Decoders) -> Iterator[tuple[int, Row]]:
    """Yield the last epoch and a row, for each number.

    gate_recall: the share of the gates of all contexts except one that are found. centroid: how
    active each cluster (`cluster`) is in each context (`other_cluster`), as a fraction of its
    largest activity. gate_mass: the share of mass of each cluster. silhouette: for `neuron`
    clusters.

    Variants: "contexts" is the measure; "items" and "signs" are its naive forms; "last epoch" uses
    this epoch alone. Two variants are controls: "permuted", with activity permuted over contexts
    within each unit and object, and "initial", the network before training. A linear network is the
    third control: ask for its gates.
    """
    last = max(seen.checkpoints)
    stages = [seen.checkpoints[step] for step in sorted(seen.checkpoints) if step >= FROM]
    if not stages:
        reason = f"no checkpoint at epoch {FROM} or later"
        yield last, Row("gate_recall", "contexts", np.nan, reason=reason)
        return
    activity, mass = np.stack([stage.activity() for stage in stages]), stages[-1].mass
    contexts = activity.shape[2]
    permuted = permuted_over_contexts(activity, stream(seen.seed, "gates permuted"))
    cases = {
        "contexts": _Case(activity, mass),
        "items": _Case(activity, mass, "items"),
        "signs": _Case(activity, mass, "signs"),
        "last epoch": _Case(activity[-1:], mass),
        "permuted": _Case(permuted, mass),
    }
    if 0 in seen.checkpoints:
        initial = seen.checkpoints[0]
        cases["initial"] = _Case(initial.activity()[None], initial.mass)
    for variant, case in cases.items():
        found = find_gates(*case[:2], stream(seen.seed, f"gates {variant}"), case.features)
        for row in _described(found, variant, contexts):
            yield last, row


def _described(found: Gates, variant: str, contexts: int) -> Iterator[Row]:
    yield Row("gate_recall", variant, recall(found.gates, contexts))
    for cluster, (centroid, mass) in enumerate(zip(found.centroids, found.mass, strict=True)):
        yield Row("gate_mass", variant, float(mass), cluster=cluster)
        for context, value in enumerate(centroid):
            yield Row(
                "centroid",
                variant,
                float(value),
                cluster=cluster,
                other_cluster=context,
                reason=NEVER_ACTIVE if np.isnan(value) else None,
            )
    for number, value in enumerate(found.silhouettes, start=2):
        yield Row("silhouette", variant, float(value), neuron=number)
