"""Two and four pathways of the extended XoR task."""

import numpy as np
import pytest
from item_networks import run_of, spec

from repatlas.dynamics import xor
from repatlas.dynamics.agreement import agreement
from repatlas.dynamics.logistic import effective_initial
from repatlas.experiments.items.tasks.xor import Xor
from repatlas.geometry import alignment_of_kernels, centred_kernel

RATE = 0.02
WEIGHTS = {"units": 100, "context_sigma": 1e-4, "common": False, "context_inputs": "all"}


def task(delta):
    return {"kind": "xor", "delta": delta}


@pytest.mark.parametrize("delta", [0.25, 1.4])
@pytest.mark.parametrize(("number", "pathways"), [(4, "1 2 3 4"), (2, "14 23")])
def test_the_flow_of_the_pathways_follows_the_logistic(delta, number, pathways):
    each = spec("mean_field", task(delta), {"rate": RATE}, pathways=pathways, **WEIGHTS)
    flow = run_of(each, [0, 1500])
    losses, epochs = flow.curves["loss"].values, flow.curves["loss"].epochs
    initial = effective_initial(100, 1e-4)
    curve = xor.loss_curve(epochs, delta, number, initial, RATE)
    # Steps of one epoch, 4 eta = 0.08 of time, against continuous time.
    assert agreement(losses, curve).time < 0.05
    assert losses[0] == pytest.approx(2)
    assert losses[-1] == pytest.approx(curve[-1], abs=1e-3)


@pytest.mark.parametrize("delta", [0.25, 2.0])
@pytest.mark.parametrize("number", [2, 4])
def test_alignments_are_those_of_the_patterns(delta, number):
    x, y = Xor(kind="xor", delta=delta).draw()
    hidden = np.eye(4) if number == 4 else np.vstack([y > 0, y < 0]).T.astype(float)
    kernels = [centred_kernel(patterns) for patterns in (hidden, y.T, x.T)]
    of_targets = alignment_of_kernels(kernels[0], kernels[1])
    of_inputs = alignment_of_kernels(kernels[0], kernels[2])
    assert xor.target_alignment(number) == pytest.approx(of_targets)
    assert xor.input_alignment(delta, number) == pytest.approx(of_inputs)
