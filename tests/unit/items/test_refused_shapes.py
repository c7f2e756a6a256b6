"""Arrays of other shapes are refused with the shapes, and not computed with."""

import numpy as np
import pytest

from repatlas.dynamics.pathways import context_gate, gated_inputs, reduced_network
from repatlas.dynamics.race import authors_interaction
from repatlas.dynamics.solutions import parallelism_over_contexts

X, GATES, MASKS = np.ones((2, 6)), np.ones((3, 6)), np.ones((3, 2))  # 2 inputs, 6 items, 3 pathways


@pytest.mark.parametrize(
    ("inputs", "gates", "masks"),
    [
        (X[0], GATES, MASKS),
        (X, GATES[None], MASKS),
        (X, GATES, MASKS[0]),
        (X.T, GATES, MASKS),
        (X, GATES[:, :5], MASKS),
        (X, GATES, MASKS[:, :1]),
        (np.ones((6, 6)), GATES, MASKS),
    ],
)
def test_inputs_gates_and_masks_that_do_not_fit_are_refused(inputs, gates, masks):
    shapes = f"inputs has shape {inputs.shape}, gates {gates.shape} and masks {masks.shape}; "
    with pytest.raises(ValueError) as refused:
        gated_inputs(inputs, gates, masks)
    assert str(refused.value).startswith(shapes)


def test_gates_and_masks_of_other_numbers_of_pathways_are_refused():
    with pytest.raises(
        ValueError, match="gates has 3 pathways and masks 2; both describe the same"
    ):
        gated_inputs(X, GATES, MASKS[:2])


@pytest.mark.parametrize("shape", [(6,), (6, 5), (2, 6, 6), (7, 7)])
def test_a_kernel_that_is_not_square_or_not_of_whole_contexts_is_refused(shape):
    with pytest.raises(
        ValueError, match=r"^kernel has shape .*; allowed is \(N, N\), N a multiple"
    ):
        parallelism_over_contexts(np.ones(shape), ([0], [1]), contexts=3)


@pytest.mark.parametrize("contexts", [[-1], [0, 3]])
def test_contexts_that_there_are_not_are_refused(contexts):
    with pytest.raises(ValueError, match=r"^contexts has .*; allowed are 0 to 2"):
        context_gate(contexts, number=3, objects=2)


def test_items_that_are_no_multiple_of_the_contexts_are_refused():
    with pytest.raises(ValueError, match=r"^inputs has 6 items; allowed is a multiple of 4"):
        reduced_network(X, [(0, 1)], number=4)


@pytest.mark.parametrize("contexts", [[(0, 1), (0, 2)], [(0, 1)] * 3])
def test_the_authors_interaction_is_for_pairs_of_three_contexts(contexts):
    with pytest.raises(ValueError, match=r"^contexts has .*for the three pairs of 3"):
        authors_interaction([np.eye(2)] * len(contexts), contexts, items=24)
