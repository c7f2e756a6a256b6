"""benchmarks/record.py: a row for a whole run, or one sentence that says why there is none."""

import shutil
import sys

import pyarrow as pa
import pytest

from repatlas.artifacts.files import read_table, write_table
from repatlas.claims.verdicts import CLAIMS_SCHEMA

TIMES = "s\th:m:s\tmax_rss\tcpu_time\n{0}\t0:00:01\t300.1\t{0}\n"


@pytest.fixture
def record(repository, monkeypatch, tmp_path):
    """Return the module, which writes to a copy of the table."""
    monkeypatch.syspath_prepend(repository / "benchmarks")
    import record

    monkeypatch.setattr(record, "RECORD", tmp_path / "record.md")
    monkeypatch.setattr(record, "on_all_cores", lambda: 0.2)
    monkeypatch.setattr(record, "commit_of", lambda folder: "abc1234")
    (tmp_path / "record.md").write_text("| structure |\n")
    yield record
    for name in ("record", "paper", "training", "measuring"):
        sys.modules.pop(name, None)


@pytest.fixture
def run(repository, tmp_path):
    """Make the files of a finished run: two jobs, and the published claims."""
    folder = tmp_path / "clone"
    for stage, made in (("train", "runs/clusters"), ("measure", "metrics/clusters")):
        for kind, end, text in (
            (f"benchmarks/{stage}/clusters", "tsv", TIMES.format(30)),
            (f"logs/{stage}/clusters", "log", "4 networks of seed 0: 0 kept, 4 to train\n"),
            (made, "file", ""),
        ):
            path = folder / f"results/{kind}/x/seed-0.{end}"
            path.parent.mkdir(parents=True)
            path.write_text(text)
    claims = folder / "results/structure/claims/claims.parquet"
    claims.parent.mkdir(parents=True)
    shutil.copy2(repository / "docs/structure/claims.parquet", claims)
    return folder


def test_a_whole_run_adds_a_row(record, run, capsys):
    record.main("structure", run, "run.log")
    rows = record.RECORD.read_text().splitlines()
    assert rows[0] == "| structure |"
    assert rows[1].startswith("| structure | 60 | 1.0 | 20")
    assert rows[1].endswith("| 86 | abc1234 | run.log |")
    assert capsys.readouterr().out.strip() == rows[1]


def test_seeds_of_one_job_are_timed_together(record, run):
    (run / "results/runs/clusters/x/seed-1.safetensors").touch()
    with pytest.raises(SystemExit, match=r"seed-1\.safetensors: has no time in .*/train$"):
        record.core_seconds("structure", run)
    with (run / "results/logs/train/clusters/x/seed-0.log").open("a") as log:
        log.write("4 networks of seed 1: 0 kept, 4 to train\n")
    assert record.core_seconds("structure", run) == 60


def change_a_verdict(run):
    path = run / "results/structure/claims/claims.parquet"
    header, table = read_table(path, "claims", CLAIMS_SCHEMA)
    rows = table.to_pylist()
    rows[0]["verdict"] = "undecided"
    write_table(path, "claims", header, pa.Table.from_pylist(rows, CLAIMS_SCHEMA))


def lose_a_time(run):
    (run / "results/benchmarks/measure/clusters/x/seed-0.tsv").unlink()


def lose_all_jobs(run):
    for kind in ("benchmarks", "logs", "metrics", "runs"):
        shutil.rmtree(run / "results" / kind)


def keep_a_network(run):
    log = run / "results/logs/train/clusters/x/seed-0.log"
    log.write_text("4 networks of seed 0: 3 kept, 1 to train\n")


def add_a_study(run):
    shutil.copytree(run / "results/structure", run / "results/gating")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (change_a_verdict, "verdicts differ from docs/structure/claims.parquet: 1$"),
        (lose_a_time, r"metrics/clusters/x/seed-0\.file: has no time"),
        (lose_all_jobs, "found no times of jobs"),
        (keep_a_network, "kept what an earlier one made"),
        (add_a_study, r"found claims of \['gating', 'structure'\]"),
    ],
)
def test_a_run_that_is_not_the_whole_study_with_its_verdicts_adds_none(record, run, change, reason):
    change(run)
    with pytest.raises(SystemExit, match=reason):
        record.main("structure", run, "run.log")
    assert record.RECORD.read_text() == "| structure |\n"
