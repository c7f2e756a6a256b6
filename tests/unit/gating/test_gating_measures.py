"""The measures of this study on networks whose geometry is known."""

from types import SimpleNamespace

import numpy as np
import pytest

from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.experiments.items.tasks.xor import Xor
from repatlas.measures import matched_geometry, mode_strengths
from repatlas.representation import Decoders
from repatlas.runs import Curve


def seen_at(task, hidden, levels=(0.5, 0.05)):
    """Return a run that had this hidden layer at these levels of its loss."""
    items = task.draw()
    spec = SimpleNamespace(task=task)
    at = SimpleNamespace(layers=[hidden], inputs=items.inputs.T, targets=items.targets.T, spec=spec)
    reached = {"level": Curve(np.arange(7, 7 + len(levels)), np.array(levels))} if levels else {}
    return SimpleNamespace(
        curves=reached,
        checkpoints={0: at, 99: at},
        at_level=lambda level: at if level in levels else None,
    )


def rows_of(seen, level="0.05"):
    rows = [row for _, row in matched_geometry.rows(seen, Decoders()) if row.variant == level]
    return {(row.measure, row.neuron): row.value for row in rows}


def test_a_layer_that_is_the_targets_is_aligned_with_them():
    task = Contexts(kind="contexts")
    found = rows_of(seen_at(task, task.draw().targets.T))
    assert found["target_alignment", None] == pytest.approx(1)
    assert found["context_ccgp", 0] == found["context_ccgp", 2] == 1


def test_a_layer_of_classes_alone_is_parallel_and_generalises():
    signs = np.array([1.0, -1.0, -1.0, 1.0])
    found = rows_of(seen_at(Xor(kind="xor", delta=1.0), signs[:, None]))
    assert found["target_alignment", None] == pytest.approx(1)
    assert found["parallelism", 0] == pytest.approx(1)
    assert (found["ccgp", 0], found["decoding", 0]) == (1, 1)
    assert found["decoding", 1] == 0.5


def test_items_apart_have_the_closed_form_of_four_pathways():
    found = rows_of(seen_at(Xor(kind="xor", delta=1.0), np.eye(4)))
    assert found["target_alignment", None] == pytest.approx(1 / np.sqrt(3))
    assert found["parallelism", 0] == pytest.approx(0, abs=1e-12)
    assert found["participation_ratio", None] == pytest.approx(3)


def test_a_run_that_reached_no_level_says_so():
    seen = seen_at(Xor(kind="xor"), np.eye(4), levels=())
    ((epoch, row),) = matched_geometry.rows(seen, Decoders())
    assert (epoch, row.measure, row.value) == (99, "levels_reached", 0)


def test_strengths_are_told_by_pathway_and_split():
    task = Contexts(kind="contexts")
    direction = np.zeros(task.inputs)
    direction[:8] = mode_strengths.tree_splits()[2]
    matrix = 5.0 * np.outer(np.eye(task.targets)[0], direction)
    seen = SimpleNamespace(spec=SimpleNamespace(task=task), maps={"12": matrix})
    found = {row.neuron: row.value for row in mode_strengths.rows(seen, Decoders())}
    assert found[3] == pytest.approx(5)
    assert found[1] == pytest.approx(0, abs=1e-12)
