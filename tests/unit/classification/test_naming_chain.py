"""Networks that name digits, through the stages: they learn, go on, and are measured."""

import numpy as np
import pandas as pd
import pytest
from naming import STEPS, sweep
from selections import some
from stages import make_metrics, make_runs

GROUP = "structure/sweep0/seeds-0"
RUN = ["accuracy", "loss", "learning_curves", "saved_gradients", "to_the_end", "variates"]
MEASURES = [*RUN, "class_correlations", "collapse"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_perceptrons_of_two_seeds_learn_the_digits_they_are_shown(plan_of):
    many = sweep(steps=[0, 1000], training={"batch": 20, "learning_rate": 0.01})
    runs = make_runs(plan_of(many), GROUP)
    assert {seed for _, seed in runs} == {0, 1}
    for curves in (run.curves for run in runs.values()):
        assert curves["training accuracy"].epochs.tolist() == list(range(0, 1001, 10))
        assert curves["training accuracy"].values[-1] == 1
        assert curves["test accuracy"].values[-1] > 0.7
        assert curves["loss"].values[-1] < 0.01 < 2 < curves["loss"].values[0]


@pytest.mark.parametrize("kind", ["mlp", "small_cnn"])
@pytest.mark.parametrize("frozen", ["none", "linear"])
def test_a_run_that_goes_on_later_has_the_bits_of_one_that_was_not_interrupted(
    plan_of, kind, frozen, tmp_path, monkeypatch
):
    steps = STEPS[kind]
    passes = 4 if kind == "mlp" else 2
    training = {"batch": 20, "frozen": frozen, "passes": passes}
    long = sweep(kind, training=training, steps=steps, seeds=1)
    short = long | {"steps": steps[:-1]}
    whole = make_runs(plan_of(long), GROUP)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    make_runs(plan_of(short), GROUP)
    longer = make_runs(plan_of(long), GROUP)
    for key, run in some(longer.items()):
        assert run.about["steps"] == steps
        for kind in ("parameters", "state"):
            one, other = getattr(run, kind), getattr(whole[key], kind)
            assert one.keys() == other.keys()
            assert all(np.array_equal(one[name], other[name]) for name in one)
        for name, curve in run.curves.items():
            assert np.array_equal(curve.values, whole[key].curves[name].values)


@pytest.mark.parametrize("kind", ["mlp", "small_cnn"])
def test_all_that_there_is_to_measure_is_measured(plan_of, kind):
    frozen = {"batch": 20, "frozen": ["none", "linear"], "passes": 4}
    steps = STEPS[kind] if kind == "mlp" else [0, 1, 2, 3, 4]
    plan = plan_of(sweep(kind, measures=MEASURES, training=frozen, seeds=1, steps=steps))
    rows = make_metrics(plan, GROUP)
    assert set(rows["by"]) == set(MEASURES)
    assert rows["value"].notna().mean() > 0.99
    similarities = rows[rows["measure"].str.endswith("_to_end")]
    assert similarities["value"].max() <= 1 + 1e-9
    at_end = similarities[similarities["step"] == steps[-1]]
    itself = at_end[at_end["layer"] == at_end["neuron"]]["value"]
    np.testing.assert_allclose(some(itself), 1, atol=1e-6)
    curve = rows[rows["measure"] == "accuracy_curve"]
    accuracy = rows[rows["measure"] == "accuracy"]
    for variant in ("training", "test"):
        one, other = (
            r[(r["variant"] == variant) & (r["step"] == steps[-1])].sort_values("run")["value"]
            for r in (curve, accuracy)
        )
        if kind == "small_cnn" or steps[-1] % 10 == 0:
            np.testing.assert_allclose(one, other)
    saved = rows[(rows["measure"] == "saved_gradients") & (rows["step"] == steps[-1])]
    assert sorted(set(saved["value"] > 0)) == [False, True]


def test_the_end_is_the_last_step_that_is_wanted_whatever_another_sweep_wants(
    plan_of, tmp_path, monkeypatch
):
    short = sweep(steps=STEPS["mlp"][:-1], seeds=1, measures=["to_the_end"])
    alone = make_metrics(plan_of(short), GROUP)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    plan = plan_of(short, short | {"steps": STEPS["mlp"]})
    longer = make_metrics(plan, "structure/sweep1/seeds-0")
    assert longer["step"].max() > alone["step"].max()
    pd.testing.assert_frame_equal(make_metrics(plan, GROUP), alone, check_exact=True)


@pytest.mark.parametrize("kind", ["mlp", "small_cnn"])
def test_frozen_layers_keep_their_weights_and_the_readout_goes_on(plan_of, kind):
    # Layer l of 3, or of 4, is frozen from l / 3, or l / 4, of training on.
    steps, passes = ([0, 10, 20, 30], 3) if kind == "mlp" else ([0, 1, 2, 3, 4], 4)
    training = {"batch": 20, "frozen": "linear", "passes": passes}
    runs = make_runs(plan_of(sweep(kind, training=training, steps=steps, seeds=1)), GROUP)
    (arrays,) = (
        run.parameters
        for run in runs.values()
        if run.about["spec"]["network"]["activation"] == "relu"
    )
    first = "weights1" if kind == "mlp" else "layers.0.0.weight"
    last = "readout" if kind == "mlp" else "readout.weight"
    assert (arrays[first][1] != arrays[first][0]).any()
    assert some(arrays[first][1:] == arrays[first][1]).all()
    assert all((arrays[last][n] != arrays[last][n + 1]).any() for n in range(len(steps) - 1))
