"""One job at a time on a file, one workflow in a folder, and no lock outlives its owner."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import filelock
import pytest

from repatlas.artifacts import locks
from repatlas.artifacts.locks import exclusive, occupy

HOLD = """
import sys
from pathlib import Path
from repatlas.artifacts.locks import occupy, exclusive

output, note = map(Path, sys.argv[1:])
with exclusive(output):
    print("held", note.read_text() if note.exists() else "", flush=True)
    sys.stdin.readline()
    note.write_text("released")
"""
CLAIM = """
import sys
from pathlib import Path
from repatlas.artifacts.locks import occupy

try:
    occupy(Path(sys.argv[1]))
except RuntimeError as error:
    sys.exit(str(error))
print("claimed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def start():
    """Start a script, and kill it at the end of the test."""
    started = []

    def start(script, *arguments):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-c", script, *map(str, arguments)]
        started.append(subprocess.Popen(command, text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_second_job_on_a_file_waits_for_the_first_to_end(start, tmp_path):
    output, note = tmp_path / "runs/seed-0.safetensors", tmp_path / "note"
    first = start(HOLD, output, note)
    assert first.stdout.readline() == "held \n"
    second = start(HOLD, output, note)
    host = socket.gethostname()
    who = f"process {first.pid} on {host}"
    sentence = f"another job ({who}) works on {output}: waiting for it to end\n"
    assert second.stderr.readline() == sentence, "in its log"
    assert second.stdout.readline() == sentence, "and on the terminal"
    assert second.poll() is None
    first.communicate("go on\n")
    assert second.stdout.readline() == "held released\n"
    assert second.communicate("go on\n") == ("", "")
    assert list(output.parent.iterdir()) == []


@pytest.fixture(params=["local disk", "NFS"])
def disk(request, monkeypatch):
    """NFS, Lustre and BeeGFS do not exchange two names."""
    if request.param == "NFS":
        monkeypatch.setattr(filelock._soft, "exchange_names", lambda *_: False)


@pytest.mark.usefixtures("disk")
def test_a_killed_job_and_a_killed_workflow_of_this_machine_hold_nothing(start, tmp_path):
    job, workflow = start(HOLD, tmp_path / "a.pdf", tmp_path / "note"), start(CLAIM, tmp_path)
    assert "held" in job.stdout.readline()
    assert "claimed" in workflow.stdout.readline()
    for process in (job, workflow):
        process.kill()
        process.wait()
    with limit(seconds=20), exclusive(tmp_path / "a.pdf"):
        occupy(tmp_path)


@pytest.mark.usefixtures("disk")
def test_a_killed_workflow_that_nobody_waits_for_holds_nothing(start, tmp_path):
    """In a container without init it stays a zombie."""
    first = start(CLAIM, tmp_path)
    assert first.stdout.readline() == "claimed\n"
    first.kill()
    with limit(seconds=20):
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
        occupy(tmp_path)


LOCK_OF_ANOTHER_MACHINE = (
    "filelock/2\npid=4242\nhost=node7\nmode=lease\ntoken=0123456789abcdef\nduration={}\nstart=1\n"
)


@pytest.mark.usefixtures("disk")
def test_a_lock_of_a_dead_machine_is_free_when_its_lease_has_run_out(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(locks, "POLL_SECONDS", 0.1)
    (tmp_path / "job.lock").write_text(LOCK_OF_ANOTHER_MACHINE.format(1.0))
    started = time.monotonic()
    with limit(seconds=20), exclusive(tmp_path / "a.pdf"):
        assert time.monotonic() - started >= 1


@pytest.mark.usefixtures("disk")
def test_a_lock_that_is_refreshed_is_never_taken(start, tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(locks, "POLL_SECONDS", 0.1)
    lock = tmp_path / "workflow.lock"
    lock.write_text(LOCK_OF_ANOTHER_MACHINE.format(1.0))
    with pytest.raises(RuntimeError, match="process 4242"), refreshed(lock):
        occupy(tmp_path, 3)


def test_a_job_that_waits_goes_on_when_the_other_is_killed(start, tmp_path):
    output, note = tmp_path / "seed-0.safetensors", tmp_path / "note"
    first = start(HOLD, output, note)
    assert first.stdout.readline() == "held \n"
    second = start(HOLD, output, note)
    assert "waiting" in second.stderr.readline()
    assert "waiting" in second.stdout.readline()
    first.kill()
    first.wait()
    assert second.stdout.readline() == "held \n"  # the first never said that it released


def test_jobs_on_different_files_do_not_wait_for_each_other(start, tmp_path, capsys):
    """The versions of a file are in a folder."""
    first = start(HOLD, tmp_path / "seed-0/1.safetensors", tmp_path / "note")
    assert first.stdout.readline() == "held \n"
    with exclusive(tmp_path / "seed-1/1.safetensors"):
        assert first.poll() is None
    assert capsys.readouterr().err == ""


def test_a_job_that_fails_holds_nothing(tmp_path):
    with pytest.raises(RuntimeError, match="no luck"), exclusive(tmp_path / "seed-0.safetensors"):
        raise RuntimeError("no luck")
    assert list(tmp_path.iterdir()) == []


def test_a_second_workflow_in_a_folder_is_refused_with_the_process_of_the_first(start, tmp_path):
    first = start(CLAIM, tmp_path / "results")
    assert first.stdout.readline() == "claimed\n"
    with pytest.raises(RuntimeError) as refusal:
        occupy(tmp_path / "results")
    assert str(refusal.value) == (
        f"another workflow (process {first.pid}) is at work in {tmp_path}/results:"
        " wait for it to end, or stop it"
    )
    # The refused one took nothing from the first.
    assert start(CLAIM, tmp_path / "results").communicate()[1] == f"{refusal.value}\n"


def test_workflows_in_different_folders_are_no_concern_of_each_other(start, tmp_path):
    for folder in ("results", "results/preview"):
        assert start(CLAIM, tmp_path / folder).stdout.readline() == "claimed\n"


def test_a_folder_is_free_when_the_workflow_in_it_ends(start, tmp_path):
    first = start(CLAIM, tmp_path)
    assert first.stdout.readline() == "claimed\n"
    first.communicate("go on\n")
    assert list(tmp_path.iterdir()) == []
    assert start(CLAIM, tmp_path).stdout.readline() == "claimed\n"


OLD = time.time() - 3600
NO_OWNER = {
    "empty": lambda path: path.write_bytes(b""),
    "of zeros": lambda path: path.write_bytes(b"\0" * 200),
    "of another text": lambda path: path.write_text("not a lock"),
    "cut": lambda path: path.write_text("3\n12"),
}


@pytest.mark.parametrize("damage", NO_OWNER)
@pytest.mark.parametrize("age", [OLD, time.time() + 3600], ids=["old", "of the future"])
def test_a_lock_that_names_no_owner_is_removed(tmp_path, damage, age):
    """A power cut leaves such a lock."""
    for path in (tmp_path / "job.lock", tmp_path / "workflow.lock"):
        NO_OWNER[damage](path)
        os.utime(path, (age, age))
    with limit(seconds=20):
        with exclusive(tmp_path / "seed-0.safetensors"):
            pass
        occupy(tmp_path)


def test_a_folder_in_the_place_of_a_lock_is_moved_away(tmp_path):
    for name in ("job.lock", "workflow.lock"):
        (tmp_path / name / "note").mkdir(parents=True)
    with limit(seconds=20):
        with exclusive(tmp_path / "seed-0.safetensors"):
            pass
        occupy(tmp_path)
    assert len(list(tmp_path.glob("*.aside-*/note"))) == 2


def test_a_lock_that_names_no_owner_yet_has_the_time_of_a_lease(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "LEASE_SECONDS", 0.5)
    (tmp_path / "job.lock").write_bytes(b"")
    started = time.monotonic()
    with limit(seconds=60), exclusive(tmp_path / "seed-0.safetensors"):
        assert time.monotonic() - started > 0.475


def test_who_waits_says_for_how_long(start, tmp_path, monkeypatch):
    output = tmp_path / "seed-0.safetensors"
    first = start(HOLD, output, tmp_path / "note")
    assert first.stdout.readline() == "held \n"
    script = HOLD.replace("import sys", "import sys\nfrom repatlas.artifacts import locks", 1)
    second = start(
        script.replace("output, note", "locks.TOLD_SECONDS = 1\noutput, note"), output, ""
    )
    told = [second.stdout.readline() for _ in range(2)]
    assert told[1].startswith(told[0].strip() + ", for ")


@pytest.mark.parametrize("kills", [25, pytest.param(150, marks=pytest.mark.slow)])
def test_a_job_that_is_killed_while_it_takes_its_lock_blocks_nobody(tmp_path, monkeypatch, kills):
    monkeypatch.setattr(locks, "LEASE_SECONDS", 0.3)
    monkeypatch.setattr(locks, "POLL_SECONDS", 0.02)
    output = tmp_path / "seed-0.safetensors"
    moments = random.Random(0)
    for _ in range(kills):
        process = os.fork()
        if process == 0:
            while True:
                with exclusive(output):
                    pass
        time.sleep(moments.uniform(0, 0.004))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        with limit(seconds=60), exclusive(output):
            pass
    assert not (output.parent / "job.lock").exists()


@contextlib.contextmanager
def refreshed(lock):
    ended = threading.Event()

    def refresh():
        while not ended.wait(0.2):
            os.utime(lock)

    thread = threading.Thread(target=refresh)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def limit(seconds):
    def too_long(*_):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
