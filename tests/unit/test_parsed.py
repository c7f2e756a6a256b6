"""A process looks up what earlier processes found when they parsed the code."""

import os
import subprocess
import sys

import pytest

from repatlas.workflow import code

COMMAND = "from repatlas.workflow.code import fingerprint; print(fingerprint('claims.judging'))"
WITHOUT_PARSER = "import ast; ast.parse = None; "


def fingerprint(caches, command=COMMAND, **variables):
    """Return the end of a process that keeps Python's caches in this folder."""
    kept = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
    folders = {"PYTHONPATH": str(code.ROOT), "PYTHONPYCACHEPREFIX": str(caches)}
    return subprocess.run(
        [sys.executable, "-c", command],
        env=kept | folders | variables,
        capture_output=True,
        text=True,
    )


def test_the_second_process_parses_no_module_and_finds_the_same_code(tmp_path):
    first = fingerprint(tmp_path)
    second = fingerprint(tmp_path, WITHOUT_PARSER + COMMAND)
    found = f"{code.fingerprint('claims.judging')}\n"
    assert (first.stdout, second.stdout, second.stderr) == (found, found, "")


@pytest.mark.parametrize("damaged", [lambda text: text[:-9], lambda text: f"[{text}]"])
def test_a_damaged_file_of_parsed_modules_is_written_again(tmp_path, damaged):
    fingerprint(tmp_path)
    [file] = tmp_path.rglob("*.json")
    file.write_text(damaged(file.read_text()))
    assert fingerprint(tmp_path).stdout == f"{code.fingerprint('claims.judging')}\n"
    assert fingerprint(tmp_path, WITHOUT_PARSER + COMMAND).returncode == 0


def test_a_process_that_may_write_no_caches_leaves_none(tmp_path):
    assert fingerprint(tmp_path, PYTHONDONTWRITEBYTECODE="1").returncode == 0
    assert not [*tmp_path.rglob("*")]


def test_the_second_process_looks_up_the_claims_file(tmp_path):
    command = (
        "from repatlas.claims.claims_file import read_claims; print(len(read_claims('law').claims))"
    )
    first = fingerprint(tmp_path, command)
    second = fingerprint(tmp_path, f"import yaml; yaml.load = None; {command}")
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert int(first.stdout) > 0
