"""Ctrl-C ends a command in one line, with exit code 130."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repatlas.command import start_snakemake

REPATLAS = [sys.executable, "-c", "from repatlas.command import main; main()"]
STAGE = [sys.executable, "-m", "repatlas"]


@pytest.fixture
def interrupted(tmp_path):
    """Kill a command by an interrupt while it opens a file that never comes, `pipe.yaml`. Return
    its exit code and what it printed."""
    os.mkfifo(tmp_path / "pipe.yaml")

    def interrupted(*words):
        process = subprocess.Popen(
            words,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A shell's background jobs ignore interrupts, and so does all that they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        while True:
            assert process.poll() is None, process.stdout.read()
            try:  # which fails until somebody reads
                writing = os.open(tmp_path / "pipe.yaml", os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.05)
                continue
            os.killpg(process.pid, signal.SIGINT)
            said, _ = process.communicate(timeout=60)
            os.close(writing)
            return process.returncode, said

    return interrupted


@pytest.mark.parametrize("start", [REPATLAS, STAGE], ids=["repatlas", "python -m repatlas"])
@pytest.mark.parametrize("command", ["plan", "verify"])
def test_a_command_that_reads_results(interrupted, start, command):
    assert interrupted(*start, command, "pipe.yaml") == (130, f"repatlas {command}: interrupted\n")


def test_measuring_a_file_of_ones_own(interrupted):
    program = """
from repatlas import command
command._measure = lambda *_: open("pipe.yaml").read()
command.main("measure rates.npy --labels rows.csv --rows items".split())
"""
    assert interrupted(sys.executable, "-c", program)[0] == 130


def test_the_workflow_before_its_first_job(interrupted, tmp_path):
    (tmp_path / "Snakefile").touch()
    words = ["--configfile", "pipe.yaml", "--cores", "1"]
    code, said = interrupted(sys.executable, start_snakemake.__file__, *words)
    assert (code, said.splitlines()[-1]) == (130, "Interrupted: the same command continues")
    assert "Traceback" not in said


def test_the_workflow_with_a_job_at_work(interrupted, tmp_path):
    (tmp_path / "Snakefile").write_text('rule:\n    shell: "cat pipe.yaml"\n')
    words = ["--cores", "1", "--workflow-profile", "none"]
    code, said = interrupted(sys.executable, start_snakemake.__file__, *words)
    assert (code, said.splitlines()[-1]) == (130, "Interrupted: the same command continues")
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("module", "start", "said"),
    [
        ("pydantic", "runpy.run_module('repatlas', run_name='__main__')", "repatlas plan: interr"),
        (
            "snakemake",
            f"runpy.run_path({start_snakemake.__file__!r}, run_name='__main__')",
            "Interr",
        ),
    ],
)
def test_a_command_that_has_just_started(module, start, said):
    program = f"""
import runpy, sys
class Interrupts:
    def find_spec(name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts)
sys.argv = ["repatlas", "plan"]
{start}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (130, 1)
    assert done.stderr.startswith(said)


def test_what_snakemake_refuses_keeps_its_code():
    words = [sys.executable, start_snakemake.__file__, "--no-such-option"]
    assert subprocess.run(words, cwd=Path("/"), capture_output=True).returncode == 2
