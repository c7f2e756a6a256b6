"""Do splits of the objects move the representation the same way in every context?"""

from collections.abc import Iterator

from repatlas.dynamics.solutions import parallelism_over_contexts
from repatlas.representation import Decoders, OnItems, Row

OF = "checkpoint"
SPLITS = {
    "halves": (range(0, 4), range(4, 8)),
    "first pairs": (range(0, 2), range(2, 4)),
    "second pairs": (range(4, 6), range(6, 8)),
}
"""The splits of the tree of 8 objects: animals and plants; birds and fish; flowers and trees."""


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield the parallelism score over contexts of each split of the tree, at each layer: the mean
    cosine between coding vectors, from items averaged over each side of the split. None for tasks
    without 8 objects."""
    task = seen.spec.task
    if task.objects != 8:
        return
    for layer, hidden in enumerate(seen.layers, start=seen.first_layer):
        for name, split in SPLITS.items():
            score = parallelism_over_contexts(hidden @ hidden.T, split, task.number_of_contexts)
            yield Row("context_parallelism", name, score, layer)
