"""Predict stored networks from theories, before they are looked at, and print what came of it.

python docs/theories/theories.py STRUCTURE GATING CONVERGENCE OUT.parquet       writes the matrix

The first three are folders of results with finished runs of these studies. Nothing is trained.
docs/studies/theories.md has the limits, and the verdicts expected before any number was computed.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.runs import curves_of, run_arrays
from repatlas.atlas import Network, load
from repatlas.dynamics import xor
from repatlas.dynamics.correlations import modes
from repatlas.dynamics.lazy import lazy_activity, lazy_learning, tangent_kernel
from repatlas.dynamics.logistic import logistic, time_constant
from repatlas.experiments.clusters.training import batches
from repatlas.geometry import alignment_of_kernels, centred_kernel
from repatlas.inference.intervals import median_interval
from repatlas.networks.activation import activation as activation_of

LIMIT = 0.1
"""A theory holds if the interval of its error ends below it, and fails if it begins above it."""
SEEDS = list(range(10))
EPOCHS = 400
"""Losses of full-batch networks are compared at about this number of epochs, evenly spaced."""
LEARNED = 0.05
"""Losses are compared until twice the epoch at which the loss is below this part of the first."""
DELTAS = [0.0, 0.5, 0.7, 0.8, 1.0, 1.4, 2.0, 2.5]

CLUSTERS: dict[str, tuple[int, dict[str, Any]]] = {
    f"{name} {activation}": (folder, {"activation": activation, "seed": SEEDS} | chosen)
    for name, folder, chosen in (
        ("clusters", 0, {"task": "separable", "hidden_bias": "none", "width": 120, "delta": 0.5}),
        ("common clusters", 2, {"task": "common_separable", "delta": 0.5}),
    )
    for activation in ("tanh", "relu")
}
CONTEXTS = {
    "task": "contexts",
    "blocks": "homogeneous",
    "contexts": 3,
    "width": 700,
    "depth": 1,
    "seed": SEEDS,
}
SMALL = 0.005 / 700
ITEMS: dict[str, dict[str, Any]] = {
    "contexts linear": CONTEXTS | {"network": "linear"},
    "contexts relu": CONTEXTS | {"network": "relu", "sigma": SMALL},
    "contexts relu, large start": CONTEXTS | {"network": "relu", "sigma": 1.0, "initial": "fan_in"},
    "contexts tanh": CONTEXTS | {"network": "tanh", "sigma": 0.1},
    "contexts tanh, large start": CONTEXTS | {"network": "tanh", "sigma": 1.0},
    "xor relu": {"task": "xor", "network": "relu", "sigma": 1e-4, "delta": DELTAS, "seed": SEEDS},
    "xor tanh": {"task": "xor", "network": "tanh", "sigma": 1.0, "delta": DELTAS, "seed": SEEDS},
}
THEORIES = ("lazy kernel", "kernel of the start", "gradient field", "closed form", "free features")


class Curves(NamedTuple):
    """Losses at some epochs, as parts of the first, and target alignment at checkpoints. A theory
    has nan where it predicts nothing."""

    losses: np.ndarray
    alignment: np.ndarray


class Found(NamedTuple):
    """A network, and what theories predict of it."""

    epochs: np.ndarray
    """The epochs of the losses"""
    actual: Curves
    predicted: dict[str, Curves]


def alignment(hidden: np.ndarray, targets: np.ndarray) -> float:
    """Return target alignment of (N, H) activity; 0 where the activity is constant, and infinity
    where it diverged, so that the error of such a prediction is infinite."""
    if not np.isfinite(hidden).all():
        return np.inf
    if not hidden.size:
        return 0.0
    kernel = centred_kernel(hidden)
    return alignment_of_kernels(kernel, centred_kernel(targets)) if kernel.any() else 0.0


def at_the_end(value: float, checkpoints: int) -> np.ndarray:
    """Return a prediction for the last checkpoint alone."""
    return np.append(np.full(checkpoints - 1, np.nan), value)


def free_features(targets: np.ndarray) -> float:
    """Return the alignment that free features of least norm have with the targets, (N, n_out).

    Balanced features of squared errors have the kernel (Y^T Y)^(1/2).
    """
    values, vectors = np.linalg.eigh(targets @ targets.T)
    half = vectors * np.sqrt(np.sqrt(np.maximum(values, 0)))
    return alignment(half, targets)


def predict_items(start: Network, rest: list[Network], closed: dict[str, Network]) -> Found:
    """Return what a network on a few items does after its start, and what theories predict."""
    first, about = start.representation, start.about
    steps = np.array([each.about["step"] for each in rest])
    loss = _loss(start)
    low = np.flatnonzero(loss.values < LEARNED * loss.values[0])
    last = min(2 * loss.epochs[low[0]] if len(low) else steps[-1], steps[-1])
    chosen = np.unique(np.linspace(0, np.sum(loss.epochs <= last) - 1, EPOCHS).astype(int))
    epochs, targets = loss.epochs[chosen], first.targets
    actual = Curves(
        loss.values[chosen] / loss.values[0],
        np.array([alignment(each.layers[-1], targets) for each in rest]),
    )

    w, v = first.parameters["weights1"], first.parameters["weights2"]
    x, y = first.inputs.T, targets.T
    h, g = _activate(w @ x, about["network"])
    rate = first.spec.training.rate
    kernel = tangent_kernel(x, h, g, v)
    both = np.concatenate([epochs, steps])
    lazy = lazy_learning(kernel, v @ h, y, rate, both)
    of_lazy = [
        alignment(lazy_activity(x, h, g, v, errors).T, targets)
        for errors in lazy.errors[len(epochs) :]
    ]
    fixed = _readout_alone(h, v, y, rate, epochs)
    zero = loss.values[0]
    predicted = {
        "lazy kernel": Curves(_diverged(lazy.losses[: len(epochs)] / zero), np.array(of_lazy)),
        "kernel of the start": Curves(
            _diverged(fixed / zero), np.full(len(rest), alignment(h.T, targets))
        ),
        "gradient field": Curves(
            np.full(len(epochs), np.nan), _field_of_items(first, about["network"], rate, steps)
        ),
        "closed form": _closed(about, first, closed, epochs, steps, rate),
        "free features": Curves(
            np.full(len(epochs), np.nan), at_the_end(free_features(targets), len(rest))
        ),
    }
    return Found(epochs, actual, predicted)


def _readout_alone(
    h: np.ndarray, v: np.ndarray, y: np.ndarray, rate: float, epochs: np.ndarray
) -> np.ndarray:
    """Return losses if the readout alone is trained. Its kernel is the same for each output."""
    values, vectors = np.linalg.eigh(h.T @ h)
    start = (v @ h - y) @ vectors
    left = (1 - rate * np.maximum(values, 0)) ** (2 * epochs[:, None])
    return left @ (start**2).sum(axis=0) / 2


def _diverged(losses: np.ndarray) -> np.ndarray:
    """Return losses, with infinity instead of nan."""
    return np.where(np.isnan(losses), np.inf, losses)


def _loss(network: Network) -> Any:
    arrays = run_arrays(Arrays(Path(network.about["path"]), "runs"), network.about["run"])
    return curves_of(arrays)["loss"]


def _activate(u: np.ndarray, network: str) -> tuple[np.ndarray, np.ndarray]:
    function = activation_of("identity" if network == "linear" else network)
    return np.asarray(function.value(u)), np.asarray(function.slope(u)) * np.ones_like(u)


def _field_of_items(first: Any, network: str, rate: float, steps: np.ndarray) -> np.ndarray:
    """Return alignment if each unit follows the gradient field of its start: errors and readout
    stay as they are there."""
    w, v = first.parameters["weights1"].copy(), first.parameters["weights2"]
    x = first.inputs.T
    drive = rate * v.T @ (first.outputs - first.targets).T
    found = []
    for epoch in range(int(steps[-1]) + 1):
        h, g = _activate(w @ x, network)
        if epoch in steps:
            found.append(alignment(h.T, first.targets))
        w -= (drive * g) @ x.T
    return np.array(found)


def _closed(
    about: dict[str, Any],
    first: Any,
    closed: dict[str, Network],
    epochs: np.ndarray,
    steps: np.ndarray,
    rate: float,
) -> Curves:
    """Return the closed form.

    For XoR and ReLU it is of two or four pathways. For contexts and ReLU it is the stored race of
    pathways. In all other cases it has the modes of a linear network.
    """
    x, y = first.inputs.T, first.targets.T
    w, v = first.parameters["weights1"], first.parameters["weights2"]
    zero = (first.outputs - first.targets).ravel() @ (first.outputs - first.targets).ravel() / 2
    if about["network"] == "relu" and about["task"] == "xor":
        delta = about["delta"]
        number = 4 if delta < xor.CROSSING else 2
        directions = x.T / np.linalg.norm(x, axis=0)[:, None]
        signs = y[0]
        if number == 2:
            directions, signs = np.array([[0, 0, 1.0], [0, 0, -1.0]]), np.array([1.0, -1.0])
        along = (w @ directions.T + v.T * signs) / 2  # (H, P)
        own = np.maximum(along.max(axis=1), 0)
        start = (own**2).sum() / number
        losses = xor.loss_curve(epochs, delta, number, start, rate) / zero
        return Curves(losses, at_the_end(xor.target_alignment(number), len(steps)))
    if about["network"] == "relu":
        if about["sigma"] != SMALL:
            return Curves(np.full(len(epochs), np.nan), np.full(len(steps), np.nan))
        curve = _loss(closed[about["blocks"]])
        losses = np.interp(epochs, curve.epochs, curve.values) / curve.values[0]
        return Curves(losses, np.full(len(steps), np.nan))
    found = modes(x, y)
    start = (((w @ found.right.T + v.T @ found.left.T) / 2) ** 2).sum(axis=0)
    tau = time_constant(rate, x.shape[1])
    along = found.right @ x

    def strengths(t: np.ndarray) -> np.ndarray:
        return logistic(t[:, None], found.s, found.d, start, tau)

    outputs = np.einsum("ta,oa,an->ton", strengths(epochs), found.left.T, along)
    losses = ((outputs - y) ** 2).sum(axis=(1, 2)) / 2
    hidden = [along.T * np.sqrt(each) for each in strengths(steps)]
    return Curves(losses / zero, np.array([alignment(each, first.targets) for each in hidden]))


def predict_clusters(start: Network, rest: list[Network]) -> Found:
    """Return what a network on clusters does after its start, and what theories predict. They see
    the same batches as the network."""
    first, steps = start.representation, [each.about["step"] for each in rest]
    zero = dict(_named(first))["loss"]
    losses = np.array([dict(_named(each.representation))["loss"] for each in rest]) / zero
    targets, count = first.targets, len(rest)
    actual = Curves(losses, np.array([alignment(each.layers[-1], targets) for each in rest]))
    none = np.full(count, np.nan)
    predicted = {
        "lazy kernel": _descend(start, steps, zero, lazy=True),
        "kernel of the start": Curves(none, np.full(count, alignment(start.layers[-1], targets))),
        "gradient field": _descend(start, steps, zero, lazy=False),
        "closed form": Curves(none, none),
        "free features": Curves(none, at_the_end(free_features(targets), count)),
    }
    return Found(np.array(steps), actual, predicted)


def _named(seen: Any) -> Iterator[tuple[str, float]]:
    return ((name, value) for name, _, value in seen.training_scores())


def _descend(start: Network, steps: list[int], zero: float, lazy: bool) -> Curves:
    """Return losses and alignment of a network that is linear in its weights; or alignment if each
    unit follows the gradient field with errors of 1/2 - y, whatever the outputs."""
    seen, about = start.representation, start.about
    spec, function = seen.spec, activation_of(about["activation"])
    noise = float(np.sqrt(spec.task.noise_variance))
    inputs = seen._inputs.around(spec.task, "training", noise)
    labels = seen.targets[seen._inputs.samples.training.conditions][:, 0]
    weights, centres, readout = seen.parameters["weights1"], seen.inputs, seen.parameters["readout"]
    bias = spec.network.hidden_bias == "trained"
    if bias:
        inputs, centres = (np.c_[each, np.ones(len(each))] for each in (inputs, centres))
        weights = np.c_[weights, seen.parameters["bias1"]]
    inputs, labels, j = np.float32(inputs), np.float32(labels), np.float32(readout[0])
    w0 = np.float32(weights)
    u0 = inputs @ w0.T
    h0, g0 = function.value(u0), np.float32(function.slope(u0))
    f0 = h0 @ j
    w, losses, aligned = w0.copy(), [], []
    c0 = np.asarray(centres) @ weights.T
    rate = spec.training.learning_rate
    for step, batch in enumerate([*batches(about["seed"], spec.training, max(steps)), None]):
        if step in steps:
            change = np.asarray(centres) @ (w - w0).T
            hidden = function.value(c0) + function.slope(c0) * change
            hidden = hidden if lazy else function.value(c0 + change)
            aligned.append(alignment(hidden, seen.targets))
            outputs = f0 + (g0 * (inputs @ (w - w0).T)) @ j
            loss = np.mean(np.logaddexp(0, outputs) - labels * outputs)
            losses.append(loss / zero if lazy else np.nan)
        if batch is None:
            break
        x = inputs[batch]
        if lazy:
            g = g0[batch]
            errors = 1 / (1 + np.exp(-(f0[batch] + (g * (x @ (w - w0).T)) @ j))) - labels[batch]
        else:
            g, errors = np.float32(function.slope(x @ w.T)), 0.5 - labels[batch]
        w -= np.float32(rate / len(batch)) * ((errors[:, None] * j * g).T @ x)
    return Curves(np.array(losses), np.array(aligned))


def networks_of(folder: str, chosen: dict[str, Any]) -> Iterator[tuple[Network, list[Network]]]:
    """Yield the start of each network, and the network at all later checkpoints. Networks that
    diverged are left out."""
    table: dict[tuple, dict[int, Network]] = {}
    for each in load(folder, **chosen):
        key = each.about["run"], each.about["seed"]
        table.setdefault(key, {})[each.about["step"]] = each
    for steps in table.values():
        finite = all(each.representation.finite for each in steps.values())
        if len(steps) > 1 and 0 in steps and finite:
            first, *rest = sorted(steps)
            yield steps[first], [steps[step] for step in rest]


def errors_of(family: str, found: dict[tuple, Found]) -> Iterator[dict[str, Any]]:
    """Yield a row for each network: the error of each theory, and of the mean of all other seeds
    with the same settings."""
    for (run, seed), (epochs, actual, predicted) in found.items():
        others = [each for (r, s), each in found.items() if r == run and s != seed]
        means = Curves(
            np.mean([np.interp(epochs, o.epochs, o.actual.losses) for o in others], axis=0),
            np.mean([o.actual.alignment for o in others], axis=0),
        )
        for quantity in Curves._fields:
            value = getattr(actual, quantity)
            row = {"family": family, "quantity": quantity, "run": run, "seed": seed}
            seeds = np.mean(np.abs(value - getattr(means, quantity)))
            for theory in THEORIES:
                difference = np.abs(getattr(predicted[theory], quantity) - value)
                error = np.nan if np.isnan(difference).all() else np.nanmean(difference)
                yield row | {"theory": theory, "error": error, "of_seeds": seeds}


def matrix(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each theory, family and quantity. Networks of one seed share their random
    numbers, so each seed has one value: the mean over its settings."""
    by = ["quantity", "theory", "family"]
    each = rows.groupby([*by, "seed"], sort=False)[["error", "of_seeds"]].mean().reset_index()
    found = []
    for key, group in each.groupby(by, sort=False):
        value = median_interval(group["error"].to_numpy())
        seeds = median_interval(group["of_seeds"].to_numpy())
        cell = dict(zip(by, key, strict=True)) | value._asdict() | {"of_seeds": seeds.value}
        found.append(cell | {"n": len(group), "verdict": verdict(value.low, value.high)})
    return pd.DataFrame(found)


def verdict(low: float, high: float) -> str:
    """Return what the interval of an error says of a theory."""
    if np.isnan(low) or np.isnan(high):
        return "does not apply"
    if high <= LIMIT:
        return "holds"
    return "fails" if low > LIMIT else "open"


def main(structure: str, gating: str, convergence: str, out: str) -> None:
    rows: list[dict[str, Any]] = []
    for family, (place, chosen) in CLUSTERS.items():
        folder = (structure, gating, convergence)[place]
        found = {
            (start.about["run"], start.about["seed"]): predict_clusters(start, rest)
            for start, rest in networks_of(folder, chosen)
        }
        rows += errors_of(family, found)
        print(family, len(found), flush=True)
    closed = {
        each.about["blocks"]: each
        for each in load(gating, network="closed_form", constants="derived", contexts=3, step=0)
    }
    for family, chosen in ITEMS.items():
        found = {
            (start.about["run"], start.about["seed"]): predict_items(start, rest, closed)
            for start, rest in networks_of(gating, chosen)
        }
        rows += errors_of(family, found)
        print(family, len(found), flush=True)
        pd.DataFrame(rows).to_parquet(out)
    table = pd.DataFrame(rows)
    print(matrix(table).round(3).to_string(index=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
