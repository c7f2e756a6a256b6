"""The ways of the catalog of Snakemake workflows: lint where Snakemake alone is, and deployment."""

import os
import venv
from pathlib import Path

import pytest
import yaml
from packages import closure, link

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

DEPLOYED = """
from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


# declare https://github.com/owner/repatlas as a module
module repatlas:
    snakefile:
        "{snakefile}"
    config:
        config


# use all rules from https://github.com/owner/repatlas
use rule * from repatlas
"""
"""What snakedeploy 0.17 writes into workflow/Snakefile, except for the path of the module."""


@pytest.fixture
def python_of_snakemake(tmp_path):
    """An environment with Snakemake and what it needs."""
    venv.create(tmp_path / "alone")
    (packages,) = (tmp_path / "alone/lib").glob("python*/site-packages")
    link(closure(["snakemake"]), packages)
    return tmp_path / "alone/bin/python"


def snakemake_alone(python, project, *arguments):
    project.environment = {"PATH": os.defpath, "HOME": str(python.parents[2])}
    return project.command(str(python), "-m", "snakemake", *arguments)


@pytest.mark.parametrize("snakefile", ["Snakefile", "workflow/Snakefile"])
def test_the_linter_has_nothing_to_say_where_snakemake_alone_is(
    python_of_snakemake, fresh, snakefile
):
    assert not closure(["snakemake"]) & {"numpy", "filelock", "repatlas"}
    said = snakemake_alone(python_of_snakemake, fresh, "--lint", "--snakefile", snakefile)
    assert said.returncode == 0, said.stdout
    assert "Congratulations, your workflow is in a good condition!" in said.stdout


def test_a_run_says_there_what_to_install(python_of_snakemake, fresh):
    said = snakemake_alone(python_of_snakemake, fresh, "--dry-run")
    assert said.returncode != 0
    assert "The package 'filelock' is missing: run `make env`, or" in said.stdout
    assert f'`pip install "{fresh.folder}[workflow]"`' in said.stdout


@pytest.fixture(scope="module")
def deployed(make_project, tmp_path_factory):
    """Write what snakedeploy does, a config and a Snakefile with a clone as module, and remove the
    config of the clone."""
    clone = make_project(tmp_path_factory.mktemp("catalog") / "clone")
    project = type(clone)(clone.folder.with_name("deployed"))
    (project.folder / "config").mkdir(parents=True)
    (project.folder / "workflow").mkdir()
    text = DEPLOYED.format(snakefile=clone.folder / "workflow/Snakefile")
    (project.folder / "workflow/Snakefile").write_text(text)
    project.config = project.folder / "config/config.yaml"
    values = yaml.safe_load(clone.config.read_text())
    shared = {key: values.pop(key) for key in ("decoders", "style") if key in values}
    study = values | {
        "study": "structure",
        "sweeps": {"noise": values["sweeps"]["noise"]},
        "figures": {"fig03": values["figures"]["fig03"]},
    }
    project.config.write_text(yaml.safe_dump({"studies": ["structure"]} | shared))
    (project.folder / "config/structure.yaml").write_text(yaml.safe_dump(study))
    clone.config.unlink()  # it is not the clone's that counts
    yield project
    project.remove()
    clone.remove()


def test_a_deployed_workflow_draws_a_figure_of_a_preview(deployed):
    deployed.run("--config", "preview=true", "only=structure/fig03")
    figures = deployed.results / "preview/structure/figures"
    assert (figures / "fig03.pdf").read_bytes().startswith(b"%PDF-")
    assert deployed.plan("--config", "preview=true", "only=structure/fig03") == {}
    assert not list(deployed.folder.parent.glob("clone/results"))


def test_a_value_of_its_config_that_is_wrong_is_named(deployed):
    before = deployed.config.read_text()
    deployed.edit_config(lambda values: values.update(sweep={}))
    said = deployed.fail("--dry-run", "--quiet", "all")
    assert "config.yaml: unknown key 'sweep'" in said
    deployed.config.write_text(before)


def test_a_clone_has_one_config_under_two_names():
    assert (ROOT / "config/config.yaml").read_bytes() == (ROOT / "config.yaml").read_bytes()
