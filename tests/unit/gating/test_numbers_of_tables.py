"""The numbers of Figures S5 and S7, and of the head start, against values from elsewhere."""

import numpy as np
import pandas as pd
import pytest
from test_gating_rows import curve, value

from repatlas.dynamics.symmetric import common_asymptote
from repatlas.experiments.items.tasks.contexts import Contexts, tree
from repatlas.studies.gating import fig04
from repatlas.studies.gating.figS5 import FIRST, closed_forms
from repatlas.studies.gating.figS7 import excess_rows, task_rows
from repatlas.studies.gating.rows.head_start import FINAL
from repatlas.studies.gating.rows.tasks import TASKS

ALL_BUT_ONE = {
    3: np.sqrt(0.5),
    4: (np.sqrt(5) + 2 * np.sqrt(3)) / (np.sqrt(5) + 3 * np.sqrt(3)),
    5: (np.sqrt(6) + 6) / (np.sqrt(6) + 8),
}
"""(a + (C - 2) q) / (a + (C - 1) q) with a = sqrt((C + 1) / C) and q = sqrt((C - 1) / C)."""


def test_the_final_strength_of_the_first_split_is_that_of_the_linear_map_of_all_items():
    """The split of the tree in halves has the singular value sqrt(7). The common pathway ends at
    the least-squares map, whose 3 blocks for one context each add a third of 7."""
    s = np.linalg.svd(tree(), compute_uv=False)
    assert s[1] ** 2 == pytest.approx(7)
    x, y = Contexts(kind="contexts").draw()
    linear = y @ np.linalg.pinv(x)
    halves = np.repeat([1.0, -1.0], 4) / np.sqrt(8)
    assert np.linalg.norm(linear[:, :8] @ halves) == pytest.approx(FINAL)
    assert common_asymptote(s[1], 3) == pytest.approx(FINAL)


def parallelism(number, contexts, step=9, split=FIRST):
    about = {"contexts": contexts, "step": step, "variant": split, "value": number}
    return about | {"measure": "context_parallelism"}


def test_the_error_of_the_flow_is_its_distance_from_the_closed_form_at_the_end():
    rows = [parallelism(0.7, 3), parallelism(0.9, 4), parallelism(0.1, 3, step=5)]
    rows += [parallelism(0.2, 3, split="another"), parallelism(0.4, 4, split="another")]
    found = pd.concat(closed_forms(pd.DataFrame(rows)))
    for contexts, number in ((3, 0.7), (4, 0.9)):
        error = value(found, measure="flow_error", contexts=contexts)
        assert error == pytest.approx(abs(number - ALL_BUT_ONE[contexts]), abs=1e-6)


@pytest.mark.parametrize("contexts", [3, 4, 5])
def test_closed_forms_of_parallelism_stand_beside_it(contexts):
    found = pd.concat(closed_forms(pd.DataFrame([parallelism(0.7, contexts)])))
    form = value(found, measure="closed_form", pathways="all_but_one")
    assert form == pytest.approx(ALL_BUT_ONE[contexts], abs=1e-6)
    a, q = np.sqrt((contexts + 1) / contexts), np.sqrt((contexts - 1) / contexts)
    assert value(found, measure="closed_form", pathways="single") == pytest.approx(a / (a + q))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.blocks} {task.contexts}")
def test_the_excess_of_a_linear_network_is_above_the_least_loss_of_a_linear_map(task):
    x, y = task.draw()
    weights, *_ = np.linalg.lstsq(x.T, y.T, rcond=None)
    least = np.sum((y.T - x.T @ weights) ** 2) / 2
    about = {"blocks": task.blocks, "contexts": task.contexts, "network": "linear"}
    ends = [curve([9 * least, 1.25 * least], seed=0, **about)]
    ends.append(curve([9 * least, 0.75 * least], seed=1, **about))
    found = excess_rows(pd.concat(ends))
    assert value(found, measure="excess", seed=0) == pytest.approx(0.25)
    assert value(found, measure="excess", seed=1) == pytest.approx(0.25)


def test_the_tasks_of_one_structure_have_one_basis_and_the_other_has_not():
    found = pd.concat(task_rows())
    for task in TASKS:
        x, y = task.draw()
        number = x.shape[1]
        yx, xx = y @ x.T / number, x @ x.T / number
        product = yx.T @ yx @ xx
        expected = np.linalg.norm(product - xx @ yx.T @ yx) / np.linalg.norm(product)
        of = {"blocks": task.blocks, "contexts": task.contexts}
        here = value(found, measure="commutator", **of)
        assert here == pytest.approx(expected, abs=1e-12)
        assert (here > 1e-3) == (task.blocks == "heterogeneous")
        weights, *_ = np.linalg.lstsq(x.T, y.T, rcond=None)
        largest = np.abs((y - weights.T @ x) @ x.T).max()
        assert value(found, measure="residual_correlation", **of) == pytest.approx(
            largest, abs=1e-9
        )


def test_the_outputs_of_figure_4_are_those_of_gated_networks_with_a_detached_gradient():
    def network(number, run, **about):
        losses = curve([2.0, 1.0, 0.5], run=run, blocks="heterogeneous", contexts=3, **about)
        about = {"measure": "output", "variant": "all", "neuron": 0, "cluster": 0, "value": number}
        return pd.concat([losses, losses[:1].assign(**about)])

    relu = network(1.0, "r", network="relu")
    gated = [
        network(number, gradient, network="gated", gradient=gradient)
        for gradient, number in (("detached", 1.1), ("joint", 1.5))
    ]
    rows = {"relu": relu, "gated": pd.concat(gated), "theories": relu[:0], "modules": relu[:0]}
    table = fig04.tabulate(rows, None)
    assert table.loc[table["measure"] == "output", "value"].tolist() == [1.0, 1.1]
    assert value(table, measure="output_agreement", variant="largest") == pytest.approx(0.1)
