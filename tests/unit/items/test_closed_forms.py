"""Closed forms of the symmetric contextual task against the matrices themselves."""

import numpy as np
import pytest
from item_networks import seen_by, task_of

from repatlas.dynamics.correlations import (
    input_output,
    linear_residual,
    modes,
)
from repatlas.dynamics.head_start import context_initial, head_start, time_left
from repatlas.dynamics.logistic import effective_initial
from repatlas.dynamics.mode_loss import symmetric_loss
from repatlas.dynamics.pathways import context_sets
from repatlas.dynamics.symmetric import (
    common_modes,
    context_asymptote,
    early_strength,
    late_strength,
)
from repatlas.experiments.items.tasks.contexts import tree

CONTEXTS = pytest.mark.parametrize("contexts", [3, 5])
TREE = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])


@CONTEXTS
def test_modes_of_the_common_pathway_are_those_of_the_table(contexts):
    found, table = modes(*task_of(contexts).draw()), common_modes(TREE, 8, contexts)
    order = np.argsort(-table.s, kind="stable")
    assert found.s == pytest.approx(table.s[order], abs=1e-12)
    # d of equal s are equal, so pairing them by order is safe.
    assert found.d == pytest.approx(table.d[order], abs=1e-10)


@CONTEXTS
def test_every_subset_of_contexts_is_driven_as_the_formula_says(contexts):
    """The residual drives a subset late in training, and the full target does so early."""
    task = task_of(contexts)
    x, y = task.draw()
    residual, sets = linear_residual(x, y), context_sets(contexts, range(1, contexts))
    centred = tree() - tree().mean(axis=1, keepdims=True)
    for chosen, gated in zip(sets, seen_by(task, sets)[0][1:], strict=True):
        size, late = len(chosen), input_output(gated, residual)
        singular = np.linalg.svd(late, compute_uv=False)
        assert singular[:7] == pytest.approx(late_strength(TREE[1:], 8, contexts, size))
        assert np.abs(singular[7:]).max() < 1e-12
        own = np.isin(np.arange(contexts), chosen)
        projected = np.append(0, own - size / contexts)
        expected = np.kron(projected[:, None], np.hstack([centred, np.zeros((15, contexts))]))
        assert late == pytest.approx(expected / (8 * contexts), abs=1e-14)
        assert np.linalg.norm(late) == pytest.approx(
            np.sqrt(17) / (8 * contexts) * np.sqrt(size * (contexts - size) / contexts)
        )
        on = modes(gated, residual)
        assert on.d == pytest.approx(size / (8 * contexts))
        early = input_output(gated, y)
        u1 = np.linalg.svd(tree())[2][1]
        assert np.linalg.norm(early[:, :8] @ u1) == pytest.approx(
            early_strength(TREE[1], 8, contexts, size)
        )


@pytest.mark.parametrize(
    ("contexts", "times"),
    [(3, [0.725, 0.359]), (4, [0.790, 0.452, 0.260]), (5, [0.829, 0.505, 0.336, 0.205])],
)
def test_times_left_after_the_common_phase(contexts, times):
    assert time_left(np.arange(1, contexts), contexts) == pytest.approx(times, abs=5e-4)


def test_the_head_start_is_the_power_that_a_logistic_gives():
    """The integral of 1 - pi / pi_inf over a logistic is tau / (2 s) ln(pi_inf / pi_0)."""
    from repatlas.dynamics.logistic import logistic

    s, d, start, tau = 0.3819, 1 / 8, 2.55e-9, 125 / 3
    t = np.linspace(0, 6000, 600_001)
    missing = 1 - logistic(t, s, d, start, tau) / (s / d)
    integral = np.trapezoid(missing, t)
    assert 2 * s * integral / tau == pytest.approx(np.log(s / d / start), rel=1e-6)
    assert head_start([1, 2], 3) == pytest.approx(np.sqrt([2 / 12, 6 / 12]))


def test_context_modes_start_where_the_theory_says_for_the_authors_sizes():
    found = context_initial(np.sqrt([7, 3, 1]), 8, 3, 2, 100, 0.005 / 700, 0.01 / 700)
    assert found == pytest.approx([8.6e-5, 7.1e-5, 5.5e-5], abs=0.05e-5)
    of_tree = np.repeat(found, [1, 2, 4])
    assert np.exp(np.log(of_tree).mean()) == pytest.approx(6.3e-5, abs=0.05e-5)
    assert effective_initial(100, 0.005 / 700) == pytest.approx(2.55e-9, rel=1e-3)


@CONTEXTS
def test_the_loss_formula_is_that_of_zero_weights_at_first_and_0_at_last(contexts):
    table = common_modes(TREE, 8, contexts)
    nothing = symmetric_loss(np.zeros(len(table.s)), np.zeros(7), TREE, 8, contexts)
    assert nothing == pytest.approx(32 * contexts)
    common, context = table.s / table.d, context_asymptote(TREE[1:], contexts)
    assert symmetric_loss(common, context, TREE, 8, contexts) == pytest.approx(0, abs=1e-12)
    floor = symmetric_loss(common, np.zeros(7), TREE, 8, contexts)
    assert floor == pytest.approx(17 / 2 * (contexts - 1))
