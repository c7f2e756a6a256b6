"""Figure C5: freeze training, from rows whose answer is known."""

import pytest
from naming_rows import drawn, joined, learned_rows, network_rows, value, verdicts

from repatlas.studies.convergence import figC5 as figure
from repatlas.studies.convergence.figC5 import schedules, tabulate

ARMS = ("linear", "late_linear", "square_root", "cubic")
LAST = {40: 880, 60: 1320}


def run_of(accuracies, run, steps, **about):
    """Return networks with these test accuracies at each of these steps."""
    parts = []
    for step in steps:
        of = {"step": step} | about
        parts += [
            network_rows(accuracies, run, **of),
            learned_rows(len(accuracies), run, **of),
            network_rows([0.0] * len(accuracies), run, measure="saved_gradients",
                         variant="schedule", **of),
            network_rows(accuracies, run, measure="accuracy_curve", **of),
        ]  # fmt: skip
    return joined(*parts)


def freezing(gain=0.0, seeds=10, arms=ARMS, lengths=(40, 60)):
    none = [0.8 + 0.01 * seed for seed in range(seeds)]
    frozen = [
        run_of([each + gain for each in none], f"{arm}{passes}", [LAST[passes]], frozen=arm,
               passes=passes)
        for arm in arms
        for passes in lengths
    ]  # fmt: skip
    return {"unfrozen": run_of(none, "none", [880, 1320]), "frozen": joined(*frozen)}


def test_a_network_is_compared_with_that_of_its_seed_after_as_many_passes():
    rows = freezing(0.02, seeds=3)
    later = rows["unfrozen"]["step"] == 1320
    rows["unfrozen"].loc[later & (rows["unfrozen"]["variant"] == "test"), "value"] -= 0.1
    found = tabulate(rows, None)
    gains = found[(found["measure"] == "gain") & (found["frozen"] == "linear")]
    assert gains.loc[gains["passes"] == 40, "value"].tolist() == pytest.approx([0.02] * 3)
    assert gains.loc[gains["passes"] == 60, "value"].tolist() == pytest.approx([0.12] * 3)


def test_a_length_that_a_preview_leaves_out_has_no_rows():
    found = tabulate(freezing(seeds=3, lengths=(40,)), None)
    assert set(found["passes"].dropna()) == {40}


def untaught(rows, which):
    own = rows["variant"].eq("training") & rows["seed"].eq(1) & which
    rows.loc[own, "value"] = 0.9


def test_a_network_that_freezing_keeps_from_learning_is_kept_and_counted():
    rows = freezing(-0.3, seeds=3)
    untaught(rows["frozen"], rows["frozen"]["frozen"].eq("cubic"))
    found = tabulate(rows, None)
    gains = found[(found["measure"] == "gain") & (found["frozen"] == "cubic")]
    assert set(gains["seed"]) == {0, 1, 2}
    assert "2 of the 30 networks learned less" in drawn(figure, found)


def test_a_network_that_has_not_learned_without_frozen_layers_is_no_partner():
    rows = freezing(seeds=3)
    untaught(rows["unfrozen"], rows["unfrozen"]["step"].eq(1320))
    found = tabulate(rows, None)
    gains = found[(found["measure"] == "gain") & (found["frozen"] == "linear")]
    assert set(gains.loc[gains["passes"] == 40, "seed"]) == {0, 1, 2}
    assert set(gains.loc[gains["passes"] == 60, "seed"]) == {0, 2}


def test_schedules_are_those_of_the_layers_with_weights():
    found = schedules(freezing(seeds=1)["frozen"])  # two hidden layers and the readout
    assert value(found, frozen="linear", layer=1) == pytest.approx(1 / 3)
    assert value(found, frozen="late_linear", layer=2) == pytest.approx(0.5 + 1 / 3)
    assert value(found, frozen="cubic", layer=2) == pytest.approx(8 / 27)
    assert set(found["layer"]) == {1, 2}


def test_of_convolutions_the_full_layer_after_them_is_the_last_to_be_frozen():
    rows = freezing(seeds=1)["frozen"].assign(network="small_cnn", depth=4)
    found = schedules(rows)
    assert set(found["layer"]) == {1, 2, 3, 4, 5}
    assert value(found, frozen="linear", layer=5) == pytest.approx(5 / 6)


def test_steps_of_convolutions_are_called_passes():
    rows = {
        name: of.assign(network="small_cnn", data_set="cifar10")
        for name, of in freezing(seeds=3, lengths=(40,)).items()
    }
    said = drawn(figure, tabulate(rows, None))
    assert "Pass over the images" in said
    assert "Training step" not in said


def test_a_loss_of_half_a_point_is_none_and_no_gain():
    found = tabulate(freezing(-0.005), None)
    assert verdicts("C10", found) == ["supported"]
    assert verdicts("C10b", found) == ["contradicted"]


def test_a_gain_is_a_gain_and_a_loss_a_loss():
    assert verdicts("C10b", tabulate(freezing(0.01), None)) == ["supported"]
    assert verdicts("C10", tabulate(freezing(-0.05), None)) == ["contradicted"]
