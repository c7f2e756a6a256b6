"""Ctrl-C ends a command in one line, with exit code 130."""

import os
import signal
import subprocess
import sys
import time

import pytest

REPATLAS = [sys.executable, "-c", "from repatlas.command import main; main()"]
MODULE = [sys.executable, "-m", "repatlas"]


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


@pytest.mark.parametrize("start", [REPATLAS, MODULE], ids=["repatlas", "python -m repatlas"])
@pytest.mark.parametrize("command", ["plan", "verify"])
def test_a_command_that_reads_results(interrupted, start, command):
    assert interrupted(*start, command, "pipe.yaml") == (130, f"repatlas {command}: interrupted\n")


def test_measuring_a_file_of_ones_own(interrupted):
    program = """
from repatlas.command import arrays, main
arrays.measure_file = lambda *_: open("pipe.yaml").read()
main("measure rates.npy --labels rows.csv --rows items".split())
"""
    assert interrupted(sys.executable, "-c", program)[0] == 130


def test_a_command_that_has_just_started():
    program = """
import runpy, sys
class Interrupts:
    def find_spec(name, *_):
        if name == "pydantic":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts)
sys.argv = ["repatlas", "plan"]
runpy.run_module('repatlas', run_name='__main__')
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "repatlas plan: interrupted\n")
