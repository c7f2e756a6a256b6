"""The samples of a task that networks are measured on: the same for all networks of a seed."""

from typing import NamedTuple

import numpy as np

from repatlas.streams import stream


class Samples(NamedTuple):
    """Samples of all clusters without their centres. They are the same for every network of a
    seed."""

    conditions: np.ndarray
    """(m,): the cluster of each sample"""
    noise: np.ndarray
    """(m, N): standard normal"""


def balanced_samples(seed: int, purpose: str, number: int, clusters: int, inputs: int) -> Samples:
    """Return samples with equally many of each cluster; a remainder of `number` is left out."""
    conditions = np.repeat(np.arange(clusters), number // clusters)
    noise = stream(seed, purpose).standard_normal((len(conditions), inputs), dtype=np.float32)
    return Samples(conditions, noise)
