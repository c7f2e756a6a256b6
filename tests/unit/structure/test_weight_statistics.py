"""What the input weights of a network tell of it, by hand."""

import pandas as pd

from repatlas.studies.structure import fig02, fig05, figS3
from repatlas.studies.structure.rows.weights import expected_rows, weight_rows

CENTRES = {"intra": [8.0, -8.0, 0.0, 0.0], "inter": [3.0, 3.0, -3.0, -3.0]}


def network(weights, activation="tanh", **more):
    """Return the rows of one network. weights: for each step the (intra, inter) of each neuron."""
    like = {"run": activation, "seed": 0, "activation": activation, "delta": 0.5}
    like |= {"noise_variance": 1.0} | more
    rows = [
        {"measure": "weight", "step": step, "neuron": neuron, "variant": axis, "value": value}
        for step, neurons in weights.items()
        for neuron, place in enumerate(neurons)
        for axis, value in zip(("intra", "inter"), place, strict=True)
    ]
    rows += [
        {"measure": "centre", "step": step, "cluster": cluster, "variant": axis, "value": value}
        for step in weights
        for axis, values in CENTRES.items()
        for cluster, value in enumerate(values)
    ]
    return pd.DataFrame([like | row for row in rows]).reindex(
        columns=[*like, "measure", "step", "neuron", "cluster", "variant", "value"]
    )


def value_of(rows, measure, variant="positive readout"):
    [value] = rows[(rows["measure"] == measure) & (rows["variant"] == variant)]["value"]
    return value


def test_how_many_weights_lose_intra_and_gain_inter_class_selectivity_and_where_these_start():
    before = [(2.0, 1.0), (-2.0, 1.0), (3.0, -1.0), (1.0, 2.0)]
    after = [(1.0, 2.0), (3.0, 2.0), (-4.0, -2.0), (0.5, 1.0)]
    rows = weight_rows(network({0: before, 10: after}))
    assert value_of(rows, "intra_fell") == 2 / 4
    assert value_of(rows, "inter_rose") == 2 / 4
    assert value_of(rows, "intra_fell", "starts intra-class") == 1 / 3
    assert value_of(rows, "intra_fell", "starts inter-class") == 1
    assert value_of(rows, "inter_rose", "starts intra-class") == 2 / 3
    assert value_of(rows, "inter_rose", "starts inter-class") == 0


def test_the_expected_update_of_a_linear_network_has_no_intra_class_part():
    weights = {0: [(2.0, 1.0), (-0.3, 0.4)]}
    [linear] = expected_rows(network(weights, "identity"))["value"]
    assert linear < 1e-12
    [bent] = expected_rows(network(weights, "tanh"))["value"]
    assert bent > 1e-3


def rows_with(*measures, **columns):
    like = {"run": "a", "seed": 0, "variant": "centres", "value": 0.5} | columns
    return pd.DataFrame([like | {"measure": measure} for measure in measures])


def test_figure_2_tells_weights_beside_a_bias_from_those_without(made_up_metrics):
    trajectories = made_up_metrics(selectivity=True, deltas=(0.0,))
    rows = {
        "sweep": made_up_metrics(deltas=(0.0,)),
        "trajectories": trajectories,
        "biased": trajectories.assign(run="biased"),
    }
    table = fig02.per_network(rows, 5)
    shares = table[table["measure"] == "inter_energy"]
    by_variant = shares.groupby("variant")["run"].agg(set)
    assert by_variant["hidden bias"] == {"biased"}
    assert "biased" not in by_variant["positive readout"]


def test_figure_2_tells_whether_the_networks_of_the_trajectories_learned(made_up_metrics):
    metrics = made_up_metrics(selectivity=True, deltas=(0.0,))
    accuracy = rows_with("accuracy", run="tanh", variant="test", step=5)
    rows = {"sweep": made_up_metrics(deltas=(0.0,)), "trajectories": pd.concat([metrics, accuracy])}
    assert set(fig02.per_network(rows, 5).query("measure == 'accuracy'")["run"]) == {"tanh"}


def test_parities_are_in_the_table_of_figure_5_and_no_panel_draws_them():
    layers, parity = (
        rows_with("target_alignment", run=run, alignment=None) for run in ("flat", "parity")
    )
    table = fig05.per_network({"layers": layers, "parity": parity}, 10)
    assert table.set_index("run")["variant"].to_dict() == {
        "flat": "centres",
        "parity": "centres, parities",
    }


def test_figure_s3_has_the_accuracy_and_the_clipped_relu_of_its_lines(made_up_metrics):
    task = {"kernel": "maximal", "alignment": 0.1, "step": 5}
    lines = pd.concat(
        [
            made_up_metrics().assign(**task),
            rows_with("accuracy", run="tanh", variant="test", activation="tanh", **task),
        ]
    )
    clipped = lines.iloc[:1].assign(run="clipped", activation="clipped_relu")
    separability = made_up_metrics(deltas=(0.0, 1.0)).assign(kernel=None, alignment=None)
    table = figS3.tabulate({"separability": separability, "lines": lines, "clipped": clipped}, None)
    assert (table["measure"] == "accuracy").sum() == 1
    assert set(table[table["run"] == "clipped"]["activation"]) == {"clipped_relu"}
    assert "clipped_relu" not in set(table[table["contrast"].notna()]["activation"].dropna())
