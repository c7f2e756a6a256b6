"""Tasks and trained networks for the tests of networks on a few items."""

import numpy as np

from repatlas.dynamics.kernel_flow import KernelFlow, mean_kernel, output_basis
from repatlas.dynamics.pathways import context_sets, reduced_network
from repatlas.experiments.items.spec import Spec
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.experiments.items.train import train
from repatlas.runs import Wanted


def task_of(contexts=3, blocks="homogeneous"):
    return Contexts(kind="contexts", contexts=contexts, blocks=blocks)


ALL_TASKS = [task_of(3), task_of(4), task_of(5), task_of(3, "heterogeneous")]


def seen_by(task, sets):
    """Return gated inputs and masks of a common pathway and of these sets of contexts."""
    return reduced_network(task.draw().inputs, sets, task.contexts)


def ended_flow(task, sets):
    """Return the end of the flow of the kernels, with detached gradients.

    The kernels belong to a common pathway and to these sets of contexts."""
    y, (gated, masks) = task.draw().targets, seen_by(task, sets)
    basis = output_basis(y)
    variance = 100 * np.array([7.143e-6**2] + [1.4286e-5**2] * len(sets))
    flow = KernelFlow(
        mean_kernel(masks, len(basis), variance)[None],
        gated[None],
        (basis @ y)[None],
        [1e-3],
        "detached",
    )
    for _ in range(20_000):
        flow.descend()
    return flow


def all_but_one(contexts):
    return context_sets(contexts, [contexts - 1])


def spec(kind="relu", task=None, training=None, **network):
    return Spec.model_validate(
        {
            "experiment": "items",
            "task": {"kind": "contexts"} | (task or {}),
            "network": {"kind": kind} | network,
            "training": training or {},
        }
    )


def runs_of(specs, steps, seed=0, begun=None):
    """Train the networks of these specs, and return their runs by key."""
    data, runs = {}, dict(begun or {})
    for each in specs:
        for name, array in each.task.draw()._asdict().items():
            data[f"{each.data}/{name}"] = array
    wanted = {each.key: Wanted(each, steps, {}) for each in specs}
    for found in train(wanted, runs, data, seed, "cpu", lambda message: None):
        runs |= found
    return {each.key: runs[each.key] for each in specs}


def run_of(each, steps, seed=0):
    return runs_of([each], steps, seed)[each.key]
