"""Input kernels of a chosen alignment with the targets (Figures 4 to 6; paper, appendix C).

A kernel is (P, P), symmetric, positive semidefinite, centred (K 1 = 0) and of unit trace. Its
alignment with the target kernel K_Y is C = <K, K_Y> / (|K| |K_Y|), its participation ratio
1 / |K|^2, with the Frobenius inner product and norm. The paper calls kernels positive definite in
section 6; centred ones can only be semidefinite.
"""

import math

import numpy as np

TOLERANCE = 1e-12
"""An alignment beyond the end of its range by no more than this is the end itself."""


def spectrum(target_kernel):
    """Return eigenvalues (P - 1,), ascending, and eigenvectors (P, P - 1) of a centred kernel.
    Those that differ by rounding are made equal: whether they are zero, or the same, decides."""
    basis = contrasts(len(target_kernel))
    values, vectors = np.linalg.eigh(basis.T @ target_kernel @ basis)
    values[values < 1e-10 * values[-1]] = 0
    same = values - values[0] < 1e-10 * values[-1]
    values[same] = values[same].mean()
    return values, basis @ vectors


def contrasts(items):
    """Return (P, P - 1): Helmert's orthonormal basis of the vectors orthogonal to 1. Column j
    compares the first j + 1 items with the next one."""
    basis = np.triu(np.ones((items, items - 1)))
    basis[np.arange(1, items), np.arange(items - 1)] = -np.arange(1, items)
    return basis / np.linalg.norm(basis, axis=0)


def flat_kernel(patterns):
    """Return the kernel with equal variance in each dimension that the patterns span: p.r. = r.

    patterns: (P, r), linearly independent columns after centring.
    """
    q, _ = np.linalg.qr(patterns - patterns.mean(axis=0))
    return q @ q.T / q.shape[1]


def simplex_kernel(clusters):
    """Return H / (P - 1), (P, P): clusters at equal distances, with the largest p.r., P - 1."""
    return (np.eye(clusters) - 1 / clusters) / (clusters - 1)


def alignment_range(target_kernel):
    """Return the lowest and the highest alignment that any kernel has with K_Y. The lowest is 0
    unless K_Y has full rank P - 1. Then it is the alignment of the last eigenvector of K_Y,
    l_min / |l|."""
    values, _ = spectrum(target_kernel)
    return float(values[0] / np.linalg.norm(values)), 1.0


def maximal_range(target_kernel):
    """Return the lowest and the highest alignment of `maximal_kernel`. The lowest is the alignment
    of the flat kernel on the eigenspace of the smallest eigenvalue, sqrt(m) l_min / |l| if it has m
    dimensions."""
    values, _ = spectrum(target_kernel)
    smallest = np.count_nonzero(values == values[0])
    return float(values[0] * np.sqrt(smallest) / np.linalg.norm(values)), 1.0


def maximal_kernel(target_kernel, alignment):
    """Return k_max(c): among all kernels with alignment c, the one of maximal participation ratio.

    It has the eigenvectors u_j of K_Y, eigenvalues l_j, and its own eigenvalues are

        max(cos(t) / sqrt(P - 1) + sin(t) l_j / |l|, 0)   up to their sum,

    with t such that C = c. The reason: some rotations do not change K_Y. Averaging K over them
    keeps the trace and <K, K_Y>, and doesn't lengthen K. So K is diagonal in the u_j. The shortest
    nonnegative spectrum with a given sum and a given overlap with l is a truncated affine function
    of l (Karush-Kuhn-Tucker). As t grows, the spectrum turns in a plane towards l as long as its
    support stays the same. So C rises with t, and bisection finds t. The value 0 of t gives the
    simplex, and pi / 2 gives K_Y. The lower end is flat on the null space of K_Y. With equal
    eigenvalues, as for orthogonal targets, this is the line between K_Y and K_max(0) in the paper's
    appendix C; with unequal ones, that line is not optimal.

    target_kernel: K_Y, (P, P), centred, of any trace. Returns (P, P). Raises ValueError for an
    alignment outside `maximal_range`. That is 1 alone for K_Y proportional to H, where C^2 = p.r. /
    (P - 1): all kernels of one alignment are as good.
    """
    values, vectors = spectrum(target_kernel)
    _check_alignment(alignment, maximal_range(target_kernel)[0], "of maximal participation ratio")
    flat, target = 1 / np.sqrt(len(values)), values / np.linalg.norm(values)

    def shares(angle):
        return np.maximum(np.cos(angle) * flat + np.sin(angle) * target, 0)

    # From where only the smallest eigenvalue's share is positive.
    larger = target[target > target[0]]
    lowest = -np.arctan(flat / larger[0]) if len(larger) else 0.0
    angle = _bisect(
        lambda angle: _at_most(target @ shares(angle) / np.linalg.norm(shares(angle)), alignment),
        lowest,
        np.pi / 2,
    )
    return (vectors * (shares(angle) / shares(angle).sum())) @ vectors.T


def kernel_between(start, end, target_kernel, alignment):
    """Return the kernel with alignment c on the segment from one kernel to another, (P, P).

    Mixtures of kernels are kernels, so only c has to be met; if c lies between the alignments of
    the two ends, some mixture has it. Raises ValueError if it does not.
    """
    norm = np.linalg.norm(target_kernel)
    overlaps = np.vdot(start, target_kernel) / norm, np.vdot(end, target_kernel) / norm
    squares = np.vdot(start, start), np.vdot(start, end), np.vdot(end, end)

    def at(s):
        # All terms are nonnegative: no digits cancel.
        overlap = (1 - s) * overlaps[0] + s * overlaps[1]
        square = (1 - s) ** 2 * squares[0] + 2 * s * (1 - s) * squares[1] + s**2 * squares[2]
        return overlap / np.sqrt(square)

    low, high = sorted([at(0.0), at(1.0)])
    if not low - TOLERANCE <= alignment <= high + TOLERANCE:
        raise ValueError(
            f"alignment is {alignment:g}; between these kernels it is {low:.6f} to {high:.6f}."
        )
    rising = at(0.0) < at(1.0)
    s = _bisect(lambda s: _at_most(at(s), alignment) == rising, 0.0, 1.0)
    return (1 - s) * start + s * end


def random_kernel(target_kernel, alignment, generator):
    """Return a random kernel of exactly this alignment, of widely varying dimensionality, (P, P).

    After the paper's appendix C: a random kernel K_0 is moved along a straight line to where its
    alignment is c. If K_0 has too small an alignment, the line goes to K_Y; if too large, to
    another random kernel T, of an alignment of at most c. K_0 has a rank uniform in 2 .. P - 1,
    eigenvectors in random directions and eigenvalues from a Dirichlet distribution, of
    concentration 0.2 (few dimensions dominate) or 2, evenly often. Neither K_0 nor, for rank(K_Y) <
    P - 1, T depends on c: with the same generator state, the kernels of all c belong together.

    target_kernel: K_Y, (P, P), centred, of any trace; generator: a numpy Generator. Raises
    ValueError for an alignment outside `alignment_range`.
    """
    values, vectors = spectrum(target_kernel)
    _check_alignment(alignment, alignment_range(target_kernel)[0], "")
    rank = generator.integers(2, len(values), endpoint=True)
    start = _random_kernel_within(vectors, rank, generator)
    end = target_kernel / np.trace(target_kernel)
    if np.vdot(start, end) > alignment * np.linalg.norm(start) * np.linalg.norm(end):
        end = _random_kernel_below(values, vectors, alignment, generator)
    return kernel_between(start, end, target_kernel, alignment)


def random_flat_kernel(target_kernel, rank, generator):
    """Return the flat kernel on a random subspace of the null space of K_Y: p.r. = rank, alignment
    0.

    target_kernel: K_Y, (P, P), centred. Raises ValueError for more dimensions than there are.
    """
    values, vectors = spectrum(target_kernel)
    null = vectors[:, values == 0]
    if not 1 <= rank <= null.shape[1]:
        raise ValueError(
            f"rank is {rank}; allowed is 1 to {null.shape[1]}, the dimensions that are orthogonal "
            f"to the targets."
        )
    frame = _random_frame(null, rank, generator)
    return frame @ frame.T / rank


def inputs_from_kernel(kernel, inputs, generator):
    """Return centres with this kernel in random directions of N dimensions: (P, N).

    X = sqrt(N P) K^(1/2) V O^T. V is an orthonormal basis of the centred vectors, (P, P - 1), and O
    a random frame, (N, P - 1). Then X X^T = N P K, so a centre has mean squared norm N (trace 1)
    and C(K_X, K_Y) = C(K, K_Y). The paper's O L^(1/2) U^T (section 6) has the same distribution,
    but depends on the arbitrary eigenvectors U of equal eigenvalues. The symmetric root does not:
    kernels that differ little give centres that differ little. Raises ValueError for N < P - 1.
    """
    clusters = len(kernel)
    if inputs < clusters - 1:
        raise ValueError(
            f"inputs is {inputs}; allowed is at least {clusters - 1}, the dimensions of {clusters} "
            f"centred clusters."
        )
    basis = contrasts(clusters)
    values, vectors = np.linalg.eigh(basis.T @ kernel @ basis)
    # The root would turn a rounding error of 1e-18 into 1e-9.
    values[values < clusters * np.finfo(float).eps * values[-1]] = 0
    root = (vectors * np.sqrt(values)) @ vectors.T
    q, r = np.linalg.qr(generator.standard_normal((inputs, clusters - 1)))
    frame = q * np.sign(np.diag(r))  # Haar-distributed only with the signs fixed
    return np.sqrt(inputs * clusters) * basis @ root @ frame.T


def _random_kernel_within(basis, rank, generator):
    """Return a random kernel of this rank in the span of the basis, (P, d)."""
    concentration = generator.choice([0.2, 2.0])
    shares = generator.dirichlet(np.full(rank, concentration))
    frame = _random_frame(basis, rank, generator)
    return (frame * shares) @ frame.T


def _random_kernel_below(values, vectors, alignment, generator):
    """Return a random kernel of at most this alignment: orthogonal to K_Y if K_Y has a null space.

    In the span of the eigenvectors with l_j <= l a kernel of rank r has <K, K_Y> <= l and |K| >= 1
    / sqrt(r). So C <= sqrt(r) l / |l|, and a rank r is possible if at least r eigenvalues are small
    enough. Rank 1 (a line) is used only if no other rank is possible.
    """
    limit = 0.0 if values[0] == 0 else alignment * np.linalg.norm(values) * (1 + TOLERANCE)
    room = {r: np.count_nonzero(values <= limit / np.sqrt(r)) for r in range(1, len(values) + 1)}
    ranks = [r for r, dimensions in room.items() if r <= dimensions]
    rank = generator.choice(ranks[1:] or ranks)
    return _random_kernel_within(vectors[:, : room[rank]], rank, generator)


def _random_frame(basis, rank, generator):
    """Return (P, r): orthonormal and uniformly distributed in the span of the basis, (P, d), and
    the same for each basis of that span. Projected twice, so that a nearly dependent draw can't
    leave it."""
    frame = generator.standard_normal((len(basis), rank))
    for _ in range(2):
        frame, _ = np.linalg.qr(basis @ (basis.T @ frame))
    return frame


def _bisect(is_below, low, high):
    """Return the place where a condition that holds at `low` ceases to hold; `high` if it always
    holds."""
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def _at_most(found, alignment):
    """Return True if an alignment that was found is at most this one.

    Near its maximum of 1, alignment is flat: within 1e-8 of K_Y it is 1 except for rounding. With
    equality, and without values above 1, c = 1 is K_Y itself.
    """
    return min(found, 1.0) <= alignment


def _check_alignment(alignment, lowest, which):
    if not lowest - TOLERANCE <= alignment <= 1 + TOLERANCE:
        kernels = f"kernels {which}".strip()
        raise ValueError(
            f"alignment is {alignment:g}; {kernels} reach {rounded_up(lowest)} to 1 with these "
            f"targets."
        )


def rounded_up(value):
    """Return a lower limit as text that can be copied: the value, rounded up to 4 decimals."""
    return f"{math.ceil((value - TOLERANCE) * 1e4) / 1e4 + 0.0:g}"
