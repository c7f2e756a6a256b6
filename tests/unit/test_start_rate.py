"""A workflow whose jobs wait for one another costs what its jobs cost, however many they are."""

import subprocess
import sys

import pytest

SNAKEFILE = """
import threading
from repatlas.operations.start_rate import lift_default_limit

JOBS = 3

rule all:
    input: [f"out/{i}" for i in range(JOBS)]

rule one:
    output: "out/{i}"
    shell: "touch {output}"

onstart:
    lift_default_limit(workflow.scheduler)

onsuccess:
    timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
    print("timers:", len(timers))
"""


@pytest.fixture
def run(tmp_path):
    def run(*options: str) -> str:
        (tmp_path / "Snakefile").write_text(SNAKEFILE)
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--scheduler", "greedy"]
        ended = subprocess.run(
            [*command, *options], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    return run


def test_jobs_that_ended_leave_no_timers(run):
    assert "timers: 0\n" in run()


def test_a_limit_that_the_user_sets_stays(run):
    assert "timers: 0\n" not in run("--max-jobs-per-timespan", "50/2s")
