"""Noise ceilings of decoding and CCGP: the accuracy that the noise of single trials allows.

More trials make a decoder better, up to the best linear decoder. The accuracy of this decoder
follows from the distance of two conditions in units of the noise. Noise is assumed to be normal,
with the same covariance in all conditions, and independent between trials. The distance then has
an exact interval, also where it is 0.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry import NotConverged, balanced_ccgp, balanced_decoding
from repatlas.geometry.balanced import at_least
from repatlas.geometry.threads import on_one_thread
from repatlas.inference.intervals import LEVEL
from repatlas.own.annotated import columns_of, rows_of
from repatlas.own.arguments import as_measures
from repatlas.own.ceilings import refuse_few_units, typical_unit
from repatlas.own.labels import Variables, labelled
from repatlas.own.measure import measure
from repatlas.own.result import NAN, DataFrame, frame, reasons
from repatlas.own.trials import Drawn, Trials

Decoded = Literal["decoding", "ccgp"]
DECODED = ("decoding", "ccgp")
COLUMNS = ["measure", "about", "value", "low", "high", "chance", "halves", "n", "of", "how"]
COLUMNS += ["reason"]
UNIT_COLUMNS = [name for name in COLUMNS if name != "halves"]
BEST = "accuracy of the best linear decoder of each context, normal noise"
FARTHEST = 400.0
"""The largest squared distance: the best decoder is wrong in one of 10^23 trials."""


class _Noise(NamedTuple):
    """What trials say of their noise."""

    root: NDArray[np.float64]
    """(n, n): R, with R^T R the sum of the products of residuals"""
    freedom: int
    """Trials minus conditions"""


@on_one_thread
def decoding_ceiling_of_trials(
    samples: ArrayLike,
    labels: Any,
    variables: Variables = None,
    measures: Decoded | Sequence[Decoded] = DECODED,
    splits: int = 10,
    seed: int = 0,
) -> DataFrame:
    """Return the accuracy that no linear decoder of single trials exceeds on average.

    samples: (m, n), a row for each trial; labels, variables: as for `measure`, whose measures
    "decoding" and "ccgp" these are. Conditions with a single trial are left out.
    value: the accuracy of the best linear decoder of each context, Phi(D / 2), mean over the
    contexts and pairs of values. D is the distance of the true means of two conditions in units of
    the noise (Mahalanobis), and Phi the normal distribution function. A decoder of several contexts
    reaches it only if the best directions and boundaries are the same in all. So for ccgp, which
    tests a decoder in other contexts, it is the accuracy of perfect generalisation. A measured
    accuracy is lower, since its decoders are fitted to few trials; by chance it may be higher.
    low and high: the 95 % interval. D is estimated from T^2, the squared distance of the means of
    trials, whose distribution is a noncentral F (Hotelling). The value is the median-unbiased
    estimate. The interval is exact for one pair of conditions. For several the interval of each is
    wider (Bonferroni), so that the mean is held in more than 95 % of samples.
    docs/guide/your-data.md has simulations.
    halves: the accuracy of decoders that are fitted to half of the trials, mean over `splits`
    random halves. The ceiling is above it, except by chance.
    Trials must be independent. There is no ceiling for trials that share the noise of their run:
    their number does not tell how much is known of the noise.

    A ceiling is nan, with a reason, if there are fewer than n trials more than conditions, or if
    the noise of a feature is 0 or a combination of others. Raises ValueError for malformed input.

    Two conditions at a distance of 2, so that the best decoder is right in 84 % of trials.

    >>> side = np.tile(["left", "right"], 200)
    >>> rates = np.random.default_rng(0).standard_normal((400, 10))
    >>> rates[:, 0] += 2 * (side == "right")
    >>> found = decoding_ceiling_of_trials(rates, side, measures=["decoding"])
    >>> found[["value", "low", "high", "halves"]].round(2).values.tolist()
    [[0.85, 0.82, 0.88, 0.83]]
    """
    measures = as_measures(measures, DECODED)
    at_least("splits", splits, 1)
    given = labelled(rows_of(samples), columns_of(samples, "labels", labels), variables)
    scaled = _scaled(given.samples)
    every = Trials(scaled, given.names, given.values, given.levels, "trials", None, Drawn(1, seed))
    found: list[dict[str, Any]] = []
    try:
        seen, left_out = every.without_rare(2)
        noise, reason = _noise_of(seen)
    except ValueError as error:
        seen, left_out, noise, reason = every, "", None, str(error)
    for name in measures:
        for column, about in enumerate(seen.names):
            common = {"measure": name, "about": about, "chance": 0.5, "of": "rows"}
            row = {"value": NAN, "low": NAN, "high": NAN, "halves": NAN, "n": len(seen.samples)}
            row |= {"variant": "", "reason": reasons(reason, left_out)}
            try:
                contexts = seen.design.contexts(column, fewest=1 if name == "decoding" else 2)
                row["halves"] = _score_of_halves(name, seen, column, splits)
                if noise is not None:
                    value, low, high = _ceiling(seen, list(contexts.values()), noise)
                    row |= {"value": value, "low": low, "high": high, "variant": BEST}
            except (ValueError, NotConverged) as error:
                row["reason"] = reasons(str(error), left_out)
            found.append(common | row)
    return frame(found, COLUMNS)


def _scaled(samples: NDArray[Any]) -> NDArray[np.float64]:
    """Return samples minus their mean, with 1 as the largest value of each feature. Units and an
    offset change no ceiling, and constant features are left out."""
    centred = np.asarray(samples, dtype=np.float64) - samples.mean(axis=0, dtype=np.float64)
    largest = np.abs(centred).max(axis=0)
    kept = largest > 1e-12 * np.abs(samples).max(axis=0)
    if not kept.any():
        raise ValueError("samples has the same values in all rows; allowed are rows that differ.")
    part: NDArray[np.float64] = centred[:, kept] / largest[kept]
    return part


def _noise_of(seen: Trials) -> tuple[_Noise | None, str]:
    """Return the noise about the means of conditions, or None and the reason."""
    residuals = seen.samples - seen.means[seen.conditions]
    features, freedom = residuals.shape[1], len(residuals) - len(seen.counts)
    if freedom < features:
        return None, (
            f"{len(residuals)} trials of {len(seen.counts)} conditions tell the noise of at most "
            f"{freedom} features, and there are {features}: take fewer features, or more trials"
        )
    root = np.linalg.qr(residuals, mode="r")
    sizes = np.linalg.norm(root, axis=0)  # of the noise of each feature
    if not sizes.min() > 1e-9 * sqrt(len(residuals)):
        return None, "a feature has no noise, its trials are equal in each condition: leave it out"
    if np.linalg.svd(root / sizes, compute_uv=False).min() < 1e-7:
        return None, "the noise of a feature is a combination of others: leave it out"
    return _Noise(root, freedom), ""


def _score_of_halves(name: str, seen: Trials, column: int, splits: int) -> float:
    """Return the mean accuracy of decoders that are fitted to half of the trials."""
    seed = seen.drawn.seed
    if name == "decoding":
        options = {"folds": 2, "resamples": splits, "seed": seed}
        return balanced_decoding(seen.samples, seen.levels, column, **options).value
    scores = []
    for split in range(splits):
        order = np.random.default_rng([seed, split]).permutation(len(seen.conditions))
        order = order[np.argsort(seen.conditions[order], kind="stable")]
        ranks = np.arange(len(order)) - np.repeat(np.cumsum(seen.counts) - seen.counts, seen.counts)
        half = order[ranks < np.repeat(seen.counts, seen.counts) // 2]
        found = balanced_ccgp(seen.samples[half], seen.levels[half], column, resamples=1, seed=seed)
        scores.append(found.value)
    return float(np.mean(scores))


def _ceiling(
    seen: Trials, contexts: list[NDArray[np.intp]], noise: _Noise
) -> tuple[float, float, float]:
    """Return the mean accuracy over contexts and pairs of values, and the ends of its interval."""
    from scipy.linalg import solve_triangular  # here, since it takes long to import
    from scipy.special import ndtr

    counts, means = seen.design.counts, seen.means
    number = sum(map(len, contexts))
    outside = (1 - LEVEL) / (2 * number)
    ends = []
    for probability in (0.5, 1 - outside, outside):
        of_pairs = []
        for pairs in contexts:
            accuracies = []
            for one, other in pairs:
                apart = solve_triangular(noise.root, means[other] - means[one], trans="T")
                scale = 1 / counts[one] + 1 / counts[other]
                squared = _squared_distance(noise, float(apart @ apart), scale, probability)
                accuracies.append(float(ndtr(sqrt(squared) / 2)))
            of_pairs.append(np.mean(accuracies))
        ends.append(float(np.mean(of_pairs)))
    value, low, high = ends
    return value, low, high


def _squared_distance(noise: _Noise, apart: float, scale: float, probability: float) -> float:
    """Return the squared distance of two true means for which what was found, or less, has this
    probability; 0 if it has a smaller probability for any distance.

    apart: the squared distance of the means of trials, d^T (R^T R)^-1 d. With n features and f
    degrees of freedom, apart (f - n + 1) / (n scale) has a noncentral F distribution with n and
    f - n + 1 degrees of freedom. Its noncentrality is the squared distance / scale.
    """
    from scipy.optimize import brentq
    from scipy.special import ncfdtr

    features, freedom = len(noise.root), noise.freedom
    rest = freedom - features + 1
    statistic = apart * rest / (features * scale)

    def excess(squared: float) -> float:
        return float(ncfdtr(features, rest, squared / scale, statistic)) - probability

    if excess(0.0) <= 0:
        return 0.0
    end = 1.0
    while excess(end) > 0:
        if end >= FARTHEST:
            return FARTHEST
        end = min(4 * end, FARTHEST)
    return float(brentq(excess, 0.0, end, xtol=1e-9))


@on_one_thread
def decoding_ceiling_of_units(
    units: Mapping[str, tuple[ArrayLike, Any]],
    variables: Variables = None,
    measures: Decoded | Sequence[Decoded] = DECODED,
    folds: int = 5,
    resamples: int = 10,
    seed: int = 0,
) -> DataFrame:
    """Return the accuracy in a typical unit: an animal, a session or a network.

    units: a pair for each name, samples and labels as for `measure` with rows="trials". Each unit
    has its own trials and features.
    value: the median of "decoding" or "ccgp" over units. A model that codes as well as a typical
    unit reaches it. Its numbers of features and trials and its noise must be the same, since all
    of them change accuracies.
    The columns low and high have the exact 95 % interval of the median, for six units or more.
    n: the number of units. folds, resamples, seed: as for `measure`.
    If a unit has no accuracy, the value is nan, and the reason names the unit. Raises ValueError
    for fewer than three units, and as `measure`.

    >>> rng, animals = np.random.default_rng(0), {}
    >>> side = np.tile([0, 1], 30)
    >>> for number in range(6):
    ...     rates = rng.standard_normal((60, 8)) + np.outer(side, rng.standard_normal(8))
    ...     animals[f"animal {number}"] = rates, {"side": side}
    >>> found = decoding_ceiling_of_units(animals, measures=["decoding"])
    >>> found[["about", "value", "low", "high", "n"]].round(2).values.tolist()
    [['side', 0.89, 0.63, 0.98, 6]]
    """
    refuse_few_units(units, "pairs (samples, labels)")
    measures = as_measures(measures, DECODED)
    tables = {}
    for name, pair in units.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ValueError(
                f"units[{name!r}] is {type(pair).__name__}; allowed is a pair (samples, labels)."
            )
        options: dict[str, Any] = {"folds": folds, "resamples": resamples, "seed": seed}
        found = measure(*pair, "trials", variables, measures, draws=1, **options)
        tables[name] = found.set_index(["measure", "about"])
    first, *others = tables.items()
    for name, table in others:
        if set(table.index) != set(first[1].index):
            raise ValueError(
                f"units[{name!r}] has other variables than units[{first[0]!r}]; allowed are the "
                f"same in all: variables chooses them."
            )
    rows: list[dict[str, Any]] = []
    for of in first[1].index:
        values = np.array([table["value"][of] for table in tables.values()], dtype=float)
        common = {"measure": of[0], "about": of[1], "chance": 0.5, "n": len(units), "of": "units"}
        lacking = (
            f"{name}: {table['reason'][of]}"
            for name, table in tables.items()
            if np.isnan(table["value"][of])
        )
        missing = next(lacking, "")
        how = "" if missing else f"median over units, {first[1]['how'][of]}"
        rows.append(common | typical_unit(values, missing) | {"variant": how})
    return frame(rows, UNIT_COLUMNS)
