"""Finding the gates of a ReLU network by clustering its hidden units by activity.

Jarvis, Klein, Rosman and Saxe (2025) cluster activity at several stages of training, by k-means;
how is not published. The steps and the controls here are ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from repatlas.dynamics.pathways import Contexts, context_sets
from repatlas.dynamics.units import alive

Array = NDArray[np.float64]

RESTARTS = 10
MOST_ITERATIONS = 300
CUT = 0.5
"""A cluster's gate is on in contexts whose centroid is at least this part of its largest."""


def context_features(activity: ArrayLike) -> Array:
    """Return C numbers for each unit: its mean activity in each context, divided by the largest of
    them.

    activity: (snapshots, units, C, n). The mean is over snapshots and objects: units are selective
    for objects, too, so single items need not cluster by context. A unit that is never active has
    zeros.

    >>> context_features([[[[4.0, 0.0], [1.0, 0.0]]]])
    array([[1.  , 0.25]])
    """
    means = np.asarray(activity, dtype=np.float64).mean(axis=(0, 3))
    largest = means.max(axis=1, keepdims=True)
    return means / np.where(largest > 0, largest, 1.0)


def item_features(activity: ArrayLike) -> Array:
    """Return the naive variant: mean activity at each item, divided by the largest. (units, C n).

    >>> item_features([[[[4.0, 0.0], [1.0, 0.0]]]])
    array([[1.  , 0.  , 0.25, 0.  ]])
    """
    means = np.asarray(activity, dtype=np.float64).mean(axis=0)
    means = means.reshape(len(means), -1)
    largest = means.max(axis=1, keepdims=True)
    return means / np.where(largest > 0, largest, 1.0)


def sign_features(activity: ArrayLike) -> Array:
    """Return the second naive variant: the share of snapshots in which a unit is on at an item.
    (units, C n). Signs are unsafe where pre-activations lie at the boundary.

    >>> sign_features([[[[4.0, 0.0], [1.0, 0.0]]]])
    array([[1., 0., 1., 0.]])
    """
    on = (np.asarray(activity, dtype=np.float64) > 0).mean(axis=0)
    return on.reshape(len(on), -1)


class Clusters(NamedTuple):
    """Groups of points around centroids."""

    centroids: Array
    """(k, features)"""
    labels: NDArray[np.intp]
    """(m,): the cluster of each point"""
    error: float
    """Sum of squared distances to centroids"""


def k_means(
    points: ArrayLike, number: int, rng: np.random.Generator, restarts: int = RESTARTS
) -> Clusters:
    """Return the best of several runs of Lloyd's algorithm, each from seeds by k-means++ (Arthur
    and Vassilvitskii 2007).

    points: (m, features); number: k; rng: where the seeds come from. A cluster that loses all its
    points stays where it is. Raises ValueError for fewer points than clusters.

    >>> found = k_means([[0.0], [0.1], [5.0]], 2, np.random.default_rng(0))
    >>> sorted(found.centroids.ravel().tolist()), round(found.error, 6)
    ([0.05, 5.0], 0.005)
    """
    x = np.asarray(points, dtype=np.float64)
    if not 1 <= number <= len(x):
        raise ValueError(f"number is {number}; allowed is 1 to {len(x)}, the number of points.")
    return min((_lloyd(x, number, rng) for _ in range(restarts)), key=lambda found: found.error)


def _lloyd(x: Array, number: int, rng: np.random.Generator) -> Clusters:
    centroids = x[[rng.integers(len(x))]]
    while len(centroids) < number:
        nearest = cdist(x, centroids, "sqeuclidean").min(axis=1)
        total = nearest.sum()
        chances = nearest / total if total > 0 else None  # all points are centroids already
        centroids = np.vstack([centroids, x[rng.choice(len(x), p=chances)]])
    labels = np.full(len(x), -1)
    for _ in range(MOST_ITERATIONS):
        before, labels = labels, cdist(x, centroids, "sqeuclidean").argmin(axis=1)
        if (labels == before).all():
            break
        for cluster in np.unique(labels):
            centroids[cluster] = x[labels == cluster].mean(axis=0)
    return Clusters(centroids, labels, float(np.sum((x - centroids[labels]) ** 2)))


def silhouette(points: ArrayLike, labels: ArrayLike) -> float:
    """Return the mean over points of (b - a) / max(a, b), from -1 to 1 (Rousseeuw 1987).

    The mean distance to the other points of the cluster is a. The smallest mean distance to another
    cluster is b. A point that is alone in its cluster counts 0. The result is nan for fewer than
    two clusters.

    >>> silhouette([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    1.0
    """
    x, groups = np.asarray(points, dtype=np.float64), np.asarray(labels)
    names, index = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return float("nan")
    member = np.eye(len(names))[index]  # (m, k)
    sizes = member.sum(axis=0)
    sums = cdist(x, x) @ member
    own = sizes[index]
    inside = np.take_along_axis(sums, index[:, None], axis=1)[:, 0] / np.maximum(own - 1, 1)
    outside = np.where(member > 0, np.inf, sums / sizes).min(axis=1)
    larger = np.maximum(inside, outside)
    scores = np.where((own > 1) & (larger > 0), outside - inside, 0.0)
    return float(np.mean(scores / np.where(larger > 0, larger, 1.0)))


class Gates(NamedTuple):
    """The gates that were found in a network."""

    gates: list[Contexts]
    """The contexts of each cluster's gate, distinct and sorted"""
    centroids: Array
    """(k, C): mass-weighted mean feature of each cluster, divided by its largest. It is nan for a
    cluster of linear units that is positive in no context: its gate is on in none."""
    mass: Array
    """(k,): the share of mass of each cluster"""
    silhouettes: Array
    """For k = 2 .. C + 2 clusters; nan where units are too few. Reported, not used."""


def find_gates(
    activity: ArrayLike, mass: ArrayLike, rng: np.random.Generator, features: str = "contexts"
) -> Gates:
    """Return the gates of a network with C contexts, from k = C clusters of its living units.

    activity: (snapshots, units, C, n), after the common phase; mass: (units,), at the last
    snapshot, units below 0.02 of the largest being dropped; rng: for the restarts of k-means;
    features: "contexts", or one of the naive variants, "items" and "signs". The gate of a cluster
    is on in contexts whose mass-weighted centroid is at least half of its largest.

    Units of three kinds, each silent in one context:

    >>> activity = np.repeat(1 - np.eye(3), 4, axis=0)[None, :, :, None]
    >>> find_gates(activity, np.ones(12), np.random.default_rng(0)).gates
    [(0, 1), (0, 2), (1, 2)]
    """
    living = alive(mass)
    a = np.asarray(activity, dtype=np.float64)[:, living]
    weight = np.asarray(mass, dtype=np.float64)[living]
    number = a.shape[2]
    by_context = context_features(a)
    points = {"contexts": context_features, "items": item_features, "signs": sign_features}
    x = points[features](a)
    clusters = k_means(x, min(number, len(x)), rng)
    found, masses = [], []
    for cluster in range(len(clusters.centroids)):
        own = clusters.labels == cluster
        if not own.any():  # fewer distinct units than clusters
            continue
        centre = weight[own] @ by_context[own] / weight[own].sum()
        largest = centre.max()
        found.append(centre / largest if largest > 0 else np.full(number, np.nan))
        masses.append(weight[own].sum())
    centroids = np.stack(found)
    gates = {tuple(np.flatnonzero(each >= CUT).tolist()) for each in centroids}
    scores = []
    for k in range(2, number + 3):
        enough = k < len(x)
        labels = k_means(x, k, rng).labels if enough else np.zeros(len(x))
        scores.append(silhouette(x, labels))
    return Gates(sorted(gates), centroids, np.array(masses) / weight.sum(), np.array(scores))


def recall(gates: Iterable[Sequence[int]], contexts: int) -> float:
    """Return the share of the C gates of all but one context that are among those found.

    >>> recall([(0, 1), (1, 2), (0,)], contexts=3)
    0.6666666666666666
    """
    wanted = set(context_sets(contexts, [contexts - 1]))
    return len(wanted & {tuple(sorted(gate)) for gate in gates}) / len(wanted)


def permuted_over_contexts(activity: ArrayLike, rng: np.random.Generator) -> Array:
    """Return a null control: activity (snapshots, units, C, n) permuted over contexts within each
    unit and object, in all snapshots alike. Gates that are found after this are chance.

    >>> activity = np.arange(12.0).reshape(1, 2, 3, 2)
    >>> control = permuted_over_contexts(activity, np.random.default_rng(0))
    >>> np.sort(control, axis=2).ravel().tolist() == list(range(12))
    True
    """
    a = np.asarray(activity, dtype=np.float64)
    order = np.argsort(rng.random(a.shape[1:]), axis=1)  # (units, C, n)
    return np.take_along_axis(a, order[None], axis=2)
