"""What a run would cost: networks, jobs and time, counted before anything is made."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from asked import config_of
from matplotlib.figure import Figure
from stages import product

from repatlas.artifacts.files import read_header
from repatlas.artifacts.runs import Parts, read_runs, write_runs
from repatlas.config.config import read_config
from repatlas.operations import plan_command as stage
from repatlas.operations.expected import expected_files
from repatlas.operations.plan_command import work_left
from repatlas.plan.plan import Plan

ALL = ("fig01", "fig02", "fig03")


class Left(NamedTuple):
    networks: int
    jobs: int
    seconds: float


def left(values, *figures):
    plan = Plan(read_config(values))
    return Left(*work_left(plan, list(map(product, figures)), expected_files(plan)))


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


# 2 seeds, times tanh and ReLU, times 3 deltas, times 3 variances.
NETWORKS = {"fig01": 2 * 2, "fig02": 2 * 2 * 3, "fig03": 2 * 2 * 3 * 3}


@pytest.mark.parametrize("figure", ALL)
def test_a_figure_needs_the_networks_of_its_sweeps_each_once(small_values, figure):
    """The two sweeps of Figures 1 and 2 are of the same networks."""
    found = left(small_values, figure)
    assert found.networks == NETWORKS[figure]
    assert found.jobs == 3 + 2  # tasks, runs and metrics of both seeds; a table and a figure


def test_a_network_that_two_figures_need_is_counted_once_in_all(small_values):
    """The networks of Figure 2 are the networks of Figure 3 at variance 1."""
    assert left(small_values, "fig02", "fig03").networks == NETWORKS["fig03"]
    found = left(small_values, *ALL)
    assert found.networks == NETWORKS["fig01"] + NETWORKS["fig03"]
    assert found.networks < sum(NETWORKS.values())
    assert found.jobs == 2 * 3 + 3 * 2


def test_networks_of_other_settings_are_counted_beside_each_other(small_values):
    small_values["sweeps"]["delta"]["training"]["learning_rate"] = 0.2
    small_values["sweeps"]["delta_paths"]["training"]["learning_rate"] = 0.3
    assert left(small_values, "fig02").networks == 2 * NETWORKS["fig02"]
    assert left(small_values, "fig02", "fig03").networks == (
        2 * NETWORKS["fig02"] + NETWORKS["fig03"]
    )


def test_what_is_there_costs_nothing(small_values, everything):
    for figures in (*((figure,) for figure in ALL), ALL):
        assert left(small_values, *figures) == (0, 0, 0)


def test_what_is_there_of_another_figure_is_not_counted(small_values, figure_3):
    assert left(small_values, "fig02").networks == 0
    assert left(small_values, "fig02").jobs == 2  # the table and the figure
    assert left(small_values, *ALL).networks == NETWORKS["fig01"]


def test_new_settings_cost_the_new_networks_alone(small_values, figure_3):
    small_values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 1.0, 4.0, 9.0]
    found = left(small_values, "fig03")
    assert found.networks == 2 * 2 * 3
    assert found.jobs == 2 + 2  # no tasks


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
    found = left(small_values, "fig03")
    assert found.networks == 18 - 4
    assert damaged.exists()


def test_networks_of_other_code_are_to_be_trained_again(small_values, figure_3, monkeypatch):
    plan = Plan(read_config(small_values))
    codes = {each["code"] for each in basis_of(plan, plan.shards[0]).values()}
    codes |= {plan.train_job(shard).code for shard in plan.shards}
    small_values["accept_code"] = {"train": dict.fromkeys(codes, "0123456789ab")}
    monkeypatch.setenv("REPATLAS_ACCEPT_CODE", json.dumps(small_values["accept_code"]))
    assert left(small_values, "fig03").networks == NETWORKS["fig03"]


def test_networks_of_the_other_edition_are_there(small_values, make_all):
    make_all(small_values | {"preview": True}, ["fig03"])
    found = left(small_values, "fig03")
    assert found.networks == NETWORKS["fig03"] // 2  # one of the two seeds
    assert found.jobs == 3 + 2


def test_a_damaged_file_is_counted_and_left_as_it_is(small_values, figure_3):
    runs = next(Path("results/runs/clusters").glob("*/seed-1.safetensors"))
    table = Path("results/structure/tables/fig03.parquet")
    metrics = Path(str(runs).replace("runs", "metrics")).with_suffix(".parquet")
    for path in (runs, table, metrics, table.parents[1] / "figures/fig03.png"):
        path.write_bytes(path.read_bytes()[:100])
    found = left(small_values, "fig03")
    assert found.networks == NETWORKS["fig03"] // 2
    assert found.jobs == 4  # runs, metrics, table, figure
    assert runs.stat().st_size == table.stat().st_size == 100
    assert not list(Path("results").rglob("*.aside-*"))


def printed(values, capsys):
    capsys.readouterr()
    stage.main([config_of(values)])
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_the_table_has_a_row_for_each_figure_and_one_for_all(small_values, capsys):
    head, *rows, _, store = printed(small_values, capsys)
    assert head == ["figure", "networks", "jobs", "core-minutes"]
    # Two jobs that train take 2.2 s or a little more, two that measure 1.4 s, and eight 1.5 s.
    assert rows == [
        *([f, str(NETWORKS[f]), "5", "0.1"] for f in ALL),
        ["in", "all", "40", "12", "0.3"],
    ]
    assert " ".join(store) == "results/store: 0 files, 0 MB, of all configs"


def test_when_all_is_there_the_table_says_so(small_values, everything, capsys):
    rows = printed(small_values, capsys)[1:5]
    assert [row[-3:] for row in rows] == [["0", "0", "0.0"]] * 4
