"""What goes into the table of each figure, from metrics made up by hand."""

import numpy as np
import pytest
from figure_tables import read_figure_table
from selections import some
from stages import whole_table

from repatlas.dynamics.field import gradient_field
from repatlas.studies.structure import fig01, fig02, fig03
from repatlas.studies.structure.rows.panels import PANELS, panel_rows
from repatlas.studies.structure.rows.trajectories import trajectory_rows

DELTAS = (0.0, 0.5, 1.0)
RELU_LOST = {("relu", None, 1.0, 1): 5}
"""The ReLU network of seed 1 diverged at step 5."""


def of(table, measure, **columns):
    rows = table[table["measure"] == measure]
    for column, value in columns.items():
        rows = rows[rows[column] == value]
    return rows


def test_panels_hold_their_six_measures_as_drawn_and_no_robustness_variants(made_up_metrics):
    rows = panel_rows(made_up_metrics())
    assert set(rows["measure"]) == set(PANELS)
    assert set(rows["variant"]) == {"centres", "samples"}
    assert set(rows["deviation"].dropna()) == {1, 3}
    # activations, seeds, steps; alignments and parallelism, decoders at two deviations
    assert len(rows) == 2 * 2 * 2 * (3 + 3 * 2)


def test_panels_hold_that_a_network_diverged(made_up_metrics):
    rows = panel_rows(made_up_metrics(diverged=RELU_LOST))
    lost = rows[rows["variant"] == "diverged"]
    assert set(lost["activation"]) == {"relu"}
    assert set(lost["seed"]) == {1}
    assert set(lost["step"]) == {5}
    assert some(lost["value"].isna()).all()


def test_trajectories_are_those_of_the_networks_of_seed_0_at_every_step(made_up_metrics):
    weights = of(trajectory_rows(made_up_metrics(selectivity=True, seeds=3)), "weight")
    assert set(weights["seed"]) == {0}
    assert set(weights["step"]) == {0, 5}
    assert len(weights) == 2 * 2 * 3 * 2  # activations, steps, neurons, axes


def test_the_inter_selective_fraction_is_that_of_all_seeds_at_the_last_step(made_up_metrics):
    fractions = of(trajectory_rows(made_up_metrics(selectivity=True, seeds=3)), "inter_selective")
    assert sorted(fractions["seed"]) == [0, 0, 1, 1, 2, 2]
    assert set(fractions["step"]) == {5}
    assert sorted(fractions["value"]) == [0.25, 0.25, 0.75, 0.75, 1.25, 1.25]


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_field_is_that_of_the_task_on_a_grid_that_holds_all_weights(
    made_up_metrics, activation
):
    table = trajectory_rows(made_up_metrics(selectivity=True, variances=(4.0,)))
    field = of(table, "field", activation=activation)
    inter, intra = (of(field, "field", variant=axis) for axis in ("inter", "intra"))
    places = inter[["intra", "inter"]].to_numpy()
    assert places.shape == (21 * 21, 2)
    assert np.abs(places).max() > of(table, "weight")["value"].abs().max()

    centres = np.array([[8, 3], [-8, 3], [0, -3], [0, -3]], float)
    expected = gradient_field(places, centres, np.array([1, 1, -1, -1]), 2.0, activation)
    assert intra["value"].to_numpy() == pytest.approx(expected[:, 0], abs=1e-12)
    assert inter["value"].to_numpy() == pytest.approx(expected[:, 1], abs=1e-12)


def test_that_a_network_diverged_goes_with_the_trajectories(made_up_metrics):
    table = trajectory_rows(made_up_metrics(selectivity=True, diverged=RELU_LOST))
    assert of(table, "selectivity")["seed"].tolist() == [1]
    assert sorted(of(table, "inter_selective", activation="relu")["seed"]) == [0]


def test_the_network_whose_trajectory_is_drawn_may_diverge(made_up_metrics):
    lost = {("relu", None, 1.0, 0): 5}
    table = trajectory_rows(made_up_metrics(selectivity=True, diverged=lost))
    for activation in ("tanh", "relu"):
        assert len(of(table, "centre", activation=activation)) == 12
        assert len(of(table, "field", activation=activation)) == 2 * 21 * 21
    trajectories = made_up_metrics(selectivity=True, diverged=lost)
    rows = {"sweep": made_up_metrics(), "trajectories": trajectories}
    weights = of(fig01.tabulate(rows, None), "example weight")
    assert set(weights["activation"]) == {"tanh", "relu"}


def test_figure_1_constructs_the_gradient_of_one_weight(made_up_metrics):
    rows = {"sweep": made_up_metrics(), "trajectories": made_up_metrics(selectivity=True)}
    table = fig01.tabulate(rows, None)
    for activation in ("tanh", "relu"):
        weight = of(table, "example weight", activation=activation)[["intra", "inter"]].to_numpy()
        centres = np.array([[8, 3], [-8, 3], [0, -3], [0, -3]], float)
        assert (weight @ centres[1])[0] == pytest.approx(1.5)  # it lies along x2
        gradient = of(table, "gradient", activation=activation)
        total = gradient.groupby("variant")["value"].sum()[["intra", "inter"]].to_numpy()
        expected = gradient_field(weight, centres, np.array([1, 1, -1, -1]), 0.0, activation)
        assert total == pytest.approx(expected[0])


def test_figure_3_has_the_paired_difference_of_each_setting(made_up_metrics):
    metrics = made_up_metrics(deltas=DELTAS, variances=(0.0, 4.0), seeds=6)
    effects = of(
        whole_table(fig03, {"sweep": metrics}, 5), "target_alignment", contrast="tanh - relu"
    )
    settings = effects[["delta", "noise_variance"]].to_numpy().tolist()
    assert sorted(settings) == [[delta, variance] for delta in DELTAS for variance in (0.0, 4.0)]
    assert some(effects[["value", "low", "high"]].to_numpy()) == pytest.approx(0.2)


# The stage.


def test_a_table_holds_the_networks_of_its_sweep_with_their_settings(
    one_figure_values, make_tables, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    sweep = one_figure_values["sweeps"]["noise"]
    sweep |= {"seeds": 2, "task": sweep["task"] | {"noise_variance": [1.0, 4.0]}}
    plan = make_tables(one_figure_values)
    header, table = read_figure_table(plan.folder / "structure/tables/fig03.parquet")
    table = table.to_pandas()
    assert header["job"]["figure"] == "fig03"
    settings = ["activation", "delta", "noise_variance", "seed"]
    networks = of(table[table["contrast"].isna()], "target_alignment")
    assert len(networks) == len(networks[settings].drop_duplicates()) == 2 * 3 * 2 * 2
    assert set(table["delta"]) == {0.0, 0.5, 1.0}
    assert set(table["noise_variance"]) == {1.0, 4.0}


def test_figures_1_and_2_hold_the_median_of_the_differences_between_paired_networks(
    made_up_metrics,
):
    rows = {"sweep": made_up_metrics(seeds=6), "trajectories": made_up_metrics(selectivity=True)}
    rows["sweep"].loc[rows["sweep"]["seed"] == 5, "value"] += 9  # in both: the pair is as before
    effects = fig01.tabulate(rows, None)
    effects = effects[effects["contrast"] == "tanh - relu"]
    assert len(effects) == 2 * (3 + 3 * 2)  # steps; alignments and parallelism, two deviations
    assert set(effects["measure"]) == set(PANELS)
    # Made up: tanh is 0.2 above.
    assert some(effects[["value", "low", "high"]].to_numpy()) == pytest.approx(0.2)
    assert some(effects["seed"].isna()).all()


def test_figure_2_holds_the_delta_at_which_target_alignment_reaches_three_quarters(made_up_metrics):
    sweep = made_up_metrics(deltas=DELTAS, seeds=6)
    of_alignment = (sweep["measure"] == "target_alignment") & (sweep["step"] == 5)
    for activation, values in (("tanh", (0.5, 1.0, 1.0)), ("relu", (0.1, 0.2, 0.3))):
        for delta, value in zip(DELTAS, values, strict=True):
            cell = (sweep["activation"] == activation) & (sweep["delta"] == delta)
            sweep.loc[of_alignment & cell, "value"] = value
    rows = {"sweep": sweep, "trajectories": made_up_metrics(deltas=DELTAS, selectivity=True)}
    table = whole_table(fig02, rows, 5)
    reached = table[table["contrast"] == "target alignment reaches 0.75"].set_index("activation")
    assert reached.loc["tanh", ["value", "low", "high"]].tolist() == [0.25] * 3
    assert some(reached.loc["relu", ["value", "low", "high"]].isna()).all()


def test_figure_2_holds_the_delta_from_which_on_tanh_has_more_target_alignment(made_up_metrics):
    sweep = made_up_metrics(deltas=DELTAS, seeds=6)
    first = (sweep["activation"] == "tanh") & (sweep["delta"] == 0)
    sweep.loc[first, "value"] -= 0.6  # 0.4 below ReLU at 0, 0.2 above from 0.5 on
    rows = {"sweep": sweep, "trajectories": made_up_metrics(deltas=DELTAS, selectivity=True)}
    table = whole_table(fig02, rows, 5)
    [change] = table[table["contrast"] == "tanh - relu changes sign"].to_dict("records")
    assert change["measure"] == "target_alignment"
    assert (change["value"], change["low"], change["high"]) == pytest.approx((1 / 3,) * 3)
