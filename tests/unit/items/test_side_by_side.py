"""A network's result does not depend on what is trained next to it, nor on a pause."""

import numpy as np
import pytest
from item_networks import run_of, runs_of, spec

from repatlas.experiments.items import train as training
from repatlas.runs import Run

XOR = {"kind": "xor"}
FAST = {"rate": 0.02}
KINDS = {
    "relu": spec("relu", XOR | {"delta": 0.8}, FAST, width=20, sigma=1e-2),
    "tanh": spec("tanh", XOR | {"delta": 0.8}, FAST, width=33, sigma=0.5, initial="fan_in"),
    "wide relu": spec("relu", width=130, sigma=1e-2),
    "deep relu": spec("relu", {"contexts": 4}, width=37, depth=2, sigma=3e-2),
    "linear": spec("linear", width=41, sigma=1e-2),
    "gated": spec("gated", units=12, sigma=1e-2, context_sigma=2e-2),
    "joint": spec("gated", units=12, sigma=1e-2, context_sigma=2e-2, gradient="joint"),
    "float32": spec("relu", training={"precision": "float32"}, width=30, sigma=1e-2),
    "two layers": spec(
        "gated_deep",
        training={"precision": "float32"},
        width=33,
        common_units=12,
        sigma=0.01,
        common_from=30,
        contexts_from=250,
    ),
    "frozen": spec("frozen", width=20, sigma=1e-2, taken_at=50),
    "mean_field": spec("mean_field", units=100, sigma=1e-3, context_sigma=2e-3),
    "recruited": spec("recruited", units=30, sigma=1e-2, fitted_until=5),
    "race": spec("race"),
    "closed_form": spec("closed_form", {"blocks": "heterogeneous"}),
    "logistic": spec("logistic", pathways="none", units=700),
}
FITTED_OR_DEEP = "recruited", "two layers", "deep relu"
"""Kinds that take seconds."""
EVERY = pytest.mark.parametrize(
    "kind",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in FITTED_OR_DEEP)) for each in KINDS],
)


def other_networks(each):
    """Return networks with other initial weights, and with other targets if the shape allows."""
    values = each.model_dump(mode="json", exclude_defaults=True)
    sigma = values["network"].get("sigma", 1e-3)
    for factor in (0.3, 2.5, 1.7):
        task = values["task"]
        if task["kind"] == "xor":
            task = task | {"delta": task["delta"] * factor}
        yield type(each).model_validate(
            values | {"network": values["network"] | {"sigma": sigma * factor}, "task": task}
        )


def assert_same(one: Run, other: Run):
    assert one.parameters.keys() == other.parameters.keys()
    assert one.about["steps"] == other.about["steps"]
    for name, values in (one.parameters | one.state).items():
        found = (other.parameters | other.state)[name]
        assert values.dtype == found.dtype and values.tobytes() == found.tobytes(), name
    assert one.curves.keys() == other.curves.keys()
    for name, curve in one.curves.items():
        for values, found in zip(curve, other.curves[name], strict=True):
            assert values.dtype == found.dtype and values.tobytes() == found.tobytes(), name


@EVERY
def test_alone_or_among_others_a_network_has_the_same_bits(kind, monkeypatch):
    each = KINDS[kind]
    monkeypatch.setattr(training, "BLOCK_NUMBERS", 10**9)
    alone = run_of(each, [0, 100, 400])
    others = list(other_networks(each))
    among = runs_of([others[0], each, *others[1:]], [0, 100, 400])
    assert_same(alone, among[each.key])


@EVERY
def test_after_a_pause_training_goes_on_with_the_same_bits(kind, monkeypatch):
    each = KINDS[kind]
    whole = run_of(each, [0, 100, 400])
    begun = runs_of([each], [0, 100, 133])
    continued = runs_of([each], [0, 100, 400], begun=begun)
    assert_same(whole, continued[each.key])


def test_the_loss_at_an_epoch_is_that_of_the_weights_stored_there():
    each = KINDS["wide relu"]
    run = run_of(each, [0, 7, 400])
    x, y = each.task.draw()
    for place, step in enumerate([0, 7, 400]):
        first, second = (run.parameters[f"weights{n}"][place].astype(float) for n in (1, 2))
        loss = np.sum((second @ np.maximum(first @ x, 0) - y) ** 2) / 2
        assert run.curves["loss"].values[step] == pytest.approx(loss, rel=1e-6)


def test_weights_are_stored_where_the_loss_first_falls_below_a_level():
    each = KINDS["wide relu"]
    run = run_of(each, [0, 1500])
    losses, levels = run.curves["loss"].values, run.curves["level"]
    assert levels.values.tolist()[:2] == [0.5, 0.25]
    x, y = each.task.draw()
    scale = np.sum(y**2) / 2
    for place, (epoch, level) in enumerate(zip(*levels, strict=True)):
        assert losses[epoch] < level * scale <= losses[epoch - 1]
        first, second = (run.curves[f"level/weights{n}"].values[place] for n in (1, 2))
        loss = np.sum((second @ np.maximum(first.astype(float) @ x, 0) - y) ** 2) / 2
        assert loss == pytest.approx(losses[epoch], rel=1e-5)


def test_singular_values_every_twenty_epochs_are_those_of_the_maps():
    each = KINDS["gated"]
    run = run_of(each, [0, 40])
    found = run.curves["singular_values"]
    assert found.epochs.tolist() == [0, 20, 40]
    weights = {name: values[-1].astype(float) for name, values in run.parameters.items()}
    for number, matrix in enumerate(each.network.maps(each.task, weights).values()):
        expected = np.linalg.svd(matrix, compute_uv=False)
        assert found.values[-1, number] == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_a_network_that_diverges_says_when_and_leaves_its_neighbours_alone():
    wild = spec("relu", XOR | {"delta": 0.8}, {"rate": 5.0}, width=20, sigma=1.0)
    tame = spec("relu", XOR | {"delta": 0.8}, {"rate": 0.02}, width=20, sigma=1e-2)
    alone = run_of(tame, [0, 400])
    both = runs_of([wild, tame], [0, 400])
    losses = both[wild.key].curves["loss"].values
    assert both[wild.key].about["diverged_step"] == np.flatnonzero(~np.isfinite(losses))[0]
    assert both[tame.key].about["diverged_step"] is None
    assert_same(alone, both[tame.key])


def test_initial_weights_are_those_of_the_seed_whatever_sigma_and_activation():
    one = run_of(spec("relu", width=10, sigma=1e-3), [0], seed=5)
    other = run_of(spec("tanh", width=10, sigma=2e-3), [0], seed=5)
    third = run_of(spec("relu", width=10, sigma=1e-3), [0], seed=6)
    for name, values in one.state.items():
        assert 2 * values == pytest.approx(other.state[name], rel=1e-15)
        assert not np.array_equal(values, third.state[name])
