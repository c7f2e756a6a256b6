"""Figure 7: from measured neurons to groups, statistics, trajectories and the drawing."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from selections import some

from repatlas.dynamics.field import gradient_field
from repatlas.networks.mlp import READOUT_GROUPS
from repatlas.studies.structure import fig07, fig07C
from repatlas.studies.structure.rows.groups import group_errors, statistic_rows, tuning_rows
from repatlas.studies.structure.rows.panels import PANELS

STEP = 5
PER_GROUP = 2
NEURONS = [(8 - 1 - place // PER_GROUP) for place in range(8 * PER_GROUP)]
"""The group of each neuron, by its place in READOUT_GROUPS: not in the order of the engine."""
GROUP_OF = dict(enumerate(np.array(list(READOUT_GROUPS))[NEURONS]))
CENTRES = {"inter": [3, 3, -3, -3], "intra": [8, -8, 0, 0], "other intra": [0, 0, 8, -8]}


def sweep(readout="groups", activations=("tanh", "relu"), seeds=4, diverged=()):
    """Return the metrics of a sweep, as a table is made from. `diverged`: (activation, seed)."""
    rows = []
    for activation, seed, step in product(activations, range(seeds), (0, 2, STEP)):
        lost = (activation, seed) in diverged
        common = {
            "run": f"{readout} {activation}",
            "activation": activation,
            "delta": None,
            "noise_variance": 1.0,
            "clusters": 4,
            "targets": 2,
            "depth": 1,
            "readout": readout,
            "seed": seed,
            "step": step,
            "diverged_step": 1.0 if lost else None,
        }
        level = 0.5 + 0.2 * (activation == "tanh") * (1 + (readout == "groups")) + 0.01 * seed**2
        found = [] if step == 2 else panels(level * (1 + step))
        if readout == "groups":
            found += weights(activation, seed, step)
            found += [] if step == 2 else tunings(activation)
        if lost and step >= 1:
            found = [
                {"measure": name, "variant": "diverged", "value": None}
                for name in ("selectivity", "tuning")
            ]
        nothing = {"deviation": None, "neuron": None, "cluster": None}
        rows += [common | nothing | row for row in found]
    numbers = ["delta", "deviation", "neuron", "cluster", "value", "diverged_step"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))


def panels(level):
    tested = {name: [("centres", None)] for name in PANELS[:3]}
    tested |= {name: [("samples", 1.0), ("samples", 3.0)] for name in PANELS[3:]}
    return [
        {"measure": measure, "variant": variant, "deviation": deviation, "value": level}
        for measure, several in tested.items()
        for variant, deviation in several
    ]


def weights(activation, seed, step):
    """Return the weights of neurons with a positive weight to the first output. Half of each group
    end inter-selective; in ReLU networks of odd seeds none do."""
    rows = [
        {"measure": "weight", "variant": variant, "neuron": neuron, "value": value * (1 + step)}
        for neuron, group in GROUP_OF.items()
        if group[0] == "+"
        for variant, value in (
            ("inter", 0.1),
            ("intra", 0.05 if neuron % 2 and (activation == "tanh" or seed % 2 == 0) else 0.2),
        )
    ]
    return rows + [
        {"measure": "centre", "variant": variant, "cluster": cluster, "value": value}
        for variant, values in CENTRES.items()
        for cluster, value in enumerate(values)
    ]


def tunings(activation):
    """Return the tunings of each group. In tanh networks: 1.2 and 0.8 to matched clusters, the
    negative to mismatched ones, and 0.1 and 0 to half-matched ones. In ReLU networks: -0.25 and
    -0.3."""
    rows = []
    for neuron, group in GROUP_OF.items():
        values = {
            1: 1.2 if neuron % 2 else 0.8,
            0: (0.1 * (neuron % 2)) if activation == "tanh" else -0.3,
            -1: -1.0 if activation == "tanh" else -0.25,
        }
        rows += [
            {"measure": "tuning", "variant": "centres", "neuron": neuron, "cluster": cluster,
             "value": values[int(np.sign(error))]}
            for cluster, error in enumerate(group_errors(group))
        ]  # fmt: skip
        rows += [
            {"measure": "readout", "variant": f"target {target}", "neuron": neuron, "value": value}
            for target, value in enumerate(READOUT_GROUPS[group])
        ]
    return rows


@cache
def make_table(**changes):
    rows = {"groups": sweep(**changes), "control": sweep("normal", **changes)}
    return fig07.tabulate(rows, STEP)


@cache
def table_of_neurons(**changes):
    return fig07C.tabulate({"groups": sweep(**changes)}, STEP)


def of(table, measure, **columns):
    rows = table[table["measure"] == measure]
    for column, value in columns.items():
        rows = rows[rows[column].isna() if value is None else rows[column] == value]
    return rows


# Groups.


@pytest.mark.parametrize(
    ("group", "errors"),
    [("++", [1, 0, 0, -1]), ("+-", [0, 1, -1, 0]), ("-0", [-1, -1, 1, 1]), ("0+", [1, -1, 1, -1])],
)
def test_a_group_is_sent_errors_by_the_clusters_that_match_its_readout_weights(group, errors):
    scale = 1 if "0" in group else 2**0.5
    assert group_errors(group) == pytest.approx(scale * np.array(errors), abs=1e-12)


def test_the_group_of_a_neuron_is_told_by_its_readout_weights():
    tuning = tuning_rows(sweep())
    found = tuning.drop_duplicates("neuron").set_index("neuron")["variant"]
    assert found.to_dict() == GROUP_OF


# Statistics of one network.


def statistic(measure, **columns):
    rows = statistic_rows(tuning_rows(sweep(seeds=1).query("step == @STEP")))
    [value] = of(rows, measure, **columns)["value"]
    return value


@pytest.mark.parametrize(("activation", "value"), [("tanh", 0.05), ("relu", 0.3)])
def test_tuning_to_half_matched_clusters_is_told_against_that_to_the_matched_one(activation, value):
    assert statistic("half_matched_ratio", variant="+-", activation=activation) == pytest.approx(
        value
    )


@pytest.mark.parametrize(("activation", "value"), [("tanh", 0.0), ("relu", 0.75)])
def test_tuning_is_asymmetric_where_mismatched_clusters_repel_less_than_the_matched_attracts(
    activation, value
):
    assert statistic("tuning_asymmetry", variant="0-", activation=activation) == pytest.approx(
        value, abs=1e-12
    )


def test_the_variation_within_a_group_is_that_of_its_neurons_tuning_to_a_matched_cluster():
    expected = np.std([0.8, 1.2], ddof=1)
    assert statistic("tuning_variation", variant="+0", activation="relu") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("group", "activation", "value"),
    # Two clusters match a group that speaks to one output.
    [("++", "relu", 1.0), ("++", "tanh", 0.5), ("+0", "relu", 0.0)],
)
def test_neurons_select_one_cluster_where_they_are_tuned_positively_to_it_alone(
    group, activation, value
):
    assert statistic("one_cluster", variant=group, activation=activation) == value


def test_neurons_that_are_tuned_to_one_mismatched_cluster_alone_do_not_select_their_own():
    metrics = sweep(seeds=1).query("step == @STEP")
    metrics.loc[metrics["measure"] == "tuning", "value"] *= -1
    rows = statistic_rows(tuning_rows(metrics))
    assert of(rows, "one_cluster", activation="relu", variant="++")["value"].tolist() == [0.0]


def test_statistics_of_groups_are_pooled_over_those_that_speak_to_both_outputs_or_to_one():
    metrics = sweep(seeds=1).query("step == @STEP")
    own = (metrics["measure"] == "tuning") & (metrics["neuron"].map(GROUP_OF) == "--")
    mismatched = own & (metrics["cluster"] == 0) & (metrics["activation"] == "tanh")
    metrics.loc[mismatched, "value"] = 0.0
    rows = of(statistic_rows(tuning_rows(metrics)), "tuning_asymmetry", activation="tanh")
    found = rows.set_index("variant")["value"]
    assert found["--"] == pytest.approx(1.0)
    assert found["conjunctive"] == pytest.approx(0.25)
    assert found["single"] == pytest.approx(0.0)


# The table.


def test_statistics_are_in_the_table_for_each_network_and_as_medians():
    rows = of(table_of_neurons(), "tuning_asymmetry", variant="conjunctive", activation="relu")
    assert sorted(rows["seed"].dropna()) == [0, 1, 2, 3]
    [median] = rows[rows["seed"].isna()].to_dict("records")
    assert median["value"] == pytest.approx(0.75)
    assert some(np.isnan([median["low"], median["high"]])).all(), "there are four"


def test_the_tuning_of_single_neurons_in_the_table_is_that_of_one_network_after_training():
    rows = of(table_of_neurons(), "tuning")
    assert set(rows["seed"]) == {0}
    assert set(rows["step"]) == {STEP}
    assert len(rows) == 2 * len(NEURONS) * 4


def test_activations_are_compared_in_pairs_of_networks_for_each_readout():
    rows = of(make_table(), "target_alignment", contrast="tanh - relu", step=STEP)
    found = rows.set_index("readout")["value"]
    assert found.to_dict() == pytest.approx({"groups": 0.4 * 6, "normal": 0.2 * 6})


def test_what_the_groups_change_is_the_difference_between_their_effect_and_that_of_the_control():
    contrast = "tanh - relu, groups - control"
    [row] = of(make_table(), "parallelism", contrast=contrast, step=STEP).to_dict("records")
    assert row["value"] == pytest.approx(0.2 * 6)


@pytest.mark.parametrize("group", ["+0", "++"])
def test_trajectories_are_those_of_the_neurons_of_a_group_at_every_step(group):
    rows = of(table_of_neurons(), "weight", variant=f"{group} inter", activation="relu")
    assert set(rows["neuron"].map(GROUP_OF)) == {group}
    assert set(rows["step"]) == {0, 2, STEP}
    assert set(rows["seed"]) == {0}


@pytest.mark.parametrize("group", ["+0", "++"])
def test_the_field_of_a_group_is_that_of_the_errors_that_reach_it(group):
    rows = of(table_of_neurons(), "field", variant=f"{group} inter", activation="relu")
    places = rows[["intra", "inter"]].to_numpy()
    centres = np.array([CENTRES["intra"], CENTRES["inter"]], float).T
    expected = gradient_field(places, centres, group_errors(group), 1.0, "relu")
    assert rows["value"].to_numpy() == pytest.approx(expected[:, 1], abs=1e-12)


def test_the_inter_selective_fraction_is_that_of_a_group_in_every_network():
    rows = of(table_of_neurons(), "inter_selective", variant="++ fraction")
    found = rows.groupby("activation")["value"].apply(list).to_dict()
    assert found == {"tanh": [0.5] * 4, "relu": [0.5, 0.0, 0.5, 0.0]}


def test_a_network_that_diverged_has_no_part_in_means_and_pairs():
    lost = (("relu", 3),)
    table = table_of_neurons(diverged=lost)
    statistics = of(table, "tuning_asymmetry", variant="single")
    assert sorted(statistics.dropna(subset="seed").groupby("activation").size()) == [3, 4]
    assert of(table, "inter_selective", activation="relu")["seed"].max() == 2
    with_it, without = (
        of(made, "parallelism", contrast="tanh - relu", step=0)["value"].tolist()
        for made in (make_table(), make_table(diverged=lost))
    )
    assert with_it == without  # before it diverged
