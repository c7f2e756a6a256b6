"""Orthogonal Procrustes: how well one representation can be turned into the other."""

from __future__ import annotations

from math import acos, sqrt
from typing import NamedTuple

import numpy as np

from repatlas.geometry.patterns import refuse_other_items
from repatlas.similarity.subspaces import Representation, decomposed


class Procrustes(NamedTuple):
    """How alike the shapes of two representations are, as procrustes finds it.

    similarity: from 0 to 1. distance: sqrt(2 - 2 similarity), the distance of two representations
    of length 1 after the best rotation. angle: the shape distance, arccos of the similarity.

    >>> round(Procrustes(similarity=0.5).angle, 4), Procrustes(similarity=0.5).distance
    (1.0472, 1.0)
    """

    similarity: float

    @property
    def distance(self) -> float:
        return sqrt(max(2 - 2 * self.similarity, 0.0))

    @property
    def angle(self) -> float:
        return acos(min(self.similarity, 1.0))


def procrustes(x: Representation, y: Representation) -> Procrustes:
    """Return the similarity of two representations after the best rotation of one onto the other.

    x: (m, h1) and y: (m, h2), items x features, or their thin_svd. Means are taken off and both are
    scaled to length 1. Then

        similarity = max over orthogonal Q of Tr(X^T Y Q) = |X^T Y|_*,

    the sum of the singular values; features of zeros are added where numbers differ. The angle is a
    metric, so that the triangle inequality holds (the shape metric of Williams et al. 2021), and so
    is the distance. Rotations, reflections, shifts and isotropic scales change nothing.
    Every direction counts by its standard deviation, where kernel alignment counts it by its
    variance: small directions weigh more. It is also the fidelity of the kernels: see
    bures_similarity.
    For few items in many dimensions it is near 1, whatever the data are: compare it with its
    noise_floor.
    nan if all items of x, or of y, are the same.
    Raises ValueError for different numbers of items.

    >>> x = np.random.default_rng(0).standard_normal((50, 3))
    >>> turned = 5 + 2 * x @ np.linalg.qr(np.ones((3, 3)) + np.eye(3)).Q
    >>> round(procrustes(x, turned).similarity, 6)
    1.0
    """
    a, b = decomposed("x", x), decomposed("y", y)
    refuse_other_items("x", a.left, "y", b.left)
    if not len(a.values) or not len(b.values):
        return Procrustes(float("nan"))
    # In units of the largest values, so that squares neither overflow nor vanish.
    lengths_a, lengths_b = (of.values / of.values[0] for of in (a, b))
    products = lengths_a[:, None] * (a.left.T @ b.left) * lengths_b
    norms = np.linalg.norm(lengths_a) * np.linalg.norm(lengths_b)
    total = float(np.linalg.svd(products, compute_uv=False).sum())
    return Procrustes(min(total / float(norms), 1.0))
