"""A figure that draws pairs of networks: what it names in a config, and what its table is made
from."""

import sys
from types import SimpleNamespace

import pytest
from stages import make, rows_of

from repatlas.config import study
from repatlas.config.config import ConfigError, read_config
from repatlas.figures.figure import Figure, Pairs
from repatlas.plots.style import page
from repatlas.workflow.plan import Plan

TABLE = "structure/tables/alike.parquet"


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


def test_what_it_names_must_be_there_and_be_measured(figure, values):
    values["figures"]["alike"]["of"] = ["mlp"]
    with pytest.raises(ConfigError, match=r"figures.alike.of: found 'mlp', allowed: relu"):
        read_config(values)
    values["figures"]["alike"]["of"] = ["relu"]
    values["compare"][0]["similarities"] = ["matching"]
    with pytest.raises(ConfigError, match=r"alike.of: comparison 'relu' lacks 'cca'; add it"):
        read_config(values)


def test_its_table_has_the_rows_of_pairs_with_settings_of_both_sides(
    figure, values, tmp_path, monkeypatch
):
    def table(rows, step):
        assert set(rows["of"]["comparison"]) == {"relu"}
        return rows["of"]

    def draw(table, style):
        figure = page(style, 1)
        figure.subplots()
        return figure

    alike = SimpleNamespace(tabulate=table, draw=draw)
    monkeypatch.setitem(sys.modules, "repatlas.studies.structure.alike", alike)
    monkeypatch.chdir(tmp_path)
    rows = rows_of(make(Plan(read_config(values)), TABLE), "table")
    assert {"other_run", "other_seed", "seed", "layer"} < {*rows.columns}
    found = rows[["measure", "activation", "other_activation", "layer"]].drop_duplicates()
    cca = found[found["measure"] == "cca"].values.tolist()
    assert cca == [["cca", "relu", "relu", layer] for layer in (1, 2)]
