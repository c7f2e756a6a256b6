"""How many units of a ReLU network each pathway recruits: two numbers, fitted to a loss curve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.dynamics.kernel_flow import KernelFlow, mean_kernel, output_basis

Array = NDArray[np.float64]

STARTS = ((0.0, 0.0), (-2.0, 2.0), (2.0, -2.0))
"""(ln kappa_common, ln kappa_context) where the search starts."""
TOLERANCE = 1e-3
"""The tolerance of both logarithms."""
MOST_LOGARITHM = 12.0
"""The largest logarithm of kappa, up or down. Beyond it the first step may be too long for the
descent."""


class Recruited(NamedTuple):
    """The best of the fits from all starts."""

    common: float
    """kappa of the common pathway: n_h kappa units start in it"""
    context: float
    """kappa of each context pathway"""
    error: float
    """Sum over epochs of squared differences of loss"""
    ends: tuple[tuple[float, float, float], ...]
    """(kappa_common, kappa_context, error) from each start, to see whether they agree"""


def flow_losses(
    kappa: tuple[float, float],
    gated: ArrayLike,
    masks: ArrayLike,
    targets: ArrayLike,
    units: float,
    sigma: float,
    rate: float,
    epochs: int,
) -> Array:
    """Return the losses of the K-flow, joint, from kappa n_h sigma^2 I, at epochs 0 .. epochs - 1.

    kappa: of the first pathway, the common one, and of all others; gated: (P, n_in, N); masks: (P,
    n_in); targets: (n_out, N); units: n_h; sigma: standard deviation of the initial weights.

    >>> one = ([[[1.0]]], [[1.0]], [[2.0]])
    >>> flow_losses((1.0, 1.0), *one, units=10, sigma=0.1, rate=0.1, epochs=2).round(4)
    array([2.    , 1.9208])
    """
    y = np.asarray(targets, dtype=np.float64)
    basis = output_basis(y)
    each = np.full(len(np.asarray(masks)), kappa[1])
    each[0] = kappa[0]
    start = mean_kernel(masks, len(basis), each * units * sigma**2)
    flow = KernelFlow(start[None], np.asarray(gated)[None], (basis @ y)[None], [rate])
    return np.concatenate([flow.descend() for _ in range(epochs)])


def fit_recruitment(
    losses: ArrayLike,
    gated: ArrayLike,
    masks: ArrayLike,
    targets: ArrayLike,
    units: float,
    sigma: float,
    rate: float,
) -> Recruited:
    """Return kappa of the common and of the context pathways, such that the K-flow has these
    losses.

    losses: of a ReLU network, at epochs 0, 1, ...; the other arguments as in flow_losses. It
    minimises the sum of squared differences by Nelder and Mead's method in (ln kappa_common, ln
    kappa_context) from three starts, to 1e-3 in both. All units together start with kappa = 1 on
    average: a fit that needs far more describes nothing that a network could recruit. Losses that
    are not finite are refused with ValueError.

    >>> one = ([[[1.0], [0.0]], [[0.0], [1.0]]], [[1, 0], [0, 1]], [[2.0]])
    >>> curve = flow_losses((0.5, 0.25), *one, units=10, sigma=0.01, rate=0.1, epochs=40)
    >>> found = fit_recruitment(curve, *one, units=10, sigma=0.01, rate=0.1)
    >>> found.error < 1e-6
    True
    """
    # Not at the top: the config, which names networks of this kind, is read without it.
    from scipy.optimize import minimize

    wanted = np.asarray(losses, dtype=np.float64)
    if not np.isfinite(wanted).all():
        epoch = int(np.argmin(np.isfinite(wanted)))
        raise ValueError(f"losses: found {wanted[epoch]} at epoch {epoch}, allowed: finite numbers")

    def error(logarithms: Array) -> float:
        if np.abs(logarithms).max() > MOST_LOGARITHM:
            return float("inf")
        kappa = (float(np.exp(logarithms[0])), float(np.exp(logarithms[1])))
        with np.errstate(over="ignore", invalid="ignore"):
            found = flow_losses(kappa, gated, masks, targets, units, sigma, rate, len(wanted))
            value = float(np.sum((found - wanted) ** 2))
        return value if np.isfinite(value) else float("inf")

    ends: list[tuple[float, float, float]] = []
    for start in STARTS:
        found = minimize(
            error,
            start,
            method="Nelder-Mead",
            options={"xatol": TOLERANCE, "fatol": np.inf, "maxfev": 1000},
        )
        common, context = np.exp(found.x)
        ends.append((float(common), float(context), float(found.fun)))
    best = min(ends, key=lambda end: end[2])
    return Recruited(best[0], best[1], best[2], tuple(ends))
