"""A plane through the set of kernels, to draw the set and its alignment with the targets in."""

import numpy as np

from repatlas.experiments.clusters.kernels import simplex_kernel, spectrum


class KernelSlice:
    """Kernels K(x, y) = H / (P - 1) + x A + y B of P items (Alleman et al. 2024, Figure 4A).

    A and B are orthonormal in the Frobenius product. A points from the simplex, H / (P - 1), to
    K_Y. B mixes u and w, B = (u w^T + w u^T) / sqrt(2), the first eigenvector of K_Y with one
    orthogonal to K_Y. So

    - distances in the plane are distances of kernels.

    - Kernels of one participation ratio p are a circle around the simplex. Its squared radius is
      1 / p - 1 / (P - 1).

    - For K_Y with equal eigenvalues, the x-axis is the line from K_max(0) through the simplex to
      K_Y. By symmetry, K_max(c) is where the level line of alignment c meets it.

    - The positive semidefinite kernels are a convex set around the simplex. Take P = 4 and two
      orthogonal targets. Then the x-axis is diag(a, a, 1 - 2a) in the eigenbasis of K_Y, and
      y / sqrt(2) is the entry at (u, w). The set a (1 - 2a) >= y^2 / 2 is an ellipse. Two of its
      vertices are K_Y and K_max(0).

    Raises ValueError for a target kernel without null space.
    """

    def __init__(self, target_kernel):
        """Set up the plane. target_kernel: K_Y, (P, P), centred and symmetric, of rank 1 to P - 2,
        of any trace."""
        items = len(target_kernel)
        values, vectors = spectrum(target_kernel)
        if values[0] != 0:
            raise ValueError(
                f"target_kernel has rank {items - 1}; allowed is 1 to {items - 2}, so that some "
                f"kernel is orthogonal to it."
            )
        w, u = vectors[:, 0], vectors[:, -1]
        self.simplex = simplex_kernel(items)
        self.target = target_kernel / np.trace(target_kernel)
        towards = self.target - self.simplex
        self.axes = np.stack(
            [
                towards / np.linalg.norm(towards),
                (np.outer(u, w) + np.outer(w, u)) / np.sqrt(2),
            ]
        )
        """(2, P, P): A and B."""

    def kernels(self, points):
        """Return (..., P, P): the symmetric, centred matrices of unit trace at points, (..., 2)."""
        return self.simplex + np.tensordot(points, self.axes, axes=1)

    def points(self, kernels):
        """Return (..., 2): where kernels, (..., P, P), stand, or the nearest point of the plane."""
        return np.tensordot(
            np.asarray(kernels, float) - self.simplex, self.axes, ([-2, -1], [1, 2])
        )

    def is_kernel(self, points):
        """Return a boolean array, (...), that is True where the matrix at a point, (..., 2), is
        positive semidefinite."""
        return np.linalg.eigvalsh(self.kernels(points))[..., 0] > -1e-12

    def alignment(self, points):
        """Return (...): C of the matrices at points, (..., 2), with K_Y."""
        kernels = self.kernels(points)
        overlap = np.tensordot(kernels, self.target, ([-2, -1], [0, 1]))
        return overlap / (np.linalg.norm(kernels, axis=(-2, -1)) * np.linalg.norm(self.target))

    def boundary(self, directions=360):
        """Return (directions, 2): the last kernels in each direction from the simplex,
        counterclockwise from K_Y. A line's last kernel is where H / (P - 1) + r D loses its
        rank."""
        angles = np.linspace(0, 2 * np.pi, directions, endpoint=False)
        rays = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        smallest = np.linalg.eigvalsh(np.tensordot(rays, self.axes, axes=1))[:, :1]
        return rays / (-smallest * (len(self.simplex) - 1))
