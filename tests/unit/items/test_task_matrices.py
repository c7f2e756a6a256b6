"""The data agree with the paper: exact matrices, ranks and losses."""

import numpy as np
import pytest
from item_networks import ALL_TASKS, task_of

from repatlas.dynamics.correlations import commutator, linear_residual
from repatlas.experiments.items.tasks.contexts import cross, ring, tree
from repatlas.experiments.items.tasks.xor import Xor


def test_the_tree_has_the_whole_the_halves_the_pairs_and_the_objects():
    assert tree().tolist()[:5] == [
        [1] * 8,
        [1] * 4 + [0] * 4,
        [0] * 4 + [1] * 4,
        [1, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 0, 0, 0],
    ]
    assert np.array_equal(tree()[7:], np.eye(8))


def test_the_ring_rotates_one_bump_to_the_left_and_repeats_six_rows():
    assert ring()[1].tolist() == [0, 0.33, 0.66, 1, 1, 0.66, 0.33, 0]
    assert ring()[2].tolist() == [0.33, 0.66, 1, 1, 0.66, 0.33, 0, 0]
    assert np.array_equal(ring()[9:15], ring()[1:7])


def test_the_cross_pairs_other_objects_than_the_tree():
    pairs = [np.flatnonzero(row).tolist() for row in cross()[3:7]]
    assert pairs == [[0, 2], [1, 3], [4, 6], [5, 7]]
    others = np.delete(np.arange(15), [3, 4, 5, 6])
    assert np.array_equal(cross()[others], tree()[others])


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


@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_homogeneous_targets_have_full_rank(contexts):
    assert np.linalg.matrix_rank(task_of(contexts).draw().targets) == 8 * contexts


@pytest.mark.parametrize("task", ALL_TASKS, ids=repr)
def test_what_is_left_of_a_linear_map_is_uncorrelated_with_all_inputs(task):
    """The statement is Lemma 4.1 of the paper."""
    x, y = task.draw()
    assert np.abs(linear_residual(x, y) @ x.T).max() < 1e-12


@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_homogeneous_correlations_share_their_singular_vectors(contexts):
    assert commutator(*task_of(contexts).draw()) < 1e-12


def test_heterogeneous_correlations_share_them_almost():
    assert 1e-3 < commutator(*task_of(3, "heterogeneous").draw()) < 0.1


def test_xor_has_a_third_input_that_tells_the_class():
    x, y = Xor(kind="xor", delta=0.25).draw()
    assert np.array_equal(x[2], 0.25 * y[0])
    assert np.array_equal(y[0], x[0] * x[1])
    assert {tuple(column) for column in x[:2].T} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}


def test_heterogeneous_blocks_are_refused_for_four_contexts():
    with pytest.raises(ValueError, match="contexts: found 4, allowed: 3 with heterogeneous"):
        task_of(4, "heterogeneous")
