"""Projection-weighted canonical correlation (PWCCA; Morcos et al. 2018)."""

from repatlas.similarity import ThinSVD, pwcca, thin_svd

HOW = "canonical correlations weighted by what their directions account for, mean of both"
PREPARED = thin_svd


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return PWCCA, the mean of both weightings."""
    return pwcca(x, y, weights_from="both")
