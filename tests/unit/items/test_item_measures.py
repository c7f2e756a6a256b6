"""What measures say of networks on a few items, from their files."""

import numpy as np
import pytest
from item_networks import runs_of, spec
from selections import some

from repatlas.dynamics.agreement import first_below
from repatlas.experiments.items.represent import Source
from repatlas.measures import (
    context_geometry,
    gates,
    isolation,
    layer_alignment,
    loss,
    outputs,
    pathways,
    residual,
    singular_values,
    units,
)
from repatlas.representation import Decoders
from repatlas.workflow.store import Networks

STEPS = [0, 1500, 2500, 3500]
RELU = spec("relu", width=100, sigma=1e-3)
LINEAR = spec("linear", width=50, sigma=1e-3)
SINGLE = spec("gated", units=20, sigma=1e-3, context_sigma=2e-3, pathways="single")
GATED = spec("gated", units=20, sigma=1e-3, context_sigma=2e-3)
XOR = spec("relu", {"kind": "xor", "delta": 0.25}, {"rate": 0.02}, width=60, sigma=1e-4)
FLOW = spec("mean_field", units=20, sigma=1e-3, context_sigma=2e-3)
DEEP = spec("relu", width=30, depth=2, sigma=0.02)
SPECS = {"relu": RELU, "linear": LINEAR, "gated": GATED, "single": SINGLE}
SPECS |= {"xor": XOR, "flow": FLOW, "deep": DEEP}


@pytest.fixture(scope="module")
def wholes(tmp_path_factory):
    """Runs as files give them back, by the names above."""
    runs = {}
    for each in SPECS.values():
        runs |= runs_of([each], STEPS)
    networks, data = Networks(tmp_path_factory.mktemp("runs")), {}
    networks.write(runs)
    for each in SPECS.values():
        for name, array in each.task.draw()._asdict().items():
            data[f"{each.data}/{name}"] = array
    source = Source(data, 0, Decoders(), "cpu")
    return {
        name: source.whole_run(each, networks.file(networks.find(each.key, STEPS)), each.key)
        for name, each in SPECS.items()
    }


def values(rows, measure, variant=None, **of):
    return [
        row.value
        for row in rows
        if row.measure == measure
        and variant in (None, row.variant)
        and all(getattr(row, name) == value for name, value in of.items())
    ]


def at_last_epoch(module, whole):
    return list(module.rows(whole.checkpoints[3500], Decoders()))


def test_the_loss_of_every_epoch_is_there_and_that_of_checkpoints_is_the_same(wholes):
    rows = list(loss.rows(wholes["relu"], Decoders()))
    of_epoch = {epoch: row.value for epoch, row in rows if row.measure == "loss"}
    assert sorted(of_epoch) == list(range(3501))
    for step in STEPS:
        ((_, _, value),) = wholes["relu"].checkpoints[step].scores()
        assert of_epoch[step] == pytest.approx(value, rel=1e-5)
    half = first_below(list(of_epoch.values()), 0.5 * 96)
    assert (half, 0.5) in [(epoch, row.value) for epoch, row in rows if row.measure == "level"]


def test_singular_values_are_told_by_pathway(wholes):
    rows = [
        row for epoch, row in singular_values.rows(wholes["gated"], Decoders()) if epoch == 3500
    ]
    assert {row.variant for row in rows} == {"common", "12", "13", "23"}
    matrix = wholes["gated"].checkpoints[3500].maps["12"]
    largest = values(rows, "singular_value", "12", neuron=0)
    assert largest == pytest.approx([np.linalg.norm(matrix, 2)], rel=1e-5)
    assert not list(singular_values.rows(wholes["relu"], Decoders()))


def test_norms_and_alignments_of_pathways(wholes):
    rows = at_last_epoch(pathways, wholes["gated"])
    matrix = wholes["gated"].checkpoints[3500].maps["12"]
    assert values(rows, "pathway_norm", "12") == pytest.approx([np.linalg.norm(matrix)])
    # What has been learned is the residual correlation with another weight of each mode.
    assert values(rows, "pathway_alignment", "12")[0] > 0.7
    assert values(rows, "pathway_alignment", "common")[0] > 0.7


def test_units_that_miss_a_context_are_compared_with_the_pathway_of_the_others(wholes):
    rows = at_last_epoch(pathways, wholes["relu"])
    assert len(values(rows, "pathway_alignment", "missed")) == 3
    assert len(values(rows, "pathway_alignment", "missed, contexts")) == 3


def test_outputs_are_those_of_all_pathways_and_of_the_first_one(wholes):
    rows = at_last_epoch(outputs, wholes["gated"])
    seen = wholes["gated"].checkpoints[3500]
    assert values(rows, "output", "all", neuron=5, cluster=7) == [seen.outputs[7, 5]]
    assert values(rows, "target", neuron=5, cluster=7) == [seen.targets[7, 5]]
    of_pathway = np.array(values(rows, "output", "12")).reshape(24, 60)
    assert not of_pathway[16:].any() and of_pathway[:16].any()


def test_the_flow_has_the_outputs_and_the_kernel_of_the_network(wholes):
    flow, gated = (wholes[name].checkpoints[3500] for name in ("flow", "gated"))
    difference = np.linalg.norm(flow.outputs - gated.outputs) / np.linalg.norm(gated.outputs)
    assert difference < 0.05
    kernels = [seen.layers[-1] @ seen.layers[-1].T for seen in (flow, gated)]
    assert np.linalg.norm(kernels[0] - kernels[1]) < 0.05 * np.linalg.norm(kernels[1])


def test_shares_of_mass_add_up(wholes):
    rows = at_last_epoch(units, wholes["relu"])
    assert sum(values(rows, "used_share")) + sum(values(rows, "undriven_share")) == pytest.approx(1)
    assert sum(values(rows, "active_share")) == pytest.approx(1)
    assert len(values(rows, "slope")) == 3
    (mean,) = values(rows, "used_mean", "items")
    assert values(rows, "used_mean", "share of contexts") == [mean / 3]


def test_units_of_xor_are_told_by_items_alone(wholes):
    rows = at_last_epoch(units, wholes["xor"])
    assert not values(rows, "used_share")
    assert sum(values(rows, "items_share")) == pytest.approx(1)
    assert len(values(rows, "patterns")) == 1


def test_gates_have_their_variants_and_controls(wholes):
    rows = [row for _, row in gates.rows(wholes["relu"], Decoders())]
    recalls = {row.variant: row.value for row in rows if row.measure == "gate_recall"}
    assert set(recalls) == {"contexts", "items", "signs", "last epoch", "permuted", "initial"}
    assert all(0 <= value <= 1 for value in some(recalls.values()))
    assert len(values(rows, "silhouette", "contexts")) == 4  # 2 to 5 clusters
    again = [row for _, row in gates.rows(wholes["relu"], Decoders())]
    assert str(again) == str(rows)


def test_parallelism_over_contexts_is_1_for_a_linear_network(wholes):
    rows = at_last_epoch(context_geometry, wholes["linear"])
    assert values(rows, "context_parallelism") == pytest.approx([1, 1, 1])
    assert not at_last_epoch(context_geometry, wholes["xor"])


def test_a_pathway_of_one_context_solves_it_alone_and_one_of_two_contexts_does_not(wholes):
    [alone] = values(at_last_epoch(isolation, wholes["single"]), "isolation")
    [shared] = values(at_last_epoch(isolation, wholes["gated"]), "isolation")
    assert alone < 0.5 < shared
    assert not at_last_epoch(isolation, wholes["relu"]), "it has no pathways"


def test_before_training_all_of_the_correlation_with_the_inputs_is_left(wholes):
    first = list(residual.rows(wholes["relu"].checkpoints[0], Decoders()))
    assert values(first, "input_residual", "objects") == pytest.approx([1], abs=0.01)
    assert values(first, "input_residual", "contexts") == pytest.approx([1], abs=0.01)
    last = at_last_epoch(residual, wholes["relu"])
    assert values(last, "input_residual", "contexts")[0] < 0.1
    assert not values(at_last_epoch(residual, wholes["xor"]), "input_residual", "contexts")


def test_each_hidden_layer_has_an_alignment_of_its_weights(wholes):
    found = at_last_epoch(layer_alignment, wholes["deep"])
    assert [row.layer for row in found] == [1, 2]
    assert all(0 < row.value <= 1 for row in found)
