"""The task of Figure 4C: ten classes of images with five labels, two classes each.

The paper groups "pairs of classes"; which, it does not say. Ours: the fixed pairs (0, 1), (2, 3)
and so on, or pairs drawn for each seed.
"""

import numpy as np

from repatlas.images.content import CLASSES
from repatlas.streams import stream

LABELS = 5


def class_labels(pairing: str, seed: int) -> np.ndarray:
    """Return (10,): the label, 0 .. 4, of each class. All networks of a seed have the same
    pairs."""
    labels = np.repeat(np.arange(LABELS), CLASSES // LABELS)
    if pairing == "random":
        return stream(seed, "pairs of classes").permutation(labels)
    return labels


def one_hot(labels: np.ndarray) -> np.ndarray:
    """Return (10, 5): the targets of each class, whose kernel is K_Y."""
    return np.eye(LABELS)[labels]
