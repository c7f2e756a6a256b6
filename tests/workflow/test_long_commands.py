"""Nothing fails since it is long: Linux allows 128 KiB for an argument of a program, and 2 MiB for
all of them."""

import ast
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from rule_texts import RULES
from snakemake.iocontainers import Namedlist
from snakemake.shell import shell

from repatlas.artifacts.recipes.pairs import CompareJob
from repatlas.config.config import read_config
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan

SHARDS = 100_000
LONG = "x" * 300_000
FIGURE = Product("structure", "fig02")
ARRAY = {"columns": {"layer": "fc"}, "parts": [{"path": "fc.npy"}]}


MORE = {
    "prepare": [],
    "train": ["--data", "none"],
    "measure": ["--data", "none"],
    "compare_files": ["--data", "none"],
    "tabulate": ["--metrics", "none"],
    "plot": ["--table", "none", "--png", "none"],
    "judge": ["--tables", "none", "--page", "none"],
    "plot_claims": ["--claims", "none", "--png", "none"],
}
"""The arguments of each stage, in addition to its job and its output."""


def job_of(stage):
    """Return one job of this stage."""
    plan = Plan(read_config(yaml.safe_load((Path(__file__).parent / "tiny.yaml").read_text())))
    shard = plan.shards[0]
    match stage:
        case "prepare":
            return plan.data[plan.data_place(shard)]
        case "train":
            return plan.train_job(shard)
        case "measure":
            return plan.measure_job(shard)
        case "compare_files":
            return CompareJob(
                study="own",
                comparison="mine-mine",
                tile="mine",
                grids=[{"experiment": "files", "name": "mine", "arrays": [ARRAY]}],
                within=True,
                itself=True,
                measures=["alignment"],
                permutations=19,
            )
        case "tabulate":
            return plan.tabulate_job(FIGURE)
        case "plot":
            return plan.plot_job(FIGURE)
        case "judge":
            return plan.judge_job("structure")
        case "plot_claims":
            return plan.plot_claims_job(plan.overviews("structure")[0])
        case "write_report":
            return plan.report_job("structure")


@pytest.fixture
def fail(tmp_path, monkeypatch):
    """Run the command of a rule as Snakemake does, and return its output when it fails.

    These values replace names in its text, and `none` replaces all other names."""
    monkeypatch.chdir(tmp_path)

    def fail(rule, **values):
        command = ast.literal_eval(f"({RULES[rule].split('shell:')[1]})")
        filled = {"log": "log"}
        for kind in ("params", "input", "output", "resources"):
            names = re.findall(rf"{{{kind}\.(\w+)", command)
            filled[kind] = Namedlist(["none"], {n: values.get(n, "none") for n in names})
        with pytest.raises(subprocess.CalledProcessError):
            shell(command, **filled)
        return (tmp_path / "log").read_text()

    return fail


def words_of(stage, job, *more):
    """Return the words for the command of a stage, quoted for the shell."""
    return shlex.join(["--job", job.text, "--output", "none", *MORE[stage], *more])


@pytest.mark.parametrize(
    "stage",
    [pytest.param(each, marks=[] if each == "tabulate" else pytest.mark.slow) for each in MORE],
)
def test_a_job_of_any_length_reaches_its_stage(fail, stage):
    rule = "compare" if stage == "compare_files" else stage
    words = words_of(stage, job_of(stage).model_copy(update={"code": LONG}))
    said = fail(rule, stage=stage, words=words)
    assert said.startswith(f"repatlas {stage}: error: the code of this stage changed while"), said


@pytest.mark.slow
def test_a_config_of_any_length_reaches_a_page(fail):
    job = job_of("write_report").model_copy(update={"code": LONG}).text
    said = fail("write_report", job=job, config=json.dumps({"values": LONG}))
    assert said.startswith("repatlas write_report: error: the code of this stage changed"), said


@pytest.mark.slow
def test_a_figure_may_have_a_hundred_thousand_seeds(fail):
    metrics = [
        f"metrics/clusters/unstructured-n100-h120-01234a/seed-{n}.parquet" for n in range(SHARDS)
    ]
    said = fail("tabulate", words=words_of("tabulate", job_of("tabulate"), "--metrics", *metrics))
    assert said == f"repatlas tabulate: error: {metrics[0]}: No such file or directory\n"


def test_no_character_is_lost_on_the_way_to_a_stage(fail):
    strange = "a 'quoted' \"name\"\n$HOME $(touch injected) \\0 %s * \N{GREEK SMALL LETTER DELTA}"
    said = fail("tabulate", words=words_of("tabulate", job_of("tabulate"), "--metrics", strange))
    assert said == f"repatlas tabulate: error: {strange}: No such file or directory\n"
