"""Images as networks are shown them. No torch: what only looks at images starts without it."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Images(NamedTuple):
    """Images and what takes them to inputs: (images - mean) / deviation."""

    images: np.ndarray
    """(n, channels, height, width) uint8"""
    labels: np.ndarray
    """(n,) int64, from 0"""
    mean: np.ndarray
    """(channels, 1, 1) float32, of the training images"""
    deviation: np.ndarray
    """(channels, 1, 1) float32, of the training images"""

    def inputs(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Return (m, channels, height, width) float32"""
        return (self.images[chosen].astype(np.float32) - self.mean) / self.deviation


def scale(images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the standard deviation of each channel, (channels, 1, 1) in float32
    both."""
    # Over sums of integers: float64 copies of all images would take gigabytes.
    axes, each = (0, 2, 3), images[:, 0].size
    total = images.sum(axis=axes, dtype=np.int64)
    squares = sum(np.square(part, dtype=np.int64).sum(axis=axes) for part in _parts(images))
    mean = total / each
    deviation = np.sqrt(squares / each - mean**2)
    return tuple(np.float32(values)[:, None, None] for values in (mean, deviation))


def _parts(images: np.ndarray) -> Iterator[np.ndarray]:
    return (images[start : start + 1000] for start in range(0, len(images), 1000))
