"""How strong the map of each pathway is along the splits of a tree of objects."""

from collections.abc import Iterator

import numpy as np

from repatlas.representation import Decoders, OnItems, Row

OF = "checkpoint"


def rows(seen: OnItems, settings: Decoders) -> Iterator[Row]:
    """Yield |M_p v| for each pathway, whose name is the variant, and each split v of the tree of 8
    objects. Split 1 (`neuron`) is animals against plants. Splits 2 and 3 are the pairs of each, and
    splits 4 to 7 the objects of each pair. They are the right singular vectors of the tree, in a
    basis that is the same everywhere, also where singular values coincide. Tasks without 8 objects
    yield nothing."""
    task = seen.spec.task
    if task.objects != 8:
        return
    directions = np.zeros((7, task.inputs))
    directions[:, :8] = tree_splits()
    for name, matrix in seen.maps.items():
        lengths = np.linalg.norm(matrix @ directions.T, axis=0)
        for number, value in enumerate(lengths, start=1):
            yield Row("mode_strength", name, float(value), neuron=number)


def tree_splits() -> np.ndarray:
    """Return (7, 8), orthonormal: each node of the tree over 8 objects that has two branches, the
    one against the other."""
    found = []
    for size in (8, 4, 2):
        for first in range(0, 8, size):
            split = np.zeros(8)
            split[first : first + size // 2] = 1
            split[first + size // 2 : first + size] = -1
            found.append(split / np.sqrt(size))
    return np.stack(found)
