"""The stored networks whose geometry is nearest to a representation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from repatlas.atlas.loaded import Network
from repatlas.geometry.patterns import as_matrix

PUBLISHED = Path(__file__).with_name("geometries.parquet")
"""Geometries of the networks of the published run of `structure`."""
QUANTILES = (0, 1 / 3, 2 / 3, 1)
"""Smallest to largest squared distance of two conditions."""
FEATURES = [f"{which}_{part}" for which in ("same", "different") for part in range(4)]
FEATURES += ["alignment", "dimensionality"]
PROPERTIES = ["activation", "delta", "noise_variance", "depth", "rank"]
"""What is inferred, by the names of the columns of `networks`. delta is separability."""
KIND = ["conditions", "variables"]
"""Only networks that have as many conditions and variables as the samples are compared."""
NEIGHBOURS = 10
"""The bandwidth is the distance to this neighbour."""
LEVEL = 0.9
OUTSIDE = 0.99
SHOWN = 5

Floats = NDArray[np.float64]


def geometry_features(distances: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """Return ten numbers that say what geometry conditions have, whatever its rotation and size.

    distances: (P, P) squared distances of conditions; labels: (P, k), the values of k variables,
    two values each. Four quantiles of the distances of conditions that share most labels ("same"),
    and four of those that do not ("different"), each divided by the mean distance of all pairs.
    alignment: the kernel alignment with all variables. dimensionality: the participation ratio,
    divided by P - 1.

    >>> square = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])  # XOR
    >>> distances = ((square[:, None] - square) ** 2).sum(axis=-1)
    >>> found = geometry_features(distances, [1, 1, 0, 0])
    >>> {name: round(value, 2) for name, value in found.items() if name[-1] in "0t3y"}
    ... # doctest: +NORMALIZE_WHITESPACE
    {'same_0': 1.5, 'same_3': 1.5, 'different_0': 0.75, 'different_3': 0.75, 'alignment': 0.0,
     'dimensionality': 0.67}
    """
    squared, codes = np.asarray(distances, float), _codes(labels)
    size = len(squared)
    first, second = np.triu_indices(size, 1)
    pairs = squared[first, second]
    if not np.isfinite(pairs).all() or not pairs.mean() > 0:
        raise ValueError(
            f"the mean squared distance of the conditions is {pairs.mean():.3g};"
            " expected finite samples whose conditions differ by more than noise"
        )
    pairs = pairs / pairs.mean()
    is_different = (codes[first] != codes[second]).mean(axis=1) > 0.5
    centre = np.eye(size) - 1 / size
    kernel, target = -centre @ squared @ centre / 2, codes @ codes.T
    values = [*np.quantile(pairs[~is_different], QUANTILES)]
    values += [*np.quantile(pairs[is_different], QUANTILES)]
    values += [np.vdot(kernel, target) / np.linalg.norm(kernel) / np.linalg.norm(target)]
    values += [np.trace(kernel) ** 2 / np.vdot(kernel, kernel) / (size - 1)]
    return dict(zip(FEATURES, map(float, values), strict=True))


def geometries(networks: Sequence[Network]) -> pd.DataFrame:
    """Return the geometry of the last hidden layer of each of these networks, as `load` returns
    them.

    The table has a row for each network: its settings, seed, step, and the numbers of
    `geometry_features`. Networks whose targets are not balanced variables of two values are left
    out.
    """
    rows = []
    for network in networks:
        targets = np.asarray(network.targets)
        try:
            codes = _codes(targets)
        except ValueError:
            continue
        distances = _distances(network.layers[-1], None)
        about = {name: network.about.get(name) for name in [*PROPERTIES, "seed", "step", "run"]}
        kind = dict(zip(KIND, codes.shape, strict=True))
        rows.append(kind | about | geometry_features(distances, targets))
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class LookedUp:
    """What the geometry of a representation says about the network.

    posterior: a row for each property and value, with its probability, its conformal p value, and
    whether it is in the 90 % set. nearest: the nearest networks. distance: to the nearest one.
    limit: the distance that 99 % of stored networks do not exceed, to the nearest of other seeds.
    only: properties that have one value in all networks of this kind, about which nothing is known.
    """

    posterior: pd.DataFrame
    nearest: pd.DataFrame
    distance: float
    limit: float
    only: dict[str, Any]

    @property
    def is_outside(self) -> bool:
        """Whether the geometry is farther from all stored networks than the limit."""
        return self.distance > self.limit

    def values(self, name: str) -> list[Any]:
        """Return the 90 % set of a property."""
        rows = self.posterior[self.posterior["property"] == name]
        return rows["value"][rows["in_set"]].tolist()

    def __repr__(self) -> str:
        near = f"distance to the nearest network {self.distance:.2f}, limit {self.limit:.2f}"
        lines = [f"The geometry is like that of stored networks ({near})."]
        if self.is_outside:
            lines = [f"The geometry does not tell: it is unlike all stored networks ({near})."]
        for name, rows in self.posterior.groupby("property", sort=False):
            held = rows[rows["in_set"]]
            if len(held) == len(rows):
                lines.append(f"{name}: the geometry does not tell")
            elif held.empty:
                lines.append(f"{name}: no stored value fits")
            else:
                each = zip(held["value"], held["probability"], strict=True)
                lines.append(f"{name}: " + ", ".join(f"{v} ({p:.2f})" for v, p in each))
        for name, value in self.only.items():
            lines.append(f"{name}: not known, all stored networks of this kind have {value}")
        return "\n".join(lines)


def look_up(
    samples: ArrayLike,
    labels: ArrayLike,
    conditions: ArrayLike | None = None,
    stored: pd.DataFrame | None = None,
) -> LookedUp:
    """Return the stored networks whose geometry is nearest, and what it says about settings.

    samples: (m, n), a row for each condition, a column for each unit. With `conditions`, (m,), rows
    are trials of these conditions, two or more of each, and distances are corrected for noise.
    labels: (m,) or (m, k), the values of k variables in each row, two values each. Half of the
    conditions have each value.
    stored: the table that `geometries` returns. None means the published one, which needs no store.
    It has networks with 4 conditions and one variable, which tell activation, separability and
    noise, and with 32 conditions and five variables, which tell activation, depth and rank.

    Raises ValueError for malformed input, and if no stored network has as many conditions and
    variables.

    Four conditions on a square, where the label is XOR:

    >>> square = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    >>> look_up(square, [1, 1, 0, 0]).only
    {'depth': 1}
    """
    x, y = as_matrix("samples", samples).astype(float), np.asarray(labels)
    if len(x) != len(y):
        raise ValueError(
            f"samples has shape {x.shape} and labels {y.shape}; expected a row for each label"
        )
    if conditions is None:
        of_conditions = y
    else:
        names, first, which = np.unique(
            np.asarray(conditions), return_index=True, return_inverse=True
        )
        if len(which) != len(x) or (y != y[first][which]).any():
            raise ValueError("expected a condition for each row, and one label for each condition")
        of_conditions = y[first]
        conditions = which
        if np.bincount(which).min() < 2:
            raise ValueError(f"found a condition with one trial among {len(names)}, expected two")
    codes = _codes(of_conditions)
    features = geometry_features(_distances(x, conditions), of_conditions)
    table = pd.read_parquet(PUBLISHED) if stored is None else stored
    group = table[(table[KIND].to_numpy() == codes.shape).all(axis=1)].reset_index(drop=True)
    if group.empty or group["seed"].nunique() < 2:
        there = table[KIND].drop_duplicates().itertuples(index=False)
        known = "; ".join(f"{p} conditions and {k} variables" for p, k in there)
        raise ValueError(
            f"found {codes.shape[0]} conditions and {codes.shape[1]} variables, expected {known};"
            " or give `stored=geometries(load(...))` of networks of your own, with several seeds"
        )
    return _answer(group, np.array([[features[name] for name in FEATURES]]))


def _codes(labels: ArrayLike) -> Floats:
    """Return labels as -1 and 1, (P, k). Raises ValueError if variables are not balanced."""
    y = np.asarray(labels)
    y = y[:, None] if y.ndim == 1 else y
    columns = [np.unique(column, return_inverse=True) for column in y.T]
    codes = np.column_stack([2.0 * inverse - 1 for _, inverse in columns])
    if any(len(values) != 2 for values, _ in columns) or codes.sum(axis=0).any() or len(y) < 4:
        raise ValueError(
            f"found {len(y)} conditions with the labels {y.T.tolist()};"
            " expected variables of two values, each of half of 4 conditions or more"
        )
    return codes


def _distances(samples: ArrayLike, conditions: ArrayLike | None) -> Floats:
    """Return squared distances of conditions, without the part that noise of the trials adds."""
    x = np.asarray(samples, float)
    noise = np.zeros(len(x))
    if conditions is not None:
        trials = [x[conditions == each] for each in np.unique(np.asarray(conditions))]
        noise = np.array([each.var(axis=0, ddof=1).sum() / len(each) for each in trials])
        x = np.array([each.mean(axis=0) for each in trials])
    squared = ((x[:, None] - x) ** 2).sum(axis=-1) - noise[:, None] - noise
    np.fill_diagonal(squared, 0)
    return np.asarray(squared, float)


class _References:
    """Networks that others are compared with."""

    def __init__(self, group: pd.DataFrame, names: list[str]):
        self.group, self.features = group, group[FEATURES].to_numpy(float)
        # The unit of distance is what another seed changes, since that is what tells nothing.
        settings = group.groupby([*names, "step"], dropna=False, sort=False)[FEATURES]
        within = self.features - settings.transform("mean").to_numpy(float)
        freedom = max(len(group) - settings.ngroups, 1)
        deviation = np.sqrt((within**2).sum(axis=0) / freedom)
        self.unit = np.where(deviation > 0, deviation, 1.0)

    def distances(self, features: Floats) -> Floats:
        """Return (m, networks)."""
        a, b = features / self.unit, self.features / self.unit
        squared = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
        return np.sqrt(np.maximum(squared, 0))

    def weights(self, distances: Floats) -> Floats:
        """Return (m, networks), from distances of this shape."""
        place = min(NEIGHBOURS, distances.shape[1]) - 1
        width = np.partition(distances, place, axis=1)[:, [place]]
        # The nearest has weight 1, so that far from all networks the sum is not 0.
        closest = distances.min(axis=1, keepdims=True)
        width = np.where(width > 0, width, 1.0)
        return np.exp((closest**2 - distances**2) / (2 * width**2))

    def posterior(self, weights: Floats, name: str, values: list[Any]) -> Floats:
        """Return (m, values): the share of each value in the weights of all networks."""
        has = (self.group[name].to_numpy()[:, None] == np.array(values)).astype(float)
        # Rounded, since p values would count the last bits of two probabilities of 1 as different.
        return np.round(weights @ has / weights.sum(axis=1, keepdims=True), 6)


class _Calibration:
    """What each stored network gets when it is looked up among networks of other seeds."""

    def __init__(self, group: pd.DataFrame):
        self.varied = [n for n in PROPERTIES if group[n].nunique() > 1]
        self.values = {name: sorted(group[name].dropna().unique()) for name in self.varied}
        self.references = _References(group, self.varied)
        self.scores: dict[tuple[str, Any], list[Floats]] = {}
        nearest = []
        for seed in group["seed"].unique():
            held, rest = group[group["seed"] == seed], group[group["seed"] != seed]
            others = _References(rest, self.varied)
            distances = others.distances(held[FEATURES].to_numpy(float))
            nearest.append(distances.min(axis=1))
            weights = others.weights(distances)
            for name in self.varied:
                found, truth = (
                    others.posterior(weights, name, self.values[name]),
                    held[name].to_numpy(),
                )
                for column, value in enumerate(self.values[name]):
                    own = found[truth == value, column]
                    self.scores.setdefault((name, value), []).append(np.sort(own))
        self.limit = float(np.quantile(np.concatenate(nearest), OUTSIDE))

    def p_values(self, found: Floats, name: str) -> Floats:
        """Return the conformal p values of posteriors, (m, values), the seed as the unit."""
        p = np.empty_like(found)
        for column, value in enumerate(self.values[name]):
            seeds = [each for each in self.scores[name, value] if len(each)]
            # For each seed, the part of its networks with this value that score no higher.
            parts = [np.searchsorted(s, found[:, column], "right") / len(s) for s in seeds]
            p[:, column] = (1 + np.sum(parts, axis=0)) / (len(seeds) + 1)
        return p

    def sets(self, features: Floats) -> Iterator[tuple[str, Floats, Floats, NDArray[np.bool_]]]:
        """Yield for each property: posterior, p values, and what is in the sets, (m, values). Sets
        of geometries that are outside hold all values."""
        distances = self.references.distances(features)
        outside = distances.min(axis=1, keepdims=True) > self.limit
        weights = self.references.weights(distances)
        for name in self.varied:
            found = self.references.posterior(weights, name, self.values[name])
            p = self.p_values(found, name)
            yield name, found, p, (p > 1 - LEVEL) | outside


def _answer(group: pd.DataFrame, features: Floats) -> LookedUp:
    calibration = _Calibration(group)
    rows = []
    for name, found, p, held in calibration.sets(features):
        for value, *of in zip(calibration.values[name], found[0], p[0], held[0], strict=True):
            rows.append([name, value, *of])
    distances = calibration.references.distances(features)[0]
    order = np.argsort(distances, kind="stable")[:SHOWN]
    shown = [*calibration.varied, "seed", "step", "run"]
    nearest = group.loc[order, shown].assign(distance=distances[order]).reset_index(drop=True)
    once = {name: group[name].dropna().unique() for name in PROPERTIES}
    return LookedUp(
        pd.DataFrame(rows, columns=["property", "value", "probability", "p", "in_set"]),
        nearest,
        float(distances.min()),
        calibration.limit,
        {name: of[0].item() if hasattr(of[0], "item") else of[0]
         for name, of in once.items() if len(of) == 1},
    )  # fmt: skip


def look_up_coverage(
    stored: pd.DataFrame | None = None, without: str | None = None
) -> pd.DataFrame:
    """Return how often the 90 % sets of `look_up` hold the truth, for networks that are held out.

    All networks of one seed are held out at a time: neither references nor calibration have them.
    without: a property, such as "noise_variance". Networks are then looked up in a table that lacks
    their value of it, too. Its own set can't hold the truth, and has no row.
    stored: as for `look_up`.

    The table has a row for each kind of network and property. coverage: the part of networks whose
    set holds the truth; lowest_seed and lowest_value: of the seed, and of the value, with the
    fewest. size: values in a set, on average, of `values`. all: the part of networks about which
    the geometry does not tell. outside: the part that is unlike all others.
    """
    table = pd.read_parquet(PUBLISHED) if stored is None else stored
    found = []
    for kind, group in table.groupby(KIND):
        names = [] if without is None else [without]
        if any(group[name].nunique() < 2 for name in names):
            continue
        for _, held in group.groupby(["seed", *names]):
            rest = group[group["seed"] != held["seed"].iloc[0]]
            for name in names:
                rest = rest[rest[name] != held[name].iloc[0]]
            calibration = _Calibration(rest.reset_index(drop=True))
            features = held[FEATURES].to_numpy(float)
            nearest = calibration.references.distances(features).min(axis=1)
            for name, _, _, inside in calibration.sets(features):
                if name == without:
                    continue
                values = np.array(calibration.values[name])
                truth = held[name].to_numpy()
                found.append(
                    pd.DataFrame(
                        {
                            **dict(zip(KIND, kind, strict=True)),
                            "property": name,
                            "values": len(values),
                            "truth": truth.astype(str),
                            "seed": held["seed"].to_numpy(),
                            "coverage": (inside & (values == truth[:, None])).any(axis=1),
                            "size": inside.sum(axis=1),
                            "all": inside.all(axis=1),
                            "outside": nearest > calibration.limit,
                        }
                    )
                )
    rows, keys = pd.concat(found), [*KIND, "property", "values"]
    groups = rows.groupby(keys, sort=False)
    result = groups[["coverage", "size", "all", "outside"]].mean()
    for column in ("seed", "truth"):
        lowest = rows.groupby([*keys, column])["coverage"].mean().groupby(keys).min()
        result[f"lowest_{'value' if column == 'truth' else column}"] = lowest
    result["networks"] = groups.size()
    return result.reset_index()
