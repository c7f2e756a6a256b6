"""Closed forms of the symmetric contextual task against the matrices themselves."""

import numpy as np
import pytest
from item_networks import all_but_one, seen_by, task_of
from selections import some

from repatlas.dynamics.correlations import (
    frobenius_cosine,
    input_output,
    linear_residual,
    modes,
)
from repatlas.dynamics.head_start import context_initial, head_start, time_left
from repatlas.dynamics.logistic import effective_initial
from repatlas.dynamics.mode_loss import ModeLoss, symmetric_loss
from repatlas.dynamics.pathways import context_sets
from repatlas.dynamics.race import interaction
from repatlas.dynamics.symmetric import (
    common_asymptote,
    common_modes,
    context_asymptote,
    early_strength,
    effective_decay,
    late_strength,
)
from repatlas.experiments.items.tasks.contexts import tree

CONTEXTS = pytest.mark.parametrize("contexts", [3, 4, 5])
TREE = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])


def test_singular_values_of_the_tree():
    assert np.linalg.svd(tree(), compute_uv=False) == pytest.approx(TREE)


@CONTEXTS
def test_modes_of_the_common_pathway_are_those_of_the_table(contexts):
    found, table = modes(*task_of(contexts).draw()), common_modes(TREE, 8, contexts)
    order = np.argsort(-table.s, kind="stable")
    assert found.s == pytest.approx(table.s[order], abs=1e-12)
    # d of equal s are equal, so pairing them by order is safe.
    assert found.d == pytest.approx(table.d[order], abs=1e-10)


@CONTEXTS
def test_object_modes_end_at_the_asymptote_of_the_table(contexts):
    table = common_modes(TREE, 8, contexts)
    ends = (table.s / table.d)[contexts:]
    assert ends == pytest.approx(common_asymptote(TREE[1:], contexts))
    assert (table.s / table.d)[0] == pytest.approx(
        TREE[0] * np.sqrt((contexts + 1) / (8 + contexts))
    )


@CONTEXTS
def test_eigenvalues_of_the_input_correlation(contexts):
    x = task_of(contexts).draw().inputs
    found = np.sort(np.linalg.eigvalsh(x @ x.T / x.shape[1]))[::-1]
    one = [1 / 8 + 1 / contexts], [1 / contexts] * (contexts - 1), [1 / 8] * 7, [0.0]
    assert found == pytest.approx(np.concatenate(one), abs=1e-14)


@CONTEXTS
def test_left_directions_of_object_modes(contexts):
    x, y = task_of(contexts).draw()
    u, _, _ = np.linalg.svd(tree())
    first_object_mode = np.kron(np.append(contexts, np.ones(contexts)), u[:, 1])
    correlation = input_output(x, y)
    along = first_object_mode / np.linalg.norm(first_object_mode) @ correlation
    assert np.linalg.norm(along) == pytest.approx(common_modes(TREE, 8, contexts).s[contexts])


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


@CONTEXTS
def test_pathways_of_all_but_one_context_overlap_by_minus_one_over_the_others(contexts):
    task = task_of(contexts)
    x, y = task.draw()
    gated = seen_by(task, all_but_one(contexts))[0][1:]
    late = input_output(gated, linear_residual(x, y))
    for j in range(contexts):
        for k in range(j):
            cosine = frobenius_cosine(late[j], late[k])
            assert cosine == pytest.approx(-1 / (contexts - 1), abs=1e-10)


@CONTEXTS
def test_the_residual_of_a_context_is_minus_one_over_c_elsewhere_and_sums_to_0(contexts):
    x, y = task_of(contexts).draw()
    residual = linear_residual(x, y)
    blocks = residual.reshape(contexts + 1, 15, contexts, 8)
    assert np.abs(blocks[0]).max() < 1e-12
    assert np.abs(blocks.sum(axis=2)).max() < 1e-12
    assert blocks[1, :, 1] == pytest.approx(-blocks[1, :, 0] / (contexts - 1), abs=1e-12)


@CONTEXTS
@pytest.mark.parametrize("late", [False, True], ids=["single", "all but one"])
def test_the_sum_over_pathways_leaves_the_effective_decay(contexts, late):
    task, size = task_of(contexts), contexts - 1 if late else 1
    x, y = task.draw()
    gated = seen_by(task, context_sets(contexts, [size]))[0][1:]
    residual = linear_residual(x, y)
    found = [modes(each, residual) for each in gated]
    # All strengths of a mode are equal in the symmetric solution.
    asymptote = np.concatenate([context_asymptote(TREE[1:], contexts)] * contexts)
    slowing = interaction(found, gated) @ asymptote
    s = np.concatenate([each.s for each in found])
    assert slowing == pytest.approx(s, abs=1e-12)
    assert slowing == pytest.approx(asymptote * effective_decay(8, contexts), abs=1e-12)


@pytest.mark.parametrize("contexts", range(3, 13))
def test_all_but_one_context_wins_the_race(contexts):
    times = time_left(np.arange(1, contexts), contexts)
    assert some(np.diff(times) < 0).all()


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


def test_the_loss_of_modes_is_that_of_their_summed_outputs():
    rng = np.random.default_rng(0)
    patterns, targets = rng.standard_normal((5, 4, 3)), rng.standard_normal((4, 3))
    strengths = rng.standard_normal((7, 5))
    outputs = np.einsum("tk,koi->toi", strengths, patterns)
    expected = np.sum((outputs - targets) ** 2, axis=(1, 2)) / 2
    assert ModeLoss(patterns, targets)(strengths) == pytest.approx(expected)
