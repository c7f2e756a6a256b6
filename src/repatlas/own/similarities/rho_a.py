"""Representational similarity analysis that gives models with ties no advantage."""

from repatlas.own.similarities import rsa
from repatlas.own.similarities.rsa import MOST, similarity

__all__ = ["HOW", "MOST", "PREPARED", "similarity"]
HOW = "rank correlation rho-a of the Euclidean distances of items (Schuett et al. 2023)"


class UntiedRanks(rsa.Ranks):
    """Ranks without the correction for ties."""

    by = "rho-a"


PREPARED = UntiedRanks
