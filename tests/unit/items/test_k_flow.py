"""The K-flow is gradient descent, and its mean-field form the theory of it."""

import numpy as np
import pytest
from item_networks import all_but_one, ended_flow, run_of, seen_by, spec, task_of

from repatlas.dynamics.kernel_flow import KernelFlow, kernel_of
from repatlas.dynamics.logistic import half_time, logistic, time_constant
from repatlas.dynamics.pathways import context_sets
from repatlas.dynamics.recruitment import fit_recruitment, flow_losses
from repatlas.dynamics.symmetric import common_asymptote, context_asymptote
from repatlas.experiments.items.network import Member
from repatlas.experiments.items.tasks.contexts import tree

TREE = np.sqrt([15, 7, 3, 3, 1, 1, 1, 1])


@pytest.mark.parametrize("gradient", ["joint", "detached"])
@pytest.mark.parametrize("blocks", ["homogeneous", "heterogeneous"])
def test_from_zz_it_equals_the_simulated_network_epoch_by_epoch(gradient, blocks):
    task = {"blocks": blocks}
    sigmas = {"sigma": 0.05, "context_sigma": 0.05}
    each = spec("gated", task, units=20, gradient=gradient, **sigmas)
    items = each.task.draw()
    start = each.network.start(each.task, items, each.training, seed=3)
    first = start["weights1"].reshape(4, 20, -1)
    second = start["weights2"].reshape(-1, 4, 20).swapaxes(0, 1)
    gated = each.network.gates(each.task).seen(items)
    flow = KernelFlow(
        kernel_of(first, second)[None], gated[None], items.targets[None], [1e-3], gradient
    )
    state = {name: values[None].copy() for name, values in start.items()}
    member = Member(each.network, each.task, each.training, items)
    program = each.network.program([member], state)
    for epoch in range(400):
        loss = flow.descend()[0]
        assert program.losses()[0] == pytest.approx(loss, rel=1e-12)
        program.descend(epoch)
    maps, expected = program.maps()[0], flow.maps[0]
    assert np.linalg.norm(maps - expected) < 1e-12 * np.linalg.norm(expected)


def test_a_linear_network_from_balanced_aligned_weights_follows_the_logistic():
    """The network has one pathway for all items; its modes start with equal strength."""
    task = task_of(3)
    x, y = task.draw()
    u, s, vt = np.linalg.svd(y @ x.T / 24, full_matrices=False)
    kept, initial, rate = 10, 1e-3, 3e-5
    u, vt = u[:, :kept], vt[:kept]
    first, second = np.sqrt(initial) * vt, np.sqrt(initial) * u
    flow = KernelFlow(kernel_of(first, second)[None, None], x[None, None], y[None], [rate])
    tau = time_constant(rate, 24)
    d = np.sum((vt @ x) ** 2, axis=1) / 24
    epochs = 16_000
    crossed = np.full(kept, np.nan)
    for epoch in range(epochs):
        strengths = np.sum((u.T @ flow.maps[0, 0]) * vt, axis=1)
        new = np.isnan(crossed) & (strengths >= s[:kept] / d / 2)
        crossed[new] = epoch
        flow.descend()
    strengths = np.sum((u.T @ flow.maps[0, 0]) * vt, axis=1)
    assert strengths == pytest.approx(logistic(epochs, s[:kept], d, initial, tau), rel=1e-2)
    done = ~np.isnan(crossed)
    assert done.sum() >= 4
    expected = half_time(s[:kept], d, initial, tau)
    assert crossed[done] == pytest.approx(expected[done], rel=2e-3)


@pytest.mark.parametrize(
    "contexts", [3, *(pytest.param(number, marks=pytest.mark.slow) for number in (4, 5))]
)
@pytest.mark.parametrize("size", ["single", "all but one"])
def test_the_detached_flow_ends_at_the_asymptotes_of_the_theory(contexts, size):
    sets = context_sets(contexts, [1 if size == "single" else contexts - 1])
    flow = ended_flow(task_of(contexts), sets)
    along = np.linalg.svd(tree())[2]
    common, *others = flow.maps[0]
    ends = np.linalg.norm(common[:, :8] @ along[1:].T, axis=0)
    assert ends == pytest.approx(common_asymptote(TREE[1:], contexts), rel=1e-3)
    for pathway in others:
        ends = np.linalg.norm(pathway[:, :8] @ along[1:].T, axis=0)
        assert ends == pytest.approx(context_asymptote(TREE[1:], contexts), rel=1e-3)


@pytest.mark.slow
def test_a_fit_finds_the_recruitment_of_a_curve_that_has_one():
    task = task_of(3)
    y, (gated, masks) = task.draw().targets, seen_by(task, all_but_one(3))
    settings = {"units": 700, "sigma": 0.001, "rate": 1e-3}
    curve = flow_losses((0.6, 0.15), gated, masks, y, epochs=1200, **settings)
    found = fit_recruitment(curve, gated, masks, y, **settings)
    assert found.common == pytest.approx(0.6, rel=5e-3)
    assert found.context == pytest.approx(0.15, rel=5e-3)
    assert len(found.ends) == 3


@pytest.mark.slow
def test_a_recruited_theory_is_fitted_to_the_network_of_seed_0_whatever_its_own():
    settings = {"units": 40, "sigma": 5e-3}
    each = spec("recruited", fitted_until=500, **settings)
    one, other = run_of(each, [0, 500], seed=0), run_of(each, [0, 500], seed=3)
    assert np.array_equal(one.state["kernels"], other.state["kernels"])
    relu = run_of(spec("relu", width=40, sigma=5e-3), [0, 500]).curves["loss"].values
    gated, masks = seen_by(each.task, all_but_one(3))
    kappas = tuple(one.parameters["kappas"][0].astype(float))
    again = flow_losses(
        tuple(one.state["kappas"]), gated, masks, each.task.draw().targets, 40, 5e-3, 1e-3, 501
    )
    assert one.curves["loss"].values == pytest.approx(again, rel=1e-11)
    fitted = np.sum((again - relu) ** 2)
    for factor in (0.9, 1.1):
        near = (kappas[0] * factor, kappas[1])
        losses = flow_losses(near, gated, masks, each.task.draw().targets, 40, 5e-3, 1e-3, 501)
        assert np.sum((losses - relu) ** 2) > fitted
