"""Mutual nearest neighbours, less those that are shared by chance."""

from repatlas.similarity import Neighbours, mutual_neighbours

HOW = "shared neighbours, of 10, less chance, as a fraction of what exceeds chance"
PREPARED = Neighbours


def similarity(x: Neighbours, y: Neighbours) -> float:
    """Return the calibrated fraction, whose chance is about 0."""
    return mutual_neighbours(x, y).calibrated
