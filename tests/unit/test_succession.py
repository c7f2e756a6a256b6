"""A workflow that died on another machine doesn't keep the results for ever."""

import subprocess
import sys
import time

import pytest

from repatlas.artifacts import locks
from repatlas.operations import succession

LEASE = 2
CLAIM_ELSEWHERE = f"""
import socket, sys
from pathlib import Path

socket.gethostname = lambda: "login2"
from repatlas.artifacts import locks

locks.LEASE_SECONDS = {LEASE}
locks.occupy(Path(sys.argv[1]))
print("claimed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Start a workflow that claims the folder on the machine login2, and kill it at the end."""
    for module in (locks, succession):
        monkeypatch.setattr(module, "LEASE_SECONDS", LEASE)
    command = [sys.executable, "-c", CLAIM_ELSEWHERE, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, **pipes)
    assert process.stdout.readline() == "claimed\n"
    yield process
    process.kill()
    process.communicate()


def test_one_that_is_dead_is_succeeded_when_its_lease_has_run_out(elsewhere, tmp_path):
    elsewhere.kill()
    elsewhere.wait()
    said = []
    started = time.monotonic()
    succession.take_over(tmp_path, said.append)
    assert time.monotonic() - started >= LEASE
    [sentence] = said
    assert f"login2 (process {elsewhere.pid}) has claimed {tmp_path}" in sentence
    with pytest.raises(RuntimeError, match="another workflow"):
        locks.occupy(tmp_path)


def test_one_that_is_alive_is_not(elsewhere, tmp_path):
    with pytest.raises(RuntimeError) as refusal:
        succession.take_over(tmp_path, lambda sentence: None)
    assert str(refusal.value) == (
        f"another workflow (process {elsewhere.pid} on login2) is at work in {tmp_path}:"
        " wait for it to end, or stop it"
    )


def test_one_on_the_same_machine_is_refused_at_once(tmp_path):
    locks.occupy(tmp_path)
    started = time.monotonic()
    with pytest.raises(RuntimeError, match="is at work in"):
        succession.take_over(tmp_path, lambda sentence: None)
    assert time.monotonic() - started < 1
