"""The stored networks whose geometry is nearest to a representation."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_matrix

PUBLISHED = Path(__file__).with_name("geometries.parquet")
"""Geometries of the networks of the published run of `structure`."""
FEATURES = [f"{which}_{part}" for which in ("same", "different") for part in range(4)]
FEATURES += ["alignment", "dimensionality"]
PROPERTIES = ["activation", "delta", "noise_variance", "depth", "rank"]
"""What is inferred, by the names of the columns of `networks`. delta is separability."""
NEIGHBOURS = 10
"""The bandwidth is the distance to this neighbour."""
LEVEL = 0.9
OUTSIDE = 0.99
SHOWN = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LookedUp:
    """What the geometry of a representation says about the network.

    posterior: a row for each property and value, with its probability, its conformal p value, and
    whether it is in the 90 % set. nearest: the nearest networks. distance: to the nearest one.
    limit: the distance that 99 % of stored networks do not exceed, to the nearest of other seeds.
    """

    posterior: pd.DataFrame
    nearest: pd.DataFrame
    distance: float
    limit: float

    @property
    def is_outside(self) -> bool:
        """Whether the geometry is farther from all stored networks than the limit."""
        return self.distance > self.limit

    def values(self, name: str) -> list[Any]:
        """Return the 90 % set of a property."""
        rows = self.posterior[self.posterior["property"] == name]
        return rows["value"][rows["in_set"]].tolist()

    def __repr__(self) -> str:
        says = "The geometry is like that of stored networks"
        if self.is_outside:
            says = "The geometry does not tell: it is unlike all stored networks"
        near = f"distance to the nearest network {self.distance:.2f}, limit {self.limit:.2f}"
        lines = [f"{says} ({near})."]
        for name, rows in self.posterior.groupby("property", sort=False):
            held = rows[rows["in_set"]]
            each = zip(held["value"], held["probability"], strict=True)
            said = ", ".join(f"{v} ({p:.2f})" for v, p in each) or "no stored value fits"
            if len(held) == len(rows):
                said = "the geometry does not tell"
            lines.append(f"{name}: {said}")
        return "\n".join(lines)


def look_up(samples: ArrayLike, labels: ArrayLike, conditions: ArrayLike | None = None) -> LookedUp:
    """Return the stored networks whose geometry is nearest, and what it says about settings.

    samples: (m, n), a row for each condition, a column for each unit. With `conditions`, (m,), rows
    are trials of these conditions, two or more of each, and distances are corrected for noise.
    labels: (m,) or (m, k), the values of k variables in each row, two values each. Half of the
    conditions have each value.

    Stored are networks with 4 conditions and one variable, which tell activation, separability and
    noise, and with 32 conditions and five variables, which tell activation, depth and rank. Raises
    ValueError for other numbers of conditions or variables, and for malformed input.

    >>> square = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    >>> look_up(square, [1, 1, 0, 0]).values("activation")  # the label is XOR
    ['tanh']
    """
    x, y = as_matrix("samples", samples).astype(float), np.asarray(labels)
    if len(x) != len(y):
        raise ValueError(f"found {len(x)} samples and {len(y)} labels, expected as many")
    noise = np.zeros(1)
    if conditions is not None:
        _, first, which = np.unique(np.asarray(conditions), return_index=True, return_inverse=True)
        if len(which) != len(x) or (y != y[first][which]).any() or np.bincount(which).min() < 2:
            raise ValueError("expected a condition for each row, of one label and two rows or more")
        trials = [x[which == each] for each in range(len(first))]
        noise = np.array([each.var(axis=0, ddof=1).sum() / len(each) for each in trials])
        x, y = np.array([each.mean(axis=0) for each in trials]), y[first]
    codes = codes_of(y)
    stored = pd.read_parquet(PUBLISHED)
    comparable = (stored[["conditions", "variables"]].to_numpy() == codes.shape).all(axis=1)
    if not comparable.any():
        raise ValueError(
            f"found {codes.shape[0]} conditions and {codes.shape[1]} variables, expected 4"
            " conditions and 1 variable, or 32 conditions and 5 variables"
        )
    group = stored[comparable].reset_index(drop=True)
    distances, limit, found = sets(group, features_of(x, codes, noise)[None])
    rows = [
        [name, *row]
        for name, (values, *of) in found.items()
        for row in zip(values, *(each[0] for each in of), strict=True)
    ]
    posterior = pd.DataFrame(rows, columns=["property", "value", "probability", "p", "in_set"])
    order = np.argsort(distances[0], kind="stable")[:SHOWN]
    nearest = group.loc[order, [*found, "seed", "step", "run"]].assign(distance=distances[0, order])
    return LookedUp(posterior, nearest.reset_index(drop=True), float(distances.min()), limit)


def codes_of(labels: ArrayLike) -> Floats:
    """Return labels as -1 and 1, (P, k). Raises ValueError if variables are not balanced."""
    y = np.asarray(labels)
    y = y.reshape(len(y), -1)
    columns = [np.unique(column, return_inverse=True) for column in y.T]
    codes = np.column_stack([2.0 * inverse - 1 for _, inverse in columns])
    if any(len(values) != 2 for values, _ in columns) or codes.sum(axis=0).any():
        raise ValueError(
            f"found the labels {y.T.tolist()}, expected two values, each of half of the conditions"
        )
    return codes


def features_of(x: Floats, codes: Floats, noise: Floats) -> Floats:
    """Return the numbers of FEATURES of conditions, (P, n). noise: (P,), the part of each condition
    in squared distances."""
    squared = ((x[:, None] - x) ** 2).sum(axis=-1) - noise[:, None] - noise
    np.fill_diagonal(squared, 0)
    first, second = np.triu_indices(len(x), 1)
    pairs = squared[first, second]
    if not 0 < pairs.mean() < np.inf:
        raise ValueError(
            f"the mean squared distance of the conditions is {pairs.mean():.3g};"
            " expected finite samples whose conditions differ by more than noise"
        )
    pairs = pairs / pairs.mean()
    differ = (codes[first] != codes[second]).mean(axis=1) > 0.5
    same, other = (np.quantile(pairs[of], (0, 1 / 3, 2 / 3, 1)) for of in (~differ, differ))
    centre = np.eye(len(x)) - 1 / len(x)
    kernel, target = -centre @ squared @ centre / 2, codes @ codes.T
    alignment = np.vdot(kernel, target) / np.linalg.norm(kernel) / np.linalg.norm(target)
    dimensionality = np.trace(kernel) ** 2 / np.vdot(kernel, kernel) / (len(x) - 1)
    return np.array([*same, *other, alignment, dimensionality])


def sets(group: pd.DataFrame, features: Floats) -> tuple[Floats, float, dict[str, tuple]]:
    """Return distances to the networks of a group, (m, networks), and their limit. Also return for
    each property its values, their probabilities, p values and membership of sets, (m, values)."""
    values = {name: sorted(group[name].dropna().unique()) for name in PROPERTIES}
    values = {name: of for name, of in values.items() if len(of) > 1}
    # What each stored network gets when it is looked up among networks of other seeds.
    nearest, of_seeds = [], []
    for seed, held in group.groupby("seed", sort=False):
        others = group[group["seed"] != seed]
        distances, shares = _shares(others, held[FEATURES].to_numpy(float), values)
        nearest.append(distances.min(axis=1))
        of_seeds.append((held, shares))
    limit = float(np.quantile(np.concatenate(nearest), OUTSIDE))
    distances, shares = _shares(group, features, values)
    outside = distances.min(axis=1, keepdims=True) > limit
    answers = {}
    for name, found in shares.items():
        p = np.empty_like(found)
        for column, value in enumerate(values[name]):
            scores = [of[name][held[name] == value, column] for held, of in of_seeds]
            # For each seed, the part of its networks with this value that score no higher.
            parts = [(of[:, None] <= found[:, column]).mean(axis=0) for of in scores if len(of)]
            p[:, column] = (1 + np.sum(parts, axis=0)) / (len(parts) + 1)
        answers[name] = values[name], found, p, (p > 1 - LEVEL) | outside
    return distances, limit, answers


def _shares(group: pd.DataFrame, features: Floats, values: dict[str, list[Any]]) -> tuple:
    """Return distances to the networks of a group, (m, networks), and for each property the share
    of each value in the weights of these networks, (m, values)."""
    own = group[FEATURES].to_numpy(float)
    # The unit of distance is what another seed changes, since that is what tells nothing.
    settings = group.groupby([*values, "step"], dropna=False, sort=False)[FEATURES]
    within = own - settings.transform("mean").to_numpy(float)
    deviation = np.sqrt((within**2).sum(axis=0) / max(len(group) - settings.ngroups, 1))
    unit = np.where(deviation > 0, deviation, 1.0)
    a, b = features / unit, own / unit
    squared = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    distances = np.sqrt(np.maximum(squared, 0))
    width = np.partition(distances, NEIGHBOURS - 1, axis=1)[:, [NEIGHBOURS - 1]]
    # The nearest has weight 1, so that far from all networks the sum is not 0.
    closest = distances.min(axis=1, keepdims=True)
    weights = np.exp((closest**2 - distances**2) / (2 * width**2))
    shares = {}
    for name, of in values.items():
        has = (group[name].to_numpy()[:, None] == np.array(of)).astype(float)
        # Rounded, since p values would count the last bits of two probabilities of 1 as different.
        shares[name] = np.round(weights @ has / weights.sum(axis=1, keepdims=True), 6)
    return distances, shares
