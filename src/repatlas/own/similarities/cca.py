"""Mean canonical correlation (CCA)."""

from repatlas.similarity import ThinSVD, canonical_correlations, thin_svd

HOW = "mean canonical correlation"
PREPARED = thin_svd


def similarity(x: ThinSVD, y: ThinSVD) -> float:
    """Return the mean canonical correlation; nan if there is none."""
    found = canonical_correlations(x, y)
    return float(found.mean()) if len(found) else float("nan")
