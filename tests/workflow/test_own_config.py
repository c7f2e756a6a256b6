"""A user's config is one file, and its results are in a separate folder."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def own(shared, make_project):
    """Write the documented example with one seed, and return a project that has run it."""

    def make(folder):
        project = make_project(folder)
        values = yaml.safe_load((ROOT / "docs/example.yaml").read_text())
        for sweep in values["sweeps"].values():
            sweep |= {"seeds": 1}
        (project.folder / "mine.yaml").write_text(yaml.safe_dump(values))
        project.run("--configfile=mine.yaml", "--nolock")

    return shared("own", make)


@pytest.mark.slow
def test_that_file_alone_is_computed_into_a_folder_of_its_own(own):
    assert {path.name for path in own.results.iterdir()} == {"own", "store"}
    results = own.results / "own/mine"
    figures = {path.name for path in (results / "structure/figures").iterdir()}
    assert figures == {"fig08.pdf", "fig08.png"}
    table = pd.read_parquet(results / "structure/tables/fig08.parquet")
    assert set(table["activation"].dropna()) == {"tanh", "relu", "gelu"}


@pytest.mark.slow
def test_make_knows_it_in_all_its_commands(own):
    verified = own.make("verify", "CONFIG=mine.yaml")
    assert verified.returncode == 0, verified.stdout
    planned = own.make("plan", "CONFIG=mine.yaml").stdout
    assert re.search(r"^ *in all +0 +0", planned, re.M), planned
    for product in ("structure/fig08", "structure/widths"):
        said = own.make("why", "CONFIG=mine.yaml", f"FIGURE={product}").stdout
        assert "nothing is missing" in said
    again = own.make("figures", "CONFIG=mine.yaml", "ARGS=--cores 1 --dry-run").stdout
    assert "Nothing to be done" in again


@pytest.mark.slow
def test_plain_snakemake_takes_it_too(own):
    assert own.plan("--configfile=mine.yaml") == {}
    assert sum(own.plan("--configfile=config.yaml").values()) == sum(own.plan().values()) > 0
