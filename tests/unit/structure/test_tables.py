"""What goes into the table of each figure, from metrics made up by hand."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from selections import some
from stages import make_metrics, whole_table
from stages import product as figure_of
from stages import run as run_stage

from repatlas.artifacts.files import read_table
from repatlas.config.config import read_config
from repatlas.dynamics.field import gradient_field
from repatlas.plan.plan import Plan
from repatlas.stages import in_order, tabulate
from repatlas.studies.structure.columns import TABLE_SCHEMA
from repatlas.studies.structure.figures.fig01 import table as fig01
from repatlas.studies.structure.figures.fig02 import table as fig02
from repatlas.studies.structure.figures.fig03 import table as fig03
from repatlas.studies.structure.rows.panels import PANELS, panel_rows
from repatlas.studies.structure.rows.trajectories import class_errors, grid, plane, trajectory_rows

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


@pytest.mark.parametrize("deviation", [0.5, 12])
def test_any_test_deviation_is_drawn(made_up_metrics, deviation):
    metrics = made_up_metrics().assign(measure="ccgp", variant="samples", deviation=deviation)
    assert len(panel_rows(metrics)) == len(metrics)


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


def test_the_centres_stand_in_the_table_once_for_each_network(made_up_metrics):
    centres = of(trajectory_rows(made_up_metrics(selectivity=True, seeds=3)), "centre")
    assert len(centres) == 2 * 3 * 4  # activations, axes, clusters
    assert plane(of(centres, "centre", activation="tanh")).tolist() == [
        [8, 3],
        [-8, 3],
        [0, -3],
        [0, -3],
    ]


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


def test_the_fields_of_a_task_have_one_grid_whatever_the_activation(made_up_metrics):
    metrics = made_up_metrics(selectivity=True)
    metrics.loc[(metrics["measure"] == "weight") & (metrics["activation"] == "relu"), "value"] *= 5
    field = of(trajectory_rows(metrics), "field")
    reach = field.groupby("activation")["intra"].max()
    assert reach["tanh"] == reach["relu"]


def test_each_task_has_fields_of_its_own(made_up_metrics):
    field = of(trajectory_rows(made_up_metrics(selectivity=True, deltas=DELTAS)), "field")
    assert field.groupby(["delta", "activation"]).size().tolist() == [2 * 21 * 21] * 6


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


def test_the_grid_is_a_square_round_the_origin():
    places = grid(2.0, 5)
    assert places.shape == (25, 2)
    assert {tuple(place) for place in places} == {
        (x, y) for x in (-2, -1, 0, 1, 2) for y in (-2, -1, 0, 1, 2)
    }


@pytest.mark.parametrize("clusters", [4, 6])
def test_errors_are_positive_for_the_first_half_of_the_clusters(clusters):
    half = clusters // 2
    assert class_errors(clusters).tolist() == [1] * half + [-1] * half


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


def test_figure_1_shades_the_plane_by_the_slope(made_up_metrics):
    rows = {"sweep": made_up_metrics(), "trajectories": made_up_metrics(selectivity=True)}
    shading = of(fig01.tabulate(rows, None), "slope", variant="plane", activation="relu")
    activity = shading[["intra", "inter"]].to_numpy() @ np.array([-8, 3])  # the second centre
    off_the_bend = np.abs(activity) > 1e-9
    assert np.array_equal(shading["value"][off_the_bend] == 1, activity[off_the_bend] > 0)
    assert shading["intra"].max() > 8  # the centres are in view


def test_figure_2_shows_the_step_that_the_config_names(made_up_metrics):
    rows = {
        "sweep": made_up_metrics(deltas=DELTAS, steps=(0, 5, 9)),
        "trajectories": made_up_metrics(deltas=DELTAS, selectivity=True),
    }
    table = whole_table(fig02, rows, 5)
    assert set(of(table, "target_alignment")["step"]) == {5}
    assert set(of(table, "weight")["step"]) == {0, 5}
    alignment = of(table, "target_alignment")
    assert alignment["seed"].notna().sum() == 2 * 3 * 2  # activations, deltas, seeds


def test_figure_3_shows_the_step_that_the_config_names(made_up_metrics):
    metrics = made_up_metrics(deltas=DELTAS, variances=(0.0, 4.0), steps=(0, 5, 9))
    table = whole_table(fig03, {"sweep": metrics}, 9)
    assert set(table["step"]) == {9}
    networks = table[table["contrast"].isna()]
    assert len(of(networks, "target_alignment")) == 2 * 3 * 2 * 2


def test_figure_3_has_the_paired_difference_of_each_setting(made_up_metrics):
    metrics = made_up_metrics(deltas=DELTAS, variances=(0.0, 4.0), seeds=6)
    effects = of(
        whole_table(fig03, {"sweep": metrics}, 5), "target_alignment", contrast="tanh - relu"
    )
    settings = effects[["delta", "noise_variance"]].to_numpy().tolist()
    assert sorted(settings) == [[delta, variance] for delta in DELTAS for variance in (0.0, 4.0)]
    assert some(effects[["value", "low", "high"]].to_numpy()) == pytest.approx(0.2)


# The stage.


@pytest.fixture
def tabulated(tmp_path, small_values, monkeypatch):
    """The stages from tasks to a table, run by hand: a figure in, its table out."""

    monkeypatch.chdir(tmp_path)

    def run(name, drop_last_metrics=False):
        figure, plan = figure_of(name), Plan(read_config(small_values))
        metrics = [str(make_metrics(plan, shard)) for shard in plan.shards_of(figure)]
        if drop_last_metrics:
            metrics.pop()
        output = tmp_path / f"{name}.parquet"
        run_stage(tabulate, plan.tabulate_job(figure), output, "--metrics", *metrics)
        return read_table(output, "table", TABLE_SCHEMA)

    return run


def test_a_table_holds_the_networks_of_its_sweep_with_their_settings(tabulated, small_values):
    small_values["sweeps"]["noise"]["task"]["noise_variance"] = [1.0, 4.0]
    header, table = tabulated("fig03")
    table = table.to_pandas()
    assert header["job"]["figure"] == "fig03"
    settings = ["activation", "delta", "noise_variance", "seed"]
    networks = of(table[table["contrast"].isna()], "target_alignment")
    assert len(networks) == len(networks[settings].drop_duplicates()) == 2 * 3 * 2 * 2
    assert set(table["delta"]) == {0.0, 0.5, 1.0}
    assert set(table["noise_variance"]) == {1.0, 4.0}


def test_a_table_that_lacks_a_seed_of_its_sweep_is_refused(tabulated):
    with pytest.raises(ValueError, match="no file of metrics has seed 1"):
        tabulated("fig03", drop_last_metrics=True)


def test_the_rows_of_a_table_do_not_depend_on_the_order_of_the_metrics(tmp_path, tabulated):
    _, table = tabulated("fig01")
    header, _ = read_table(tmp_path / "fig01.parquet", "table", TABLE_SCHEMA)
    backwards = sorted(map(str, tmp_path.rglob("metrics/**/seed-*.parquet")), reverse=True)
    assert [path[-14:] for path in backwards] == ["seed-1.parquet", "seed-0.parquet"]
    output = tmp_path / "again.parquet"
    job = json.dumps(header["job"], sort_keys=True)
    tabulate.main(["--job", job, "--metrics", *backwards, "--output", str(output)])
    assert header["job"]["figure"] == "fig01"
    again, same = read_table(output, "table", TABLE_SCHEMA)
    assert same.equals(table)
    assert again == header  # its digest and identity, too


@pytest.mark.parametrize("rows", [pytest.param(1, marks=pytest.mark.slow), 100])
def test_a_table_is_the_same_however_many_seeds_are_read_at_a_time(
    rows, tmp_path, tabulated, monkeypatch
):
    header, table = tabulated("fig02")
    monkeypatch.setattr(tabulate, "ROWS_AT_A_TIME", rows)
    monkeypatch.setattr(in_order, "ROWS_OF_A_RUN", rows)
    monkeypatch.setattr(in_order, "ROWS_OF_A_PIECE", 7 * rows)
    again, same = tabulated("fig02")
    assert again == header  # its digest, too
    assert same.equals(table)
    assert pq.read_metadata(tmp_path / "fig02.parquet").num_row_groups > 1


def test_rows_are_sorted_on_disk_as_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(in_order, "ROWS_OF_A_RUN", 50)
    monkeypatch.setattr(in_order, "ROWS_OF_A_PIECE", 64)
    generator = np.random.default_rng(0)
    names = ["measure", "delta", "seed", "neuron", "value", "run"]
    schema = pa.schema([(name, TABLE_SCHEMA.field(name).type) for name in names])
    rows = in_order.ExternalSort(tmp_path, schema, ["measure", "delta", "seed", "neuron"])
    added = []
    for seed in (0, 1, 5, None):
        kinds = generator.choice(["a", "b", "c" if seed == 5 else "a"], 97)
        of_seed = {
            "measure": kinds,
            "delta": generator.choice([0.0, 0.5, np.nan], 97),
            "seed": seed,
            "neuron": generator.choice([0, 1, np.nan], 97),
            "value": generator.normal(size=97),
        }
        added.append(pd.DataFrame(of_seed))
        rows.add(added[-1])
    together = pd.concat(added).sort_values(names[:4], kind="stable", ignore_index=True)
    assert pa.concat_tables(rows.tables()).equals(in_order.typed(together, schema))
    of_measures = [set(some["measure"]) for some in rows.groups(["measure"])]
    assert of_measures == [{"a"}, {"b"}, {"c"}]
    assert sum(len(some) for some in rows.groups(["measure", "delta"])) == len(together)


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


def test_a_pair_is_lost_with_either_of_its_networks(made_up_metrics):
    rows = {
        "sweep": made_up_metrics(deltas=DELTAS, seeds=6, diverged={("relu", 0.5, 1.0, 3): 5}),
        "trajectories": made_up_metrics(deltas=DELTAS, selectivity=True),
    }
    effects = of(whole_table(fig02, rows, 5), "target_alignment", contrast="tanh - relu")
    assert effects["delta"].tolist() == [0.0, 0.5, 1.0]
    assert effects["low"].isna().tolist() == [False, True, False]  # five pairs: no interval


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
