"""The engine descends the gradients that autograd finds, in float64."""

import numpy as np
import pytest
import torch
from item_networks import spec

from repatlas.experiments.items.network import Member, network_class

RATE = 0.5
TASKS = [{}, {"contexts": 4}, {"blocks": "heterogeneous"}]


def member_of(each):
    return Member(each.network, each.task, each.training, each.task.draw())


def descended(each, epoch=0, seed=0):
    """Return the weights before an epoch, the loss, and the weights' decrease divided by the
    rate."""
    member = member_of(each)
    start = each.network.start(each.task, member.items, each.training, seed)
    state = {name: values[None].copy() for name, values in start.items()}
    program = network_class(each.network.kind).program([member], state)
    (loss,) = program.losses()
    program.descend(epoch)
    rate = each.training.rate
    change = {n: (start[n] - state[n][0]) / rate for n in start if n.startswith("weights")}
    return start, loss, change


def tensors(start):
    return {
        name: torch.tensor(values, dtype=torch.float64, requires_grad=True)
        for name, values in start.items()
        if name.startswith("weights")
    }


def check(each, loss_of, epoch=0):
    """Compare the gradients of a loss with autograd. loss_of: from tensors, X and Y to the
    reported loss and the descended loss."""
    start, loss, change = descended(each, epoch)
    weights, items = tensors(start), each.task.draw()
    told, descends = loss_of(weights, torch.tensor(items.inputs), torch.tensor(items.targets))
    descends.backward()
    assert loss == pytest.approx(told.item(), rel=1e-12)
    for name, tensor in weights.items():
        expected = tensor.grad.numpy()
        scale = np.abs(expected).max()
        assert np.abs(change[name] - expected).max() < 1e-10 * scale, name


def half_squares(errors):
    return (errors**2).sum() / 2


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize(
    ("kind", "f"), [("relu", torch.relu), ("tanh", torch.tanh), ("linear", lambda u: u)]
)
def test_full_layers_descend_the_gradient_of_the_loss(kind, f, depth):
    def loss_of(weights, x, y):
        hidden = x
        for number in range(1, depth + 1):
            hidden = f(weights[f"weights{number}"] @ hidden)
        loss = half_squares(weights[f"weights{depth + 1}"] @ hidden - y)
        return loss, loss

    each = spec(kind, TASKS[2], {"rate": RATE}, width=30, depth=depth, sigma=0.3)
    check(each, loss_of)


def pathway_outputs(each, weights, x):
    """Return the outputs of each pathway, (n_out, N)."""
    network = each.network
    gates = network.gates(each.task)
    outputs = []
    for number, (gate, mask) in enumerate(zip(gates.gates, gates.masks, strict=True)):
        part = slice(number * network.units, (number + 1) * network.units)
        seen = torch.tensor(mask)[:, None] * x * torch.tensor(gate)
        outputs.append(weights["weights2"][:, part] @ (weights["weights1"][part] @ seen))
    return outputs


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("pathways", ["all_but_one", "12 3"])
def test_joint_pathways_descend_the_gradient_of_the_loss(task, pathways):
    def loss_of(weights, x, y):
        loss = half_squares(sum(pathway_outputs(each, weights, x)) - y)
        return loss, loss

    settings = {"units": 12, "sigma": 0.2, "context_sigma": 0.3, "pathways": pathways}
    each = spec("gated", task, {"rate": RATE}, gradient="joint", **settings)
    # What a mask hides must not move; autograd sees the masked inputs, so it has 0 there, too.
    check(each, loss_of)


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_detached_pathways_descend_a_loss_with_stopped_gradients(task):
    def loss_of(weights, x, y):
        common, *contexts = pathway_outputs(each, weights, x)
        own = half_squares(common - y)
        rest = half_squares(sum(contexts) - (y - common.detach()))
        return half_squares(common + sum(contexts) - y), own + rest

    each = spec("gated", task, {"rate": RATE}, units=12, sigma=0.2, context_sigma=0.3)
    check(each, loss_of)


def deep_outputs(each, weights, x):
    n = each.network.common_units
    gates = torch.tensor(each.network.gates(each.task)[1])
    second = (weights["weights2"] @ (weights["weights1"] @ x)) * gates
    third = weights["weights3"]
    return third[:, :n] @ second[:n], third[:, n:] @ second[n:]


DEEP = {"width": 33, "common_units": 12, "sigma": 0.3, "second_sigma": 0.2, "context_sigma": 0.4}


def test_two_layers_descend_both_losses_once_contexts_are_trained():
    def loss_of(weights, x, y):
        common, contexts = deep_outputs(each, weights, x)
        rest = half_squares(contexts - (y - common.detach()))
        return half_squares(common + contexts - y), half_squares(common - y) + rest

    each = spec("gated_deep", training={"rate": RATE}, **DEEP)
    check(each, loss_of, epoch=12_000)


def test_two_layers_descend_the_common_loss_alone_before_that():
    def loss_of(weights, x, y):
        common, contexts = deep_outputs(each, weights, x)
        return half_squares(common + contexts - y), half_squares(common - y)

    each = spec("gated_deep", training={"rate": RATE}, **DEEP)
    check(each, loss_of, epoch=11_999)


def test_nothing_moves_in_two_layers_before_the_schedule_starts():
    _, _, change = descended(spec("gated_deep", training={"rate": RATE}, **DEEP), epoch=499)
    assert not any(values.any() for values in change.values())
