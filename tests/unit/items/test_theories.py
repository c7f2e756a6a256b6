"""The race and the closed form are what they say."""

import numpy as np
import pytest
from item_networks import run_of, spec, task_of
from selections import some

from repatlas.dynamics.agreement import agreement
from repatlas.dynamics.head_start import context_initial
from repatlas.dynamics.logistic import effective_initial, logistic
from repatlas.dynamics.mode_loss import symmetric_loss
from repatlas.dynamics.symmetric import common_modes, effective_decay, late_strength
from repatlas.experiments.items.networks.recruited import Recruited

TREE = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])
SIZES = 8, 3
SIGMAS = 0.005 / 700, 0.01 / 700


def test_the_closed_form_of_homogeneous_data_is_the_loss_formula_with_derived_constants():
    run = run_of(spec("closed_form"), [0, 4000])
    t, tau = np.arange(4001)[:, None], 1000 / 24
    table = common_modes(TREE, *SIZES)
    common = logistic(t, table.s, table.d, effective_initial(100, SIGMAS[0]), tau)
    start = context_initial(TREE[1:], *SIZES, 2, 100, *SIGMAS)
    late = late_strength(TREE[1:], *SIZES, 2)
    context = logistic(t, late, effective_decay(*SIZES), start, tau)
    expected = symmetric_loss(common, context, TREE, *SIZES)
    assert run.curves["loss"].values == pytest.approx(expected, rel=1e-9)


def test_the_race_of_homogeneous_data_is_the_closed_form_in_steps():
    """At the rate of the papers, Euler steps are late by 1/40 of the time of the first mode."""
    slow = {"training": {"rate": 4e-4}}
    race = run_of(spec("race", **slow), [0, 10_000]).curves["loss"].values
    closed = run_of(spec("closed_form", **slow), [0, 10_000]).curves["loss"].values
    assert agreement(race, closed).largest < 0.02
    assert closed[-1] < 0.05 * closed[0]  # the second phase is over, too


def test_context_modes_of_heterogeneous_data_start_at_the_mean_over_the_tree():
    run = run_of(spec("closed_form", {"blocks": "heterogeneous"}), [0])
    strengths = run.state["strengths"]
    common = np.linalg.matrix_rank(task_of().draw().inputs)
    assert strengths[common:] == pytest.approx(6.3e-5, abs=0.05e-5)
    assert strengths[:common] == pytest.approx(2.55e-9, rel=1e-3)


def test_the_race_with_constants_of_the_authors_is_for_pairs_of_three_contexts():
    with pytest.raises(ValueError, match=r"network\.constants: found 'authors' for 4 contexts"):
        spec("race", {"contexts": 4}, constants="authors")
    with pytest.raises(ValueError, match="pathways 'single', allowed: 3 contexts"):
        spec("race", pathways="single", constants="authors")


def test_a_theory_of_the_contextual_task_is_refused_for_xor():
    with pytest.raises(ValueError, match="found 'closed_form' for the task 'xor'"):
        spec("closed_form", {"kind": "xor"})


def test_a_linear_network_follows_its_logistics():
    linear = run_of(spec("linear", width=100, sigma=1e-3), [0, 2500]).curves["loss"].values
    theory = spec("logistic", pathways="none", units=100, sigma=1e-3)
    expected = run_of(theory, [0, 2500]).curves["loss"].values
    assert np.abs(linear - expected).max() / expected[0] < 0.05
    assert linear[-1] == pytest.approx(17, rel=0.05)


def test_maps_and_kernels_of_a_theory_are_balanced():
    parameters = run_of(spec("race"), [3000]).parameters
    for matrix, kernel in zip(parameters["maps"][0], parameters["kernels"][0], strict=True):
        # M^T M = V pi^2 V^T is the square of V pi V^T.
        assert matrix.T @ matrix == pytest.approx(kernel @ kernel, abs=1e-5)


def test_a_fit_to_a_network_that_diverged_is_no_fit_and_counts_as_diverged(monkeypatch):
    lost = np.array([96.0, np.inf, np.nan])
    monkeypatch.setattr(Recruited, "_relu_losses", lambda *arguments: lost)
    run = run_of(spec("recruited", units=20), [0, 10])
    assert run.about["diverged_step"] == 0
    assert some(np.isnan(run.parameters["kappas"])).all()
