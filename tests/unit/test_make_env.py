"""`make` installs its environment again after its sources changed. It never loses one that works,
or a folder that is not its own."""

import ast
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

ODD = "ünï 文 it's"
"""A folder's name with other alphabets, and with what a shell takes for its own."""

HEADER = """#!/bin/sh
'''exec' "$(dirname -- "$(realpath -- "$0")")"/'python' "$0" "$@"
' '''
import os, signal, sys, sysconfig, time
from pathlib import Path
"""
"""How a script starts that uv writes into a relocatable environment."""

UV = f"""{HEADER}
signal.signal(signal.SIGINT, signal.SIG_DFL)
print("uv", *sys.argv[6:], file=open("calls", "a"))
if "-r" in sys.argv and Path("offline").exists():
    sys.exit("ERROR: No matching distribution")
while "-r" in sys.argv and Path("slow").exists():
    time.sleep(0.05)
if "-e" in sys.argv:
    Path(sysconfig.get_path("purelib"), "copy.pth").write_text(str(Path("src").resolve()))
else:
    Path("settings").write_text(repr(dict(os.environ)))
    relocatable = "relocatable = true" in Path(sys.prefix, "pyvenv.cfg").read_text()
    header = {HEADER!r} if relocatable else "#!" + sys.executable
    script = Path(sys.prefix, "bin/script")
    script.write_text(header + chr(10) + "print(sys.prefix)")
    script.chmod(0o755)
"""
"""What stands for uv: it downloads nothing."""

PIP = f"""
import os, pathlib, sys
if "config" in sys.argv:
    os.execv({sys.executable!r}, [{sys.executable!r}, "-m", "pip", *sys.argv[1:]])
print("pip", *sys.argv[1:], file=open("calls", "a"))
sys.exit("ERROR: No matching distribution" if pathlib.Path("no uv").exists() else 0)
"""
"""What stands for pip, except for its settings."""

PYTHON = f"""#!{sys.executable}
import os, pathlib, runpy, subprocess, sys
option, *words = sys.argv[1:]
if option != "-S":
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
real = subprocess.run
def run(words, **more):
    if "venv" not in words or "--without-pip" in words:
        return real(words, **more)
    print("makes a new one", file=open("calls", "a"))
    if pathlib.Path("slow venv").exists():
        return real([sys.executable, "-c", "import time; time.sleep(60)"], **more)
    made = real([*words[:-1], "--without-pip", words[-1]], **more)
    [packages] = pathlib.Path(words[-1]).glob("lib/python3*/site-packages")
    (packages / "pip.py").write_text({PIP!r})
    uv = pathlib.Path(words[-1], "bin/uv")
    uv.write_text({UV!r})
    uv.chmod(0o755)
    return made
subprocess.run = run
sys.argv = words
runpy.run_path(words[0], run_name="__main__")
"""
"""A Python whose new environments have the pip and the uv above."""


class Copy:
    """A folder with the sources of the environment, and an empty package."""

    def __init__(self, folder):
        self.folder, self.lock = folder, folder / "envs/requirements.lock"
        self.calls, self.venv = folder / "calls", folder / "v"

    def start(self, target="env", venv="v", python="./python3"):
        self.calls.unlink(missing_ok=True)
        return subprocess.Popen(
            ["make", target, f"PYTHON={python}", f"VENV={venv}"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            # A shell's background jobs ignore interrupts, and so does all that they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def make(self, target="env", venv="v"):
        """Run `make`. Return whether it went well, what it printed, and what it started."""
        process = self.start(target, venv)
        said, _ = process.communicate(timeout=60)
        return process.returncode == 0, said, self.called()

    def called(self):
        return self.calls.read_text() if self.calls.exists() else ""

    def wait_until(self, happens):
        for _ in range(600):
            if happens():
                return
            time.sleep(0.05)
        raise TimeoutError

    def works(self):
        """Return True if the script of the activated environment runs in it."""
        words = ["sh", "-c", '. ./v/bin/activate && "$VIRTUAL_ENV/bin/script"']
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        return done.stdout == f"{self.venv.resolve()}\n"


ANEW = "makes a new one"
PACKAGE_ALONE = "uv --reinstall --no-deps --no-build-isolation -e ."


@pytest.fixture(scope="module")
def made(repository, tmp_path_factory):
    made = Copy(tmp_path_factory.mktemp("made") / ODD)
    shutil.copytree(repository / "envs", made.folder / "envs")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(repository / name, made.folder)
    (made.folder / "src/repatlas").mkdir(parents=True)
    (made.folder / "src/repatlas/__init__.py").touch()
    (made.folder / "python3").write_text(PYTHON)
    (made.folder / "python3").chmod(0o755)
    (made.folder / "results").mkdir()
    good, said, called = made.make()
    assert (good, ANEW in called) == (True, True), said
    return made


@pytest.fixture
def copy(made, tmp_path):
    """A copy of the folder, whose environment is current."""
    shutil.copytree(made.folder, tmp_path / "there", symlinks=True)
    copy = Copy(tmp_path / "there")
    assert copy.make()[::2] == (True, f"{PACKAGE_ALONE}\n")
    return copy


def newer(path):
    path.write_text(path.read_text() + "# newer\n")


def test_it_works_where_it_was_made_in_a_folder_with_any_name(made):
    assert made.works()
    assert [path.name for path in (made.folder / "v.build").iterdir()] == ["lock"]
    made.lock.touch()
    assert made.make() == (True, "", ""), "a checkout may only touch the files"


@pytest.mark.parametrize("change", [shutil.move, shutil.copytree])
@pytest.mark.parametrize("name", ["there", ODD])
def test_a_folder_that_was_moved_or_copied_needs_no_network(copy, tmp_path, change, name):
    more = {"symlinks": True} if change is shutil.copytree else {}
    change(copy.folder, tmp_path / "elsewhere" / name, **more)
    there = Copy(tmp_path / "elsewhere" / name)
    (there.folder / "offline").touch()
    good, said, called = there.make()
    assert (good, called) == (True, f"{PACKAGE_ALONE}\n"), said
    assert there.works()
    assert there.make() == (True, "", "")


def test_a_change_of_pyproject_needs_no_network(copy):
    newer(copy.folder / "pyproject.toml")
    (copy.folder / "offline").touch()
    assert copy.make() == (True, "", f"{PACKAGE_ALONE}\n")
    assert copy.make() == (True, "", "")


@pytest.mark.parametrize("what", ["offline", "no uv"])
def test_what_was_installed_stays_if_its_successor_cannot_be_had(copy, what):
    newer(copy.lock)
    (copy.folder / what).touch()
    good, said, _ = copy.make()
    assert not good
    assert "v is as it was: this command failed, for the reason above: " in said
    assert "PIP_INDEX_URL or PIP_FIND_LINKS says where packages are" in said
    assert copy.works()
    (copy.folder / what).unlink()
    assert ANEW in copy.make()[2]
    assert copy.make() == (True, "", "")
    assert copy.works()


def test_a_folder_that_is_not_its_own_is_left_alone(copy, tmp_path):
    theirs = tmp_path / "theirs"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", theirs], check=True)
    (theirs / "thesis.txt").write_text("years of work")
    good, said, called = copy.make(venv=theirs)
    assert (good, called) == (False, "")
    assert (
        f"VENV={theirs}: found {theirs}, which make has not made and would replace; move it" in said
    )
    assert (theirs / "thesis.txt").exists()
    assert not (tmp_path / "theirs.build").exists()


@pytest.mark.parametrize(("venv", "found"), [("..", ""), ("w", "/there/w.build")])
def test_the_folder_above_or_one_where_it_would_build_is_left_alone(copy, venv, found):
    (copy.folder / "w.build/new").mkdir(parents=True)
    good, said, _ = copy.make(venv=venv)
    assert (good, f"{copy.folder.parent}{found}, which make has not made" in said) == (False, True)
    assert (copy.folder / "w.build/new").exists()


def test_an_empty_folder_or_a_link_to_another_disk_is_taken(copy, tmp_path):
    (copy.folder / "empty").mkdir()
    assert copy.make(venv="empty")[0]
    (copy.folder / "link").symlink_to(tmp_path / "disk/v")
    assert copy.make(venv="link")[0]
    assert (copy.folder / "link").is_symlink()
    assert (tmp_path / "disk/v/installed").exists()


def test_a_second_start_in_a_fresh_clone_waits_and_then_works(copy):
    shutil.rmtree(copy.venv)
    (copy.folder / "slow").touch()
    first = copy.start()
    copy.wait_until(lambda: "-r" in copy.called())
    second = copy.start()
    assert second.stdout.readline() == "Another make installs into v: waiting for it to end\n"
    (copy.folder / "slow").unlink()
    assert (first.wait(60), second.wait(60)) == (0, 0)
    assert ANEW not in copy.called(), "the second has nothing to do"
    assert copy.works()


def test_after_a_kill_between_two_names_the_old_one_is_found(copy):
    newer(copy.lock)
    copy.venv.rename(copy.folder / "v.build/old")
    (copy.folder / "offline").touch()
    assert not copy.make()[0]
    assert copy.works()


def test_after_a_kill_before_the_package_is_there_the_rest_is_done(copy):
    (copy.venv / "installed").write_bytes(copy.lock.read_bytes())
    shutil.copytree(copy.venv, copy.folder / "v.build/old", symlinks=True)
    assert copy.make() == (True, "", f"{PACKAGE_ALONE}\n")
    assert not (copy.folder / "v.build/old").exists()


@pytest.mark.parametrize(("what", "begun"), [("slow venv", ANEW), ("slow", "-r")])
def test_an_interrupt_is_one_line_and_loses_nothing(copy, what, begun):
    newer(copy.lock)
    (copy.folder / what).touch()
    process = copy.start()
    copy.wait_until(lambda: begun in copy.called())
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    assert "Interrupted: start the same command again\n" in said
    assert "Traceback" not in said
    assert copy.works()
    (copy.folder / what).unlink()
    assert copy.make()[0]


def test_what_a_run_does_not_need_is_installed_for_the_tests_alone(copy):
    good, _, called = copy.make("development")
    assert (good, called) == (True, "uv -r envs/development.lock\n")
    assert copy.make("development") == (True, "", "")


def test_packages_are_taken_from_where_pip_would_and_a_closed_cache_is_not_needed(
    copy, tmp_path, monkeypatch
):
    for name in os.environ:
        if name.startswith(("PIP_", "UV_", "SSL_", "ALL_", "XDG_")):
            monkeypatch.delenv(name)
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://a\nextra-index-url =\n  https://b\n  https://c\n"
        "cert = /of us.pem\nproxy = http://d:1\n[install]\nno-index = true\nuser = true\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels ~/more")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".cache").touch()
    newer(copy.lock)
    called = copy.make()[2]
    assert "--no-user" in called
    assert "uv --no-index --reinstall-package pip -r envs/requirements.lock\n" in called
    wanted = {
        "UV_DEFAULT_INDEX": "https://a",
        "UV_INDEX": "https://b https://c",
        "UV_FIND_LINKS": f"/wheels,{tmp_path}/more",
        "SSL_CERT_FILE": "/of us.pem",
        "ALL_PROXY": "http://d:1",
        "XDG_CACHE_HOME": f"{copy.folder}/.snakemake/cache",
    }
    found = ast.literal_eval((copy.folder / "settings").read_text())
    assert {name: found[name] for name in wanted} == wanted


def test_make_env_finds_that_a_disk_has_lost_files(copy):
    (copy.venv / "bin/script").unlink()
    assert ANEW in copy.make()[2]
    assert copy.make() == (True, "", "")
    assert copy.works()
