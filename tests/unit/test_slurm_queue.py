"""The jobs of an earlier workflow are found in the queue, and waited for."""

from pathlib import Path

import pytest

from repatlas.operations import slurm


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Write what squeue says, the next time and from then on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(slurm, "LOOK_SECONDS", 0)
    squeue = tmp_path / "squeue"
    # Each call answers with the next file, and the last one again and again.
    squeue.write_text(
        '#!/bin/sh\nset -- answer-*\n[ $# -gt 1 ] && trap "rm $1" EXIT\n'
        'grep -v FAIL "$1"; ! grep -s FAIL "$1" >&2\n'
    )
    squeue.chmod(0o755)

    def answers(*texts):
        for number, text in enumerate(texts):
            Path(f"answer-{number}").write_text(text)

    return answers


@pytest.fixture
def line(tmp_path):
    def line(number, state="RUNNING", name="repatlas_1", folder=tmp_path, rule="rule_train"):
        return f"{number}|{state}|{name}|{folder}|{rule}\n"

    return line


def test_they_are_named_and_waited_for(queue, line):
    queue(line(7) + line(8, "PENDING"), line(8), "")
    said = []
    assert slurm.await_jobs_of("repatlas", said.append)
    assert said == [
        "An earlier workflow left jobs on the cluster: 7 (RUNNING, rule_train), 8 (PENDING,"
        " rule_train). Waiting for them to end, so that nothing is trained twice. To go on without"
        " them: scancel 7 8"
    ]


def test_others_jobs_and_those_of_other_folders_are_not(queue, line):
    queue(line(7, name="wrap") + line(8, folder="/elsewhere"))
    assert not slurm.await_jobs_of("repatlas", pytest.fail)


def test_jobs_that_come_later_are_not(queue, line):
    queue(line(7), line(8))
    assert slurm.await_jobs_of("repatlas", lambda sentence: None)


def test_a_queue_that_does_not_answer_is_asked_again(queue, line):
    queue(line(7), "FAIL: no controller\n", "")
    said = []
    assert slurm.await_jobs_of("repatlas", said.append)
    assert said[1:] == ["squeue: FAIL: no controller; asking again"]
