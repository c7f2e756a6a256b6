"""How well units of one representation are predicted from units of another, and from how many.

Predictions are fitted on some items and scored on other, held-out items. On fitted items any layer
with enough units predicts all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repatlas.geometry.patterns import as_matrix, refuse_other_items
from repatlas.similarity.lasso import lasso
from repatlas.similarity.units import Units

PENALTIES = (0.0, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0)
"""Penalties from least squares to that at which no correlation is large enough for a weight."""
RCOND = 1e-8
"""Least squares leaves out directions of the predictors below this share of the largest one."""
NONZERO = 1e-3
"""A weight that is larger counts as one, where units have a standard deviation of 1."""
OF_THE_MEAN = 0.5
"""The loss, half a mean square, of predicting the mean of units of standard deviation 1."""
ALLOWED = 0.1
"""The part of what least squares explains that a code may lose."""
FEW = 0.25
"""The part of all predictors that a slightly distributed code may use."""

HeldOut = tuple[ArrayLike, ArrayLike]
CodeClass = Literal["local", "slightly distributed", "fully distributed", "unpredicted", "dead"]


class SparsePrediction(NamedTuple):
    """What sparse_prediction finds, for p penalties, h1 predictors and h2 targets.

    penalties: (p,), as given; weights: (p, h1, h2), between units of standard deviation 1;
    training, held_out: (p, h2), the loss of each target, half its mean squared error over the
    fitted and over the held-out items; nonzeros: (p, h2), how many weights are above 0.001 in size;
    partners: (h2,), the predictor with the largest correlation in size; one_to_one: (h2,), the
    held-out loss of the prediction from this one alone; dead_predictors: (h1,) and dead_targets:
    (h2,), which units are the same for all fitted items. A dead target has the losses nan, no
    weights, and the partner -1.

    >>> x = np.random.default_rng(0).standard_normal((90, 2))
    >>> found = sparse_prediction(x[:60], x[:60], (x[60:], x[60:]), penalties=[0.2])
    >>> isinstance(found, SparsePrediction), found.partners, found.dead_targets
    (True, array([0, 1]), array([False, False]))
    """

    penalties: NDArray[np.float64]
    weights: NDArray[np.float64]
    training: NDArray[np.float64]
    held_out: NDArray[np.float64]
    nonzeros: NDArray[np.intp]
    partners: NDArray[np.intp]
    one_to_one: NDArray[np.float64]
    dead_predictors: NDArray[np.bool_]
    dead_targets: NDArray[np.bool_]


class CodeClasses(NamedTuple):
    """What code_classes finds.

    units: (h2,), the class of each target; predictors: (h2,), how many predictors it needs, nan for
    "unpredicted" and "dead"; layer: the class of all living targets together; layer_predictors: how
    many they need on average.

    >>> x = np.random.default_rng(0).standard_normal((90, 2))
    >>> found = code_classes(sparse_prediction(x[:60], x[:60], (x[60:], x[60:])))
    >>> isinstance(found, CodeClasses), found.units.tolist(), found.layer
    (True, ['local', 'local'], 'local')
    """

    units: NDArray[np.str_]
    predictors: NDArray[np.float64]
    layer: CodeClass
    layer_predictors: float


def sparse_prediction(
    x: ArrayLike, y: ArrayLike, held_out: HeldOut, penalties: Sequence[float] = PENALTIES
) -> SparsePrediction:
    """Predict each unit of y from the units of x by a lasso, for several penalties.

        1 / (2m) sum_t (y_tj - sum_i x_ti w_ij)^2 + penalty sum_i |w_ij|,   for each target j

    x: (m, h1) and y: (m, h2), the items to fit on; held_out: a pair of (m', h1) and (m', h2), the
    items to score on. All units are z-scored by mean and standard deviation over the items to fit
    on. Then a loss, half a mean squared error, is 0.5 for a prediction of the mean and
    (1 - r^2) / 2 for one from a unit of correlation r, on the fitted items. The training loss rises
    with the penalty; from 1 on no weight is left. Penalty 0 is least squares, without directions of
    x below 1e-8 of its largest.
    Fits are exact (lasso.py). The losses have no unit: shifts and factors of units, and their
    order, don't change them. x and y are not exchangeable: report both directions.
    Raises ValueError for different numbers of items or units; for penalties that are not finite
    numbers, 0 or above; and for a penalty 0 with more predictors than items.
    (Li et al. 2016, section 3.3.)

    Each target is the sum of two predictors and noise: 0.5 is more than half of each correlation.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((600, 6))
    >>> y = x[:, :4] + x[:, 2:] + 0.1 * rng.standard_normal((600, 4))
    >>> found = sparse_prediction(x[:400], y[:400], (x[400:], y[400:]), penalties=[0, 0.1, 0.5, 1])
    >>> found.nonzeros[1:]
    array([[2, 2, 2, 2],
           [2, 2, 2, 2],
           [0, 0, 0, 0]])
    >>> found.held_out.mean(axis=1).round(2)
    array([0.  , 0.01, 0.3 , 0.56])
    """
    units_x, units_y, test_x, test_y = _split(x, y, held_out)
    grid = np.asarray(penalties, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not (np.isfinite(grid) & (grid >= 0)).all():
        raise ValueError(f"penalties is {penalties!r}; allowed are finite numbers, 0 or above.")
    gram, products = units_x.correlations(units_x), units_x.correlations(units_y)
    weights = np.zeros((len(grid), *products.shape))
    found = np.zeros_like(products)
    for place in np.argsort(-grid, kind="stable"):
        if grid[place] > 0:
            found = lasso(gram, products, grid[place], start=found)
        else:
            found = _least_squares(units_x, units_y)
        weights[place] = found

    living = ~units_y.dead
    explained = 2 * weights * products - weights * (gram @ weights)
    partners = np.abs(products).argmax(axis=0)
    coefficients = np.take_along_axis(products, partners[None], axis=0)
    return SparsePrediction(
        penalties=grid,
        weights=weights,
        training=_where(living, np.maximum(1 - explained.sum(axis=1), 0) / 2),
        held_out=_where(living, np.array([_loss(test_x @ w, test_y) for w in weights])),
        nonzeros=np.count_nonzero(np.abs(weights) > NONZERO, axis=1),
        partners=np.where(living, partners, -1),
        one_to_one=_where(living, _loss(test_x[:, partners] * coefficients, test_y)),
        dead_predictors=units_x.dead,
        dead_targets=units_y.dead,
    )


def code_classes(prediction: SparsePrediction) -> CodeClasses:
    """Return the code class of a unit: from how many units of the other representation it is
    predicted.

    prediction: of sparse_prediction, with the penalty 0 among its penalties. L0 is the held-out
    loss of least squares, and L1 the held-out loss of the one-to-one prediction. A loss is good
    enough if it is at most L0 + 0.1 (0.5 - L0): nine tenths of what least squares explains. The
    number k is the number of weights above 0.001 in size at the largest penalty whose held-out loss
    is good enough.

    "local": L1 is good enough; "slightly distributed": k is at most a quarter of the living
    predictors; "fully distributed": otherwise. "unpredicted": L0 is 0.5 or more, so that least
    squares explains nothing that could be shared out; more items to fit on may change that.
    "dead": the unit is the same for all fitted items.
    The class of the layer is computed from the means of losses and numbers over the living targets;
    it is "dead" if there are none. Li et al. 2016, section 3.3, define the words; the thresholds
    are our choice.
    Raises ValueError for a prediction without the penalty 0.

    The first target is a predictor, the second the sum of three of twelve, the third the sum of
    all.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((900, 12))
    >>> y = np.column_stack([x[:, 0], x[:, :3].sum(axis=1), x.sum(axis=1)])
    >>> found = code_classes(sparse_prediction(x[:600], y[:600], (x[600:], y[600:])))
    >>> found.units.tolist()
    ['local', 'slightly distributed', 'fully distributed']
    >>> found.predictors, found.layer
    (array([ 1.,  3., 12.]), 'fully distributed')
    """
    if 0 not in prediction.penalties:
        raise ValueError(
            f"prediction has the penalties {prediction.penalties.tolist()}; code classes need 0, "
            f"least squares, among them."
        )
    living = ~prediction.dead_targets
    predictors = np.count_nonzero(~prediction.dead_predictors)

    def of(
        losses: NDArray[np.float64], nonzeros: NDArray[np.float64], one_to_one: float
    ) -> tuple[CodeClass, float]:
        """Return the class, from the losses and numbers of weights at each penalty, (p,)."""
        dense = losses[np.argmin(prediction.penalties)]
        if np.isnan(dense):
            return "dead", float("nan")
        if dense >= OF_THE_MEAN:
            return "unpredicted", float("nan")
        enough = dense + ALLOWED * (OF_THE_MEAN - dense)
        sparsest = np.where(losses <= enough, prediction.penalties, -1).argmax()
        k = float(nonzeros[sparsest])
        if one_to_one <= enough:
            return "local", k
        return "slightly distributed" if k <= FEW * predictors else "fully distributed", k

    by_unit = [
        of(losses, nonzeros, one_to_one)
        for losses, nonzeros, one_to_one in zip(
            prediction.held_out.T,
            prediction.nonzeros.T.astype(np.float64),
            prediction.one_to_one,
            strict=True,
        )
    ]
    layer: tuple[CodeClass, float] = "dead", float("nan")
    if living.any():
        layer = of(
            prediction.held_out[:, living].mean(axis=1),
            prediction.nonzeros[:, living].mean(axis=1),
            float(prediction.one_to_one[living].mean()),
        )
    return CodeClasses(
        np.array([name for name, _ in by_unit]), np.array([k for _, k in by_unit]), *layer
    )


def multiple_correlations(x: ArrayLike, y: ArrayLike, held_out: HeldOut) -> NDArray[np.float64]:
    """Return the correlation of each unit of y with its least-squares prediction from x, (h2,).

    x: (m, h1) and y: (m, h2), the items to fit on; held_out: a pair of (m', h1) and (m', h2), the
    items over which the correlation is taken. On fitted items it would be the canonical correlation
    of x and this unit, and near 1 for any wide layer. On other items it is from -1 to 1, and about
    0 for an unrelated unit. Shifts, factors and the order of units don't change it, nor do
    invertible affine maps of x. Directions of x below 1e-8 of its largest are left out.
    nan for a unit that is the same for all fitted items, or for all held-out ones; 0 where the
    prediction is the same for all.
    Raises ValueError for different numbers of items or units, and for more features in x than
    items, since these fit anything.
    (Of logits and layers: Raghu et al. 2017, section 4.3.)

    The first unit is half signal, half noise.

    >>> rng = np.random.default_rng(1)
    >>> x, noise = rng.standard_normal((2000, 3)), rng.standard_normal((2000, 2))
    >>> y = noise + np.column_stack([x[:, 0], 0 * x[:, 0]])
    >>> multiple_correlations(x[:1000], y[:1000], (x[1000:], y[1000:])).round(2)
    array([0.69, 0.01])
    """
    units_x, units_y, test_x, test_y = _split(x, y, held_out)
    predicted = Units("prediction", test_x @ _least_squares(units_x, units_y))
    observed = Units("held_out y", test_y)  # where y is dead on fitted items, all zero
    products = predicted.z_scores(predicted.centred.patterns) * observed.z_scores(test_y)
    return _where(~observed.dead, products.mean(axis=0).clip(-1, 1))


def _split(
    x: ArrayLike, y: ArrayLike, held_out: HeldOut
) -> tuple[Units, Units, NDArray[np.float64], NDArray[np.float64]]:
    """Return the units on the items to fit on, and the z-scores of the held-out items."""
    if not isinstance(held_out, tuple | list) or len(held_out) != 2:
        raise ValueError(
            f"held_out is {type(held_out).__name__}; allowed is a pair (x, y) of other items, such "
            f"as held_out=(x[m:], y[m:])."
        )
    fitted = Units("x", x), Units("y", y)
    refuse_other_items("x", fitted[0].centred.patterns, "y", fitted[1].centred.patterns)
    others = as_matrix("held_out x", held_out[0]), as_matrix("held_out y", held_out[1])
    refuse_other_items("held_out x", others[0], "held_out y", others[1])
    for name, units, other in zip("xy", fitted, others, strict=True):
        if len(units.dead) != other.shape[1]:
            raise ValueError(
                f"{name} has {len(units.dead)} features and held_out {name} has {other.shape[1]}; "
                f"both must have the same."
            )
    return *fitted, fitted[0].z_scores(others[0]), fitted[1].z_scores(others[1])


def _least_squares(units_x: Units, units_y: Units) -> NDArray[np.float64]:
    x, y = units_x.centred.patterns, units_y.centred.patterns
    if x.shape[1] > len(x):
        raise ValueError(
            f"x has shape {x.shape}, items x features: least squares fits anything from more "
            f"features than items. Transpose arrays of features x items; use more items, or pool "
            f"features over positions; or use sparse_prediction with penalties above 0."
        )
    weights, *_ = np.linalg.lstsq(units_x.z_scores(x), units_y.z_scores(y), rcond=RCOND)
    return np.where(units_x.dead[:, None], 0.0, weights)


def _loss(predicted: NDArray[np.float64], observed: NDArray[np.float64]) -> NDArray[np.float64]:
    loss: NDArray[np.float64] = np.mean((observed - predicted) ** 2, axis=0) / 2
    return loss


def _where(living: NDArray[np.bool_], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(living, values, np.nan)
