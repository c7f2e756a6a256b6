"""Orthogonal Procrustes, the shape similarity of Williams et al. 2021."""

from repatlas.similarity import ThinSVD, procrustes, thin_svd

HOW = "Procrustes similarity after the best rotation, the cosine of the shape distance"
PREPARED = thin_svd


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the cosine of the shape distance."""
    return procrustes(x, y).similarity
