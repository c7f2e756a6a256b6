"""The data agree with the paper: exact matrices, ranks and losses."""

import numpy as np
import pytest
from item_networks import ALL_TASKS, task_of

from repatlas.dynamics.correlations import linear_residual
from repatlas.experiments.items.tasks.contexts import cross, ring, tree


@pytest.mark.parametrize("task", ALL_TASKS, ids=repr)
def test_an_item_is_an_object_and_a_context(task):
    x = task.draw().inputs
    assert x.shape == (8 + task.contexts, 8 * task.contexts)
    for context in range(task.contexts):
        for thing in range(8):
            on = np.flatnonzero(x[:, 8 * context + thing])
            assert on.tolist() == [thing, 8 + context]
    assert np.linalg.matrix_rank(x) == 7 + task.contexts


@pytest.mark.parametrize("task", ALL_TASKS, ids=repr)
def test_targets_are_the_tree_in_all_contexts_and_each_contexts_own_in_its_columns(task):
    y = task.draw().targets
    own = [tree] * task.contexts if task.blocks == "homogeneous" else [tree, ring, cross]
    assert np.array_equal(y[:15], np.tile(tree(), task.contexts))
    for context, structure in enumerate(own):
        block = y[15 * (context + 1) : 15 * (context + 2)].reshape(15, task.contexts, 8)
        assert np.array_equal(block[:, context], structure())
        assert not np.delete(block, context, axis=1).any()


@pytest.mark.parametrize(
    ("task", "first", "floor"),
    [
        (task_of(3, "heterogeneous"), 105.6230, 16.5084),
        (task_of(3), 96, 17),
        (task_of(4), 128, 25.5),
        (task_of(5), 160, 34),
    ],
    ids=repr,
)
def test_the_first_loss_and_the_linear_floor_are_the_papers(task, first, floor):
    x, y = task.draw()
    assert np.sum(y**2) / 2 == pytest.approx(first, abs=5e-5)
    assert np.sum(linear_residual(x, y) ** 2) / 2 == pytest.approx(floor, abs=5e-5)


def test_heterogeneous_blocks_are_refused_for_four_contexts():
    with pytest.raises(ValueError, match="contexts: found 4, allowed: 3 with heterogeneous"):
        task_of(4, "heterogeneous")
