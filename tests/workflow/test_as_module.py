"""Another workflow, with separate rules and results, uses ours as a Snakemake module."""

import sys
from zipfile import ZipFile

import pytest
import yaml

pytestmark = pytest.mark.slow

OUTER = """
module atlas:
    snakefile:
        "{snakefile}"
{more}

use rule * from atlas as atlas_*


rule paper:
    default_target: True
    input:
        rules.atlas_all.input,
        figure="results/structure/figures/fig03.pdf",
    output:
        "paper.pdf",
    shell:
        "cp {{input.figure}} {{output}}"
"""


@pytest.fixture(scope="module")
def outer(make_project, tmp_path_factory):
    """Write such a workflow and a small config into an empty folder, and remove our config. The
    environment has another version of this package installed, which fails."""
    inner = make_project(tmp_path_factory.mktemp("module") / "atlas")
    project = type(inner)(inner.folder.with_name("outer"))
    installed = inner.folder.with_name("installed")
    (installed / "repatlas").mkdir(parents=True)
    (installed / "repatlas/__init__.py").write_text("raise ImportError('the installed copy')\n")
    project.environment["PYTHONPATH"] = str(installed)
    project.folder.mkdir()
    config = yaml.safe_load(inner.config.read_text())
    config["sweeps"] = {"noise": config["sweeps"]["noise"]}
    config["figures"] = {"fig03": config["figures"]["fig03"]}
    project.config.write_text(yaml.safe_dump(config))
    text = OUTER.format(snakefile=inner.folder / "Snakefile", more="")
    (project.folder / "Snakefile").write_text(text)
    inner.config.unlink()  # it is not ours that counts
    project.run()
    yield project
    project.remove()
    inner.remove()


def test_its_rules_run_under_other_names_in_the_folder_of_the_other(outer):
    assert (outer.folder / "paper.pdf").read_bytes().startswith(b"%PDF-")
    assert set(outer.table("fig03")["delta"]) == {0.0, 1.0}
    assert not list(outer.folder.parent.glob("atlas/results"))
    assert outer.plan() == {}


def test_the_installed_copy_would_have_failed(outer):
    said = outer.command(sys.executable, "-c", "import repatlas").stdout
    assert "the installed copy" in said


def test_its_commands_know_the_results_there(outer):
    outer.environment["PYTHONPATH"] = str(outer.folder.with_name("atlas") / "src")
    assert outer.verify() == (0, "10 fresh, 0 damaged, 0 missing, 0 orphan")


def test_its_figures_and_page_are_in_the_report_of_the_other(outer):
    outer.run("atlas_write_reports")
    outer.run("atlas_write_reports", "--report", "report.zip")
    with ZipFile(outer.folder / "report.zip") as file:
        names = [name.rsplit("/")[-1] for name in file.namelist() if "/data/raw/" in name]
    assert sorted(names) == ["fig00.png", "fig03.png", "report.html"]


def test_an_edit_of_its_code_is_noticed(outer):
    inner = type(outer)(outer.folder.with_name("atlas"))
    edit = ("experiments/clusters/engine.py", "OUTPUTS_MULTIPLE = 8", "OUTPUTS_MULTIPLE = 16")
    inner.edit_source(*edit)
    stages = ("train", "measure", "tabulate", "plot", "judge")
    once = {f"atlas_{stage}": 1 for stage in stages}
    assert outer.plan() == once | {"atlas_plot_claims": 1, "paper": 1}
    inner.edit_source(edit[0], edit[2], edit[1])


@pytest.mark.parametrize("more", ["prefix: 'sub'", "replace_prefix: {'results/': 'sub/'}"])
def test_what_would_be_taken_in_part_is_refused(outer, more):
    text = OUTER.format(snakefile=outer.folder.with_name("atlas") / "Snakefile", more=f"    {more}")
    (outer.folder / "other.smk").write_text(text)
    said = outer.fail("--snakefile", "other.smk", "--dry-run", "--quiet", "all")
    assert "module: found prefix or replace_prefix, allowed: neither" in said
