"""Mutual nearest neighbours (Huh et al. 2024)."""

from repatlas.similarity import Neighbours, mutual_neighbours

HOW = "fraction of the 10 nearest neighbours that are shared"
PREPARED = Neighbours


def similarity(x: Neighbours, y: Neighbours) -> float:
    """Return the fraction of shared neighbours."""
    return mutual_neighbours(x, y).value
