"""Singular vector canonical correlation (SVCCA; Raghu et al. 2017)."""

from repatlas.similarity import ThinSVD, svcca, thin_svd

HOW = "mean canonical correlation of the directions with 99 % of the variance"
PREPARED = thin_svd


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return SVCCA."""
    return svcca(x, y).similarity
