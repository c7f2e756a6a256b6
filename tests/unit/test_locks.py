"""One job at a time on a file, one workflow in a folder, and no lock outlives its owner."""

import subprocess
import sys

import pytest

from repgeom.locks import claim, exclusive

HOLD = """
import sys
from pathlib import Path
from repgeom.locks import claim, exclusive

output, note = map(Path, sys.argv[1:])
with exclusive(output):
    print("held", note.read_text() if note.exists() else "", flush=True)
    sys.stdin.readline()
    note.write_text("released")
"""
CLAIM = """
import sys
from pathlib import Path
from repgeom.locks import claim

try:
    claim(Path(sys.argv[1]))
except RuntimeError as error:
    sys.exit(str(error))
print("claimed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def start():
    """Start a script; whatever the test does, it is gone afterwards."""
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
    sentence = f"another job works on {output}: waiting for it to end\n"
    assert second.stderr.readline() == sentence
    assert second.poll() is None
    first.communicate("go on\n")
    assert second.stdout.readline() == "held released\n"
    assert second.communicate("go on\n") == ("", "")
    assert list(output.parent.iterdir()) == []


def test_a_job_that_was_killed_holds_nothing(start, tmp_path, capsys):
    output = tmp_path / "seed-0.safetensors"
    first = start(HOLD, output, tmp_path / "note")
    assert first.stdout.readline() == "held \n"
    assert list(tmp_path.iterdir()) == [tmp_path / "seed-0.lock"]
    first.kill()
    first.wait()
    with exclusive(output):
        pass
    assert capsys.readouterr().err == ""
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_waits_goes_on_when_the_other_is_killed(start, tmp_path):
    output, note = tmp_path / "seed-0.safetensors", tmp_path / "note"
    first = start(HOLD, output, note)
    assert first.stdout.readline() == "held \n"
    second = start(HOLD, output, note)
    assert "waiting" in second.stderr.readline()
    first.kill()
    first.wait()
    assert second.stdout.readline() == "held \n"  # the first never said that it released


def test_jobs_on_different_files_do_not_wait_for_each_other(start, tmp_path, capsys):
    first = start(HOLD, tmp_path / "seed-0.safetensors", tmp_path / "note")
    assert first.stdout.readline() == "held \n"
    with exclusive(tmp_path / "seed-1.safetensors"):
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
        claim(tmp_path / "results")
    assert str(refusal.value) == (
        f"another workflow (process {first.pid}) is at work in {tmp_path}/results:"
        " wait for it to end, or stop it"
    )
    # The refused one took nothing from the first.
    assert start(CLAIM, tmp_path / "results").communicate()[1] == f"{refusal.value}\n"


def test_workflows_in_different_folders_are_no_concern_of_each_other(start, tmp_path):
    for folder in ("results", "results/preview"):
        assert start(CLAIM, tmp_path / folder).stdout.readline() == "claimed\n"


@pytest.mark.parametrize("end", ["ends", "is killed"])
def test_a_folder_is_free_when_the_workflow_in_it(start, tmp_path, end):
    first = start(CLAIM, tmp_path)
    assert first.stdout.readline() == "claimed\n"
    if end == "ends":
        first.communicate("go on\n")
        assert list(tmp_path.iterdir()) == []
    else:
        first.kill()
        first.wait()
    assert start(CLAIM, tmp_path).stdout.readline() == "claimed\n"
