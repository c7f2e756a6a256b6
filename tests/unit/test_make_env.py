"""`make` rebuilds its environment after its sources changed or the folder was moved, and never
while a workflow runs."""

import os
import shutil
import subprocess
import sys
import time

import pytest

# The Python of an environment finds the package of the folder in which the environment was made, as
# after `pip install -e`.
PYTHON = f"""#!/bin/sh
if [ "$1" = -c ]; then PYTHONPATH=HERE/src exec {sys.executable} "$@"; fi
echo "$(basename "$0") $@" >> calls
if [ "$2" = venv ]; then
  mkdir -p "$4/bin" && sed "s|HERE|$PWD|" "$0" > "$4/bin/python" && chmod +x "$4/bin/python"
fi
"""


class Copy:
    """A folder with the sources of the environment and an empty package, and a Python that finds
    the package and records all other calls."""

    def __init__(self, folder):
        self.folder, self.lock = folder, folder / "envs/requirements.lock"
        self.calls, self.python = folder / "calls", folder / "python3"
        self.claim = folder / "results/workflow.lock"

    def make(self, target="env", uv=""):
        """Remove the recorded calls and run `make`.

        Return the exit code, the output, and True if the environment was rebuilt."""
        self.calls.unlink(missing_ok=True)
        done = subprocess.run(
            ["make", target, f"PYTHON={self.python}", f"UV={uv}", "VENV=v"],
            cwd=self.folder,
            # The options of the `make` that runs the tests must not reach this one.
            env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKEOVERRIDES")},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, "-m venv --clear v" in self.called()

    def called(self):
        return self.calls.read_text() if self.calls.exists() else ""


@pytest.fixture
def copy(repository, tmp_path):
    made = Copy(tmp_path / "first")
    shutil.copytree(repository / "envs", made.folder / "envs")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(repository / name, made.folder)
    package = made.folder / "src/repatlas"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    made.python.write_text(PYTHON)
    made.python.chmod(0o755)
    made.claim.parent.mkdir()
    assert made.make()[::2] == (0, True)
    return made


def test_a_checkout_that_only_touches_its_files_leaves_it_alone(copy):
    later = time.time() + 10
    os.utime(copy.lock, (later, later))
    assert copy.make()[::2] == (0, False)


def test_another_lock_makes_it_anew(copy):
    copy.lock.write_text(copy.lock.read_text() + "# newer\n")
    assert copy.make()[::2] == (0, True)
    assert copy.make()[::2] == (0, False)


@pytest.mark.parametrize("change", [shutil.move, shutil.copytree])
def test_a_folder_that_was_moved_or_copied_gets_an_environment_of_its_own(copy, tmp_path, change):
    change(copy.folder, tmp_path / "there")
    there = Copy(tmp_path / "there")
    assert there.make()[::2] == (0, True)
    assert there.make()[::2] == (0, False)


def test_it_is_never_cleared_under_a_workflow(copy):
    copy.lock.write_text(copy.lock.read_text() + "# newer\n")
    copy.claim.write_text("of a living one")
    code, said, anew = copy.make()
    assert (code != 0, anew) == (True, False)
    assert "results/workflow.lock\nA workflow is at work there with v" in said


def test_the_claim_of_a_dead_one_hinders_nothing(copy):
    copy.lock.write_text(copy.lock.read_text() + "# newer\n")
    copy.claim.write_text("of a dead one")
    before = time.time() - 120
    os.utime(copy.claim, (before, before))
    assert copy.make()[::2] == (0, True)


def test_what_a_run_does_not_need_is_installed_for_the_tests_alone(copy):
    assert "development.lock" not in copy.called()
    assert copy.make("development")[::2] == (0, False)
    assert (
        "pip install --quiet --disable-pip-version-check -r envs/development.lock" in copy.called()
    )
    assert copy.make("development")[::2] == (0, False)
    assert copy.called() == ""


def test_uv_installs_where_it_is(copy):
    assert "-m pip install" in copy.called()
    uv = copy.folder / "uv"
    shutil.copy(copy.python, uv)
    copy.lock.write_text(copy.lock.read_text() + "# newer\n")
    assert copy.make(uv=uv)[::2] == (0, True)
    assert "uv pip install --quiet --python v/bin/python -r envs/requirements.lock" in copy.called()
    assert "-m pip" not in copy.called()
