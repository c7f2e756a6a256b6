"""A figure that draws pairs of networks: what it names in a config, and what its table is made
from."""

import sys
from types import ModuleType

import pandas as pd
import pyarrow as pa
import pytest
from stages import product, run

from repatlas.artifacts.files import NETWORK_PAIRS_SCHEMA, read_table, write_table
from repatlas.config import study
from repatlas.config.config import ConfigError, read_config
from repatlas.figures.figure import Figure, Pairs
from repatlas.operations.costs import cost
from repatlas.operations.expected import expected_files
from repatlas.operations.plan_command import work_left
from repatlas.plan.plan import Plan
from repatlas.stages import tabulate
from repatlas.studies.structure import columns
from repatlas.studies.structure.settings import clusters


@pytest.fixture
def figure(shown, values, monkeypatch):
    """A figure `alike` of the study, with two keys for comparisons."""
    roles = {
        "of": Pairs("Networks.", frozenset({"cca"}), several=True),
        "others": Pairs("Other networks.", optional=True),
    }
    options = Figure("How alike networks are.", comparisons=roles).options("alike")
    monkeypatch.setattr(study, "figures_of", lambda study: ("alike",))
    monkeypatch.setattr(study, "options_of", lambda study, figure: options)
    values["figures"] = {"alike": {"of": ["relu"]}}
    return product("alike")


def named(module, name, function, monkeypatch):
    found = ModuleType(name)
    setattr(found, function.__name__, function)
    monkeypatch.setitem(sys.modules, f"repatlas.{module}", found)


def test_its_job_says_which_networks_are_compared(figure, values):
    plan = Plan(read_config(values))
    [role] = plan.tabulate_job(figure).comparisons.items()
    assert role[0] == "of"
    [compared] = role[1]
    assert compared["name"] == "relu"
    [[grid]] = compared["between"]
    assert (grid["seeds"], grid["network"]["activation"]) == (4, ["relu"])
    assert len(plan.tiles_of(figure)) == 1


def test_what_it_names_must_be_there_and_be_measured(figure, values):
    values["figures"]["alike"]["of"] = ["mlp"]
    with pytest.raises(ConfigError, match=r"figures.alike.of: found 'mlp', allowed: relu"):
        read_config(values)
    values["figures"]["alike"]["of"] = ["relu"]
    values["compare"][0]["similarities"] = ["matching"]
    with pytest.raises(ConfigError, match=r"alike.of: comparison 'relu' lacks 'cca'; add it"):
        read_config(values)


def test_an_estimate_counts_its_networks_and_the_time_of_its_pairs(
    figure, values, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    plan = Plan(read_config(values))
    networks, jobs, seconds = work_left(plan, [figure], expected_files(plan))
    assert networks == 4
    assert jobs == 5  # data and runs of four seeds, pairs, table, drawing
    values["compare"][0]["steps"] = [0, 2, 4]
    more = Plan(read_config(values))
    *_, longer = work_left(more, [figure], expected_files(more))
    [job] = [plan.compare_job(tile) for tile in plan.tiles]
    assert longer - seconds == pytest.approx(cost(job).work / 2)


def test_its_table_has_the_rows_of_pairs_with_settings_of_both_sides(
    figure, values, tmp_path, monkeypatch
):
    plan = Plan(read_config(values))
    [tile] = plan.tiles
    network = {"run": "k", "step": 4, "layer": 1, "name": "hidden1"}
    sides = {f"{s}_{n}": v for s in "ab" for n, v in network.items()}
    about = {"items": "train", "reduction": "", "by": "cca", "measure": "cca", "variant": "mean"}
    pair = sides | about | {"a_seed": 0, "b_seed": 1, "value": 0.25, "similarity": True}
    path = tmp_path / "pairs.parquet"
    header = {"job": plan.compare_job(tile).model_dump(mode="json"), "identity": "i"}
    write_table(path, "pairs", header, pa.Table.from_pylist([pair], schema=NETWORK_PAIRS_SCHEMA))

    def pairs_with_settings(pairs, first, second):
        [spec] = first[0].specs()
        assert first[0].specs() == second[0].specs()
        return pairs.assign(activation=spec.network.activation)

    def table(rows, step):
        assert rows["of"]["comparison"].tolist() == ["relu"]
        found = rows["of"].rename(columns={"a_step": "step", "a_layer": "layer"})
        return found.assign(clusters=4, targets=1)

    table.__name__ = "tabulate"
    monkeypatch.setattr(clusters, "pairs_with_settings", pairs_with_settings, raising=False)
    named("studies.structure.figures.alike.table", "table", table, monkeypatch)
    made = run(tabulate, plan.tabulate_job(figure), tmp_path / "t.parquet",
               "--metrics", "--pairs", str(path))  # fmt: skip
    rows = read_table(made, "table", columns.TABLE_SCHEMA)[1].to_pandas()
    assert isinstance(rows, pd.DataFrame)
    found = rows[["measure", "activation", "layer", "value"]].values.tolist()
    assert found == [["cca", "relu", 1, 0.25]]
