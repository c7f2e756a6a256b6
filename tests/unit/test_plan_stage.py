"""What a run would cost: networks, jobs, time and disk, counted before anything is made."""

import contextlib
import json
import shutil
from pathlib import Path

import pytest
from asked import config_of
from matplotlib.figure import Figure
from stages import product

from repatlas.artifacts.files import read_header
from repatlas.artifacts.runs import Parts, read_runs, write_runs
from repatlas.config.config import read_config
from repatlas.operations import estimate as stage
from repatlas.operations.blocks import Blocks
from repatlas.operations.costs import SMALL_JOB, Cost, shipped
from repatlas.operations.estimate import estimate, work_left
from repatlas.operations.expected import expected_files, is_there
from repatlas.plan.plan import Plan

UNITS_OF_TRAINING = {("clusters", "train"): Cost(0, 1), ("clusters", "measure"): Cost(0, 0)}
UNITS_OF_MEASURING = {("clusters", "train"): Cost(0, 0), ("clusters", "measure"): Cost(0, 1)}
STARTS = {("clusters", "train"): Cost(1000, 0), ("clusters", "measure"): Cost(10, 0)}
ALL = ("fig01", "fig02", "fig03")


def estimated(values, *figures, models=UNITS_OF_TRAINING):
    plan = Plan(read_config(values))
    files = expected_files(plan)
    work = work_left(plan, files, models)
    blocks = Blocks(files, lambda name: is_there(files[name]))
    return estimate(plan, list(map(product, figures)), files, work, blocks)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def empty_figure():
    figure = Figure(layout="constrained")
    figure.subplots()
    return figure


@pytest.fixture(scope="module")
def whole(tmp_path_factory, make_small_values, make_all):
    """All results of the small config. Its pictures are empty: no test here looks at them."""
    folder = tmp_path_factory.mktemp("whole")
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patched:
        for figure in ALL:
            drawing = f"repatlas.studies.structure.figures.{figure}.drawing.draw"
            patched.setattr(drawing, lambda *_: empty_figure())
        make_all(make_small_values())
    return folder / "results"


@pytest.fixture
def everything(whole):
    """All results of the small config, in this folder."""
    shutil.copytree(whole, "results", symlinks=True)


@pytest.fixture
def figure_3(everything):
    """Remove the results of all figures except Figure 3."""
    for path in [
        *Path("results/store").glob("*/*/unstructured-*"),
        *Path("results/store").glob("*/*/fig0[12]"),
    ]:
        shutil.rmtree(path)


def lose_what_was_made_from(seed):
    """Remove the metrics of the networks of Figure 3 of a seed, and its table and picture, so that
    its networks are needed."""
    results = Path("results")
    for name in [
        *results.glob(f"metrics/clusters/separable-*/seed-{seed}.parquet"),
        *results.glob("structure/*/fig03.*"),
    ]:
        name.resolve().unlink()


PRODUCTS = 8 * (12 + 1) * 20
"""In a training step of a network: width, inputs and target, and batch."""
# 2 seeds, times tanh and ReLU, times 3 deltas, times 3 variances.
NETWORKS = {"fig01": 2 * 2, "fig02": 2 * 2 * 3, "fig03": 2 * 2 * 3 * 3}


@pytest.mark.parametrize("figure", ALL)
def test_a_figure_needs_the_networks_of_its_sweeps_each_once(small_values, figure):
    """The two sweeps of Figures 1 and 2 are of the same networks."""
    found = estimated(small_values, figure)
    assert found.networks == NETWORKS[figure]
    assert found.jobs == 3 + 2  # tasks, runs and metrics of both seeds; a table and a figure


def test_a_network_that_two_figures_need_is_counted_once_in_all(small_values):
    """The networks of Figure 2 are the networks of Figure 3 at variance 1."""
    assert estimated(small_values, "fig02", "fig03").networks == NETWORKS["fig03"]
    found = estimated(small_values, *ALL)
    assert found.networks == NETWORKS["fig01"] + NETWORKS["fig03"]
    assert found.networks < sum(NETWORKS.values())
    assert found.jobs == 2 * 3 + 3 * 2


def test_networks_of_other_settings_are_counted_beside_each_other(small_values):
    small_values["sweeps"]["delta"]["training"]["learning_rate"] = 0.2
    small_values["sweeps"]["delta_paths"]["training"]["learning_rate"] = 0.3
    assert estimated(small_values, "fig02").networks == 2 * NETWORKS["fig02"]
    assert estimated(small_values, "fig02", "fig03").networks == (
        2 * NETWORKS["fig02"] + NETWORKS["fig03"]
    )


def test_training_costs_its_products_and_disk_its_checkpoints(small_values):
    found = estimated(small_values, "fig03")
    small = (2 + 2) * SMALL_JOB  # tasks of two seeds, table, figure: one job draws both files
    assert found.seconds == 36 * 5 * PRODUCTS + small
    assert found.megabytes == pytest.approx(36 * 3 * 8 * 12 * 4 / 1e6)


def test_deep_networks_cost_all_their_layers(small_values, any_role):
    for sweep in small_values["sweeps"].values():
        sweep["network"] |= {"depth": 3, "readout": "trained"}
    found = estimated(small_values, "fig03")
    layers = 8 * 12 + 2 * 8 * 8 + 1 * 8
    assert found.seconds == 36 * 5 * layers * 20 + 4 * SMALL_JOB
    output_bias = 1
    assert found.megabytes == pytest.approx(36 * 3 * (layers + output_bias) * 4 / 1e6)


def test_an_optimiser_takes_disk_for_its_state(small_values):
    """Adam has two numbers for each trained number, and only the last step keeps them."""
    for sweep in small_values["sweeps"].values():
        sweep["training"] |= {"optimiser": "adam"}
    found = estimated(small_values, "fig03")
    assert found.megabytes == pytest.approx(36 * (3 + 2) * 8 * 12 * 4 / 1e6)


def test_networks_that_do_not_go_on_cost_all_their_steps(small_values, make_all):
    for sweep in small_values["sweeps"].values():
        sweep["training"] |= {"optimiser": "adam"}
    make_all(small_values, ["fig03"])
    assert estimated(small_values, "fig03").networks == 0
    runs = next(Path("results/runs/clusters").glob("separable-*/seed-0.safetensors"))
    plan = Plan(read_config(small_values))
    wanted = plan.train_job(plan.shards[0]).wanted()
    whole = read_runs(
        runs, {key: run.steps for key, run in wanted.items()}, basis_of(plan, plan.shards[0])
    )
    assert len(whole) == 18
    runs = runs.resolve().rename(runs.resolve().with_stem("0" * 16))
    write_runs(runs, {"identity": "0" * 16}, {key: run.at([0, 2]) for key, run in whole.items()})
    lose_what_was_made_from(0)
    assert estimated(small_values, "fig03").seconds == 18 * 5 * PRODUCTS + 2 * SMALL_JOB


def test_measuring_costs_its_checkpoints_and_measures(small_values):
    found = estimated(small_values, "fig01", models=UNITS_OF_MEASURING)
    # Figure 1 needs 4 networks at 3 steps: the samples in all fits, of 2 deviations. CCGP: one
    # target; decoding: 3 dichotomies; 6 other measures.
    assert found.seconds == 4 * 3 * (2 * (2 + 1) + 2 * 3 + 6) * 40 + 4 * SMALL_JOB


def test_each_job_that_trains_or_measures_has_its_start(small_values):
    assert estimated(small_values, "fig03", models=STARTS).seconds == 1010 + 4 * SMALL_JOB
    assert estimated(small_values, *ALL, models=STARTS).seconds == 2 * 1010 + 10 * SMALL_JOB


def test_what_is_there_costs_nothing(small_values, everything):
    for figures in (*((figure,) for figure in ALL), ALL):
        assert estimated(small_values, *figures, models=STARTS) == (0, 0, 0, 0)


def test_what_is_there_of_another_figure_is_not_counted(small_values, figure_3):
    assert estimated(small_values, "fig02").networks == 0
    assert estimated(small_values, "fig02").jobs == 2  # the table and the figure
    assert estimated(small_values, *ALL).networks == NETWORKS["fig01"]


def test_new_settings_cost_the_new_networks_alone(small_values, figure_3):
    small_values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 1.0, 4.0, 9.0]
    found = estimated(small_values, "fig03")
    assert found.networks == 2 * 2 * 3
    assert found.jobs == 2 + 2  # no tasks
    assert found.seconds == 12 * 5 * PRODUCTS + 2 * SMALL_JOB
    measured = estimated(small_values, "fig03", models=UNITS_OF_MEASURING)
    assert measured.seconds == 12 * 3 * (2 * (2 + 1) + 2 * 3 + 3) * 40 + 2 * SMALL_JOB


def test_later_steps_cost_the_steps_that_are_left(small_values, figure_3):
    for sweep in small_values["sweeps"].values():
        sweep["steps"] = [0, 2, 5, 8]
    found = estimated(small_values, "fig03")
    assert found.networks == NETWORKS["fig03"]
    assert found.seconds == 36 * 3 * PRODUCTS + 2 * SMALL_JOB


def basis_of(plan, shard):
    """Return what the networks of a shard depend on."""
    data = Path(f"results/data/clusters/{shard.family}/seed-{shard.seed}.safetensors")
    return plan.train_job(shard).basis(read_header(data, "data")["digests"])


def test_networks_in_parts_are_there(small_values, figure_3):
    steps, shard = {}, next(Path("results/runs/clusters").glob("separable-*/seed-0.safetensors"))
    plan = Plan(read_config(small_values))
    for wanted_shard, key in plan.networks(product("fig03")):
        if wanted_shard.seed == 0:
            steps[key] = [0, 2, 5]
    runs = read_runs(shard, steps, basis_of(plan, plan.shards[0]))
    assert len(runs) == 18
    path = shard.resolve()
    path.unlink()
    lose_what_was_made_from(0)
    keys = sorted(runs)
    parts = Parts(path)
    parts.flush({key: runs[key].at([0, 2]) for key in keys[:10]})
    parts.flush({key: runs[key] for key in keys[:4]})
    damaged = parts.folder / "000003.safetensors"
    write_runs(damaged, {}, runs)
    damaged.write_bytes(damaged.read_bytes()[:100])
    found = estimated(small_values, "fig03")
    assert found.networks == 18 - 4
    assert found.seconds == (6 * 3 + 8 * 5) * PRODUCTS + 2 * SMALL_JOB
    assert damaged.exists()


def test_networks_of_other_code_are_to_be_trained_again(small_values, figure_3, monkeypatch):
    plan = Plan(read_config(small_values))
    codes = {each["code"] for each in basis_of(plan, plan.shards[0]).values()}
    codes |= {plan.train_job(shard).code for shard in plan.shards}
    small_values["accept_code"] = {"train": dict.fromkeys(codes, "0123456789ab")}
    monkeypatch.setenv("REPATLAS_ACCEPT_CODE", json.dumps(small_values["accept_code"]))
    assert estimated(small_values, "fig03").networks == NETWORKS["fig03"]


def test_networks_of_the_other_edition_are_there(small_values, make_all):
    make_all(small_values | {"preview": True}, ["fig03"])
    found = estimated(small_values, "fig03")
    assert found.networks == NETWORKS["fig03"] // 2  # one of the two seeds
    assert found.jobs == 3 + 2


def test_a_damaged_file_is_counted_and_left_as_it_is(small_values, figure_3):
    runs = next(Path("results/runs/clusters").glob("*/seed-1.safetensors"))
    table = Path("results/structure/tables/fig03.parquet")
    metrics = Path(str(runs).replace("runs", "metrics")).with_suffix(".parquet")
    for path in (runs, table, metrics, table.parents[1] / "figures/fig03.png"):
        path.write_bytes(path.read_bytes()[:100])
    found = estimated(small_values, "fig03")
    assert found.networks == NETWORKS["fig03"] // 2
    assert found.jobs == 4  # runs, metrics, table, figure
    assert runs.stat().st_size == table.stat().st_size == 100
    assert not list(Path("results").rglob("*.aside-*"))


def printed(values, capsys):
    capsys.readouterr()
    stage.main([config_of(values)])
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_table_has_a_row_for_each_figure_and_one_for_all(small_values, capsys):
    head, *rows, train, measure = printed(small_values, capsys)
    assert head == ["figure", "networks", "jobs", "core-minutes", "disk", "(MB)"]
    assert [row[:3] for row in rows[:3]] == [[f, str(NETWORKS[f]), "5"] for f in ALL]
    assert rows[3][:4] == ["in", "all", "40", "12"]
    seconds = estimated(small_values, *ALL, models={k: shipped(*k) for k in STARTS}).seconds
    assert rows[3][4] == f"{seconds / 60:.1f}"
    for line, name in ((train, "train"), (measure, "measure")):
        assert line == [
            name,
            "clusters:",
            *["the", "shipped", "model,", "from", "another", "machine"],
        ]


def test_the_table_says_to_how_many_jobs_the_model_was_fitted(small_values, capsys):
    for number, units in enumerate((1, 2, 3)):
        for name, text in (("logs", f"work: {units}\n"), ("benchmarks", f"s\n{10 + units}\n")):
            suffix = {"logs": "log", "benchmarks": "tsv"}[name]
            path = Path(f"results/{name}/train/clusters/x/seed-{number}.{suffix}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    *_, train, measure = printed(small_values, capsys)
    assert " ".join(train) == (
        "train clusters: fitted to 3 earlier jobs, each off by 0% (median) when estimated from the"
        " others"
    )
    assert measure[2:4] == ["the", "shipped"]
    shutil.rmtree("results")


@pytest.mark.parametrize("name", ["logs", "benchmarks"])
@pytest.mark.parametrize(
    "damage", [b"work: x\ns\nx\n", b"\xff\xfe", None], ids=["words", "bits", "folder"]
)
def test_a_damaged_record_of_an_earlier_job_is_named_and_left_out(
    small_values, capsys, tmp_path, monkeypatch, name, damage
):
    monkeypatch.chdir(tmp_path)
    for kind, text in (("logs", "work: 3\n"), ("benchmarks", "s\n13\n")):
        path = Path(f"results/{kind}/train/clusters/x/seed-0").with_suffix(
            {"logs": ".log"}.get(kind, ".tsv")
        )
        path.parent.mkdir(parents=True)
        if kind != name:
            path.write_text(text)
        elif damage is None:
            path.mkdir()
        else:
            path.write_bytes(damage)
    stage.main([config_of(small_values)])
    said = capsys.readouterr()
    assert said.err.count("left out: results/benchmarks/train/clusters/x/seed-0.tsv") == 1
    assert "in all" in said.out


def test_when_all_is_there_the_table_says_so(small_values, everything, capsys):
    rows = printed(small_values, capsys)[1:5]
    assert [row[-4:] for row in rows] == [["0", "0", "0.0", "0"]] * 4
