"""Geometry of the closed-form solution and of a flow that has found it."""

import numpy as np
import pytest
from item_networks import task_of

from repatlas.dynamics.correlations import modes
from repatlas.dynamics.pathways import context_sets
from repatlas.dynamics.solutions import (
    input_target_alignment,
    parallelism_of_all_but_one,
    parallelism_of_single,
    parallelism_over_contexts,
)
from repatlas.dynamics.symmetric import context_asymptote
from repatlas.experiments.items.tasks.contexts import tree
from repatlas.geometry import alignment_of_kernels, centred_kernel
from repatlas.measures.context_geometry import SPLITS

SIZES = pytest.mark.parametrize(
    ("late", "formula"),
    [(True, parallelism_of_all_but_one), (False, parallelism_of_single)],
    ids=["all but one", "single"],
)


def sets_of(contexts, late):
    return context_sets(contexts, [contexts - 1 if late else 1])


def _hidden_kernel(x, y, gates):
    """Return the kernel of the hidden layer when everything is learned."""
    common = modes(x, y)
    along = common.right @ x
    _, s, vt = np.linalg.svd(tree() - tree().mean(axis=1, keepdims=True), full_matrices=False)
    second = vt.T @ (context_asymptote(s, gates.shape[1])[:, None] * vt)
    return along.T @ (common.s / common.d * along.T).T + np.kron(gates.T @ gates, second)


@SIZES
@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_parallelism_of_the_closed_form_kernel_is_the_formula(contexts, late, formula):
    x, y = task_of(contexts).draw()
    gates = 1.0 * np.array([np.isin(np.arange(contexts), s) for s in sets_of(contexts, late)])
    kernel = _hidden_kernel(x, y, gates)
    for split in SPLITS.values():
        score = parallelism_over_contexts(kernel, split, contexts)
        assert score == pytest.approx(formula(contexts))


@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_input_target_alignment_of_the_items(contexts):
    x, y = task_of(contexts).draw()
    found = alignment_of_kernels(centred_kernel(x.T), centred_kernel(y.T))
    assert input_target_alignment(contexts) == pytest.approx(found)


def test_parallelism_over_contexts_is_that_of_the_coding_vectors():
    rng = np.random.default_rng(0)
    patterns = rng.standard_normal((24, 5))
    vectors = patterns.reshape(3, 8, 5)
    coding = vectors[:, :4].mean(axis=1) - vectors[:, 4:].mean(axis=1)
    coding /= np.linalg.norm(coding, axis=1, keepdims=True)
    expected = np.mean([coding[0] @ coding[1], coding[0] @ coding[2], coding[1] @ coding[2]])
    found = parallelism_over_contexts(patterns @ patterns.T, SPLITS["halves"], 3)
    assert found == pytest.approx(expected)
