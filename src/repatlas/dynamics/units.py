"""In which contexts the hidden units of a ReLU network are used.

Activity is an array (units, C, n): of each unit, in C contexts, for n objects. The mass of a unit
says how much it takes part: the norm of its incoming weights times the norm of its outgoing
weights. (Definitions are ours; Jarvis, Klein, Rosman and Saxe 2025 call units that serve several
contexts, and are right only together with others, structured mixed selective.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

ALIVE = 0.02
"""Units count whose mass is at least this part of the largest."""
USED = 0.5
"""A unit is used in a context where its slope is above this: 1 is linear, 0 is off."""
DRIVEN = 1e-3
"""Units whose object drive has less of their squared input weights have no slopes."""
ACTIVE = 0.25
"""A unit is active in a context whose mean activity is at least this part of its largest."""
ON = 0.02
"""A unit is on at an item where its activity is above this part of its largest."""


def masses(incoming: ArrayLike, outgoing: ArrayLike) -> Array:
    """Return |w_i| |v_i| of each unit. incoming: w, (units, n_in), or the unit's activity over all
    items; outgoing: v, (n_out, units).

    >>> masses([[3.0, 4.0]], [[2.0]])
    array([10.])
    """
    into, out = np.asarray(incoming, dtype=np.float64), np.asarray(outgoing, dtype=np.float64)
    return np.linalg.norm(into, axis=1) * np.linalg.norm(out, axis=0)


def alive(mass: ArrayLike, part: float = ALIVE) -> NDArray[np.bool_]:
    """Return units whose mass is at least a part of the largest, and not 0.

    >>> alive([1.0, 0.5, 0.001, 0.0])
    array([ True,  True, False, False])
    """
    values = np.asarray(mass, dtype=np.float64)
    return (values >= part * values.max(initial=0.0)) & (values > 0)


class Slopes(NamedTuple):
    """How linear units are in each context."""

    slopes: Array
    """b, (units, C); nan for units without object drive"""
    driven: NDArray[np.bool_]
    """(units,): whether objects drive the unit at all"""


def context_slopes(activity: ArrayLike, weights: ArrayLike) -> Slopes:
    """Return the slope of each unit's activity in each context against its object drive.

        b(c) = sum_o (a(c, o) - mean_o a(c, o)) z(o) / sum_o z(o)^2

    activity: a, (units, C, n); weights: the input weights, (units, n_in), with the n objects first;
    z: these less their mean. b is 1 where the unit is linear in a context and 0 where it is off.
    Units with |z|^2 below 1e-3 |w|^2 have none: nan.

    A unit that is on in the first context alone:

    >>> context_slopes([[[3.0, 1.0], [0.0, 0.0]]], [[1.0, -1.0, 2.0, -2.0]]).slopes
    array([[1., 0.]])
    """
    a, w = np.asarray(activity, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    objects = w[:, : a.shape[2]]
    drive = objects - objects.mean(axis=1, keepdims=True)
    size = np.sum(drive**2, axis=1)
    driven = size >= DRIVEN * np.sum(w**2, axis=1)
    driven &= size > 0
    along = np.einsum("uco,uo->uc", a - a.mean(axis=2, keepdims=True), drive)
    safe = np.where(driven, size, 1.0)
    return Slopes(np.where(driven[:, None], along / safe[:, None], np.nan), driven)


class Use(NamedTuple):
    """How many contexts the units of a network are used in, weighted by mass."""

    shares: Array
    """(C + 1,): the share of mass of units that are used in 0, 1, ..., C contexts"""
    undriven: float
    """The share of mass of units without object drive, which have no slopes. The C + 2 shares add
    up to 1."""
    mean: float
    """Mean number of contexts used, over driven units; nan if there are none"""
    sorted_slopes: Array
    """(C,): mean slopes, each unit's sorted, the largest first; nan if no unit is driven"""


def contexts_used(activity: ArrayLike, weights: ArrayLike, mass: ArrayLike) -> Use:
    """Return how many contexts living units are used in: those with a slope above 0.5.

    activity: (units, C, n); weights: (units, n_in); mass: (units,), see masses. Units with a mass
    below 0.02 of the largest don't count.

    >>> activity = [[[3.0, 1.0], [0.0, 0.0]], [[3.0, 1.0], [3.0, 1.0]]]
    >>> use = contexts_used(activity, np.tile([1.0, -1.0, 2.0, -2.0], (2, 1)), [1.0, 3.0])
    >>> use.shares, use.mean
    (array([0.  , 0.25, 0.75]), 1.75)
    """
    living = alive(mass)
    a, w = np.asarray(activity, dtype=np.float64)[living], np.asarray(weights)[living]
    weight = np.asarray(mass, dtype=np.float64)[living]
    found, contexts = context_slopes(a, w), a.shape[1]
    total, driven = weight.sum(), found.driven
    number = (found.slopes[driven] > USED).sum(axis=1)
    shares = np.bincount(number, weight[driven], minlength=contexts + 1) / total
    if not driven.any():
        return Use(shares, 1.0, float("nan"), np.full(contexts, np.nan))
    of_driven = weight[driven] / weight[driven].sum()
    ordered = -np.sort(-found.slopes[driven], axis=1)
    return Use(
        shares, float(weight[~driven].sum() / total), float(of_driven @ number), of_driven @ ordered
    )


def shares_of_active(activity: ArrayLike, mass: ArrayLike) -> Array:
    """Return (C + 1,): shares of mass of living units that are active in 0, 1, ..., C contexts:
    where the mean activity is at least 0.25 of the largest mean. For comparisons between layers,
    since units of a second layer have no weights from objects; mass is then |a_i| |v_i|.

    >>> shares_of_active([[[3.0, 1.0], [0.0, 0.0]], [[3.0, 1.0], [3.0, 1.0]]], [1.0, 3.0])
    array([0.  , 0.25, 0.75])
    """
    living = alive(mass)
    means = np.asarray(activity, dtype=np.float64)[living].mean(axis=2)
    weight = np.asarray(mass, dtype=np.float64)[living]
    largest = means.max(axis=1, keepdims=True)
    number = ((means >= ACTIVE * largest) & (largest > 0)).sum(axis=1)
    return np.bincount(number, weight, minlength=means.shape[1] + 1) / weight.sum()


class Patterns(NamedTuple):
    """At which items the units of a network are on."""

    shares: Array
    """(N + 1,): shares of mass of units that are on at 0, 1, ..., N items; nan if none is alive"""
    number: int
    """The number of distinct patterns of items, without the pattern of no item"""


def on_patterns(activity: ArrayLike, mass: ArrayLike, part: float = 0.01) -> Patterns:
    """Return at which items living units are on: where activity is above 0.02 of the unit's
    largest.

    activity: (units, N); mass: (units,); part: of the largest mass, from which a unit is alive.

    >>> found = on_patterns([[1.0, 0.0], [0.5, 0.0], [1.0, 1.0]], mass=[1.0, 1.0, 2.0])
    >>> found.shares, found.number
    (array([0. , 0.5, 0.5]), 2)
    """
    living = alive(mass, part)
    a, weight = np.asarray(activity, dtype=np.float64)[living], np.asarray(mass)[living]
    items = np.asarray(activity).shape[1]
    if not living.any():
        return Patterns(np.full(items + 1, np.nan), 0)
    on = (a > ON * a.max(axis=1, keepdims=True)) & (a > 0)
    shares = np.bincount(on.sum(axis=1), weight, minlength=items + 1) / weight.sum()
    return Patterns(shares, len(np.unique(on[on.any(axis=1)], axis=0)))


def maps_by_context_missed(slopes: ArrayLike, incoming: ArrayLike, outgoing: ArrayLike) -> Array:
    """Return the summed maps of the units that miss one context, by that context.

    slopes: (units, C), see context_slopes; incoming: (units, n_in); outgoing: (n_out, units).
    Returns (C, n_out, n_in): the sum of v_i w_i^T over units that are used in all contexts but c.

    >>> maps_by_context_missed([[1.0, 0.0]], [[2.0]], [[3.0]])[:, 0, 0]
    array([0., 6.])
    """
    b = np.asarray(slopes, dtype=np.float64)
    used = b > USED
    one_missed = used.sum(axis=1) == b.shape[1] - 1
    into, out = np.asarray(incoming, dtype=np.float64), np.asarray(outgoing, dtype=np.float64)
    missed = one_missed[:, None] & ~used  # (units, C)
    return np.stack([out[:, chosen] @ into[chosen] for chosen in missed.T])
