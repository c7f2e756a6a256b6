"""The environment of this folder: python envs/make_env.py env|development|documentation

$VENV names its folder, and $UV the program that installs; without one it is pip. Packages are
installed into VENV.build, under a lock, while the old environment stays as it is. The new one takes
its place when all packages are there. Only a folder that has the file `installed`, which this
program writes, is ever replaced.

Any Python 3 can read this file, so that an old one can be told which one is needed.
"""

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

NAME = os.environ["VENV"]
VENV = Path(os.path.realpath(NAME))  # a link leads to a disk with more space, and stays
BUILD = VENV.with_name(VENV.name + ".build")
NEW, OLD, LOCK = BUILD / "new", BUILD / "old", BUILD / "lock"
INSTALLED = VENV / "installed"
REQUIREMENTS = Path("envs/requirements.lock")
LAYERS = {"env": [], "development": ["development"], "documentation": ["development", "docs"]}
FINDS_PACKAGE = (
    "import os, repatlas;"
    " os.path.samefile(repatlas.__file__, 'src/repatlas/__init__.py') or exit(1)"
)
HEADER = re.compile(
    rb"\A#!(?:/bin/sh\n'''exec' )?.*/bin/(python[\d.]*)['\"]?(?: \"\$0\" \"\$@\"\n' ''')?\n"
)
"""The first lines of a script that pip or uv writes, with /bin/sh for a path with spaces"""


def main(target):
    """Install what is missing of a target of make. Exit with a sentence if that cannot be done."""
    missing = [layer for layer in LAYERS[target] if not has(layer)]
    if is_current() and not missing:
        return
    refuse_foreign(VENV, INSTALLED)
    refuse_foreign(BUILD, LOCK)
    lock = acquired_lock()
    if not VENV.exists() and (OLD / INSTALLED.name).exists():  # killed between two names
        OLD.rename(VENV)
    if not is_current():
        refuse_under_workflow()
        if not (has_packages() and refresh(lock, stderr=subprocess.DEVNULL)):
            build(lock)
        remove(OLD)
    for layer in LAYERS[target]:
        if not has(layer):
            install(VENV, lock, "-r", str(lock_of(layer)))
            write(VENV / layer, lock_of(layer).read_bytes())


def is_current():
    """Return True if the environment is of these locked packages and finds the package of this
    folder. It does not after the folder was moved or copied, or after an upgrade of Python."""
    return (
        INSTALLED.exists()
        and not OLD.exists()
        and INSTALLED.read_bytes() == made_from()
        and succeeds(VENV / "bin/python", "-c", FINDS_PACKAGE, stderr=subprocess.DEVNULL)
    )


def made_from():
    """Return the content that decides, since a checkout may only touch the files."""
    return REQUIREMENTS.read_bytes() + Path("pyproject.toml").read_bytes()


def has_packages():
    """Return True if the environment has all locked packages of a run."""
    return INSTALLED.exists() and INSTALLED.read_bytes().startswith(REQUIREMENTS.read_bytes())


def has(layer):
    """Return True if the environment has these packages, which a run doesn't need."""
    marker = VENV / layer
    return marker.exists() and marker.read_bytes() == lock_of(layer).read_bytes()


def lock_of(layer):
    return Path("envs", layer + ".lock")


def refuse_foreign(folder, mark):
    """Refuse a folder that is not empty and has no file of this program."""
    if folder.exists() and not mark.exists() and not (folder.is_dir() and not os.listdir(folder)):
        sys.exit(
            f"VENV={NAME}: found {folder}, which make has not made and would replace;"
            " move it away, or name another folder: make VENV=.venv-2 ..."
        )


def acquired_lock():
    """Return a locked file. It is free when this process and what it has started have ended: the
    next `make` also waits for a pip that outlives this one."""
    BUILD.mkdir(parents=True, exist_ok=True)
    lock = LOCK.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"Another make installs into {NAME}: waiting for it to end", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:  # some disks of clusters have no locks
        print(f"{LOCK}: {error.strerror}: start no other make before this one ends", flush=True)
    return lock


def refuse_under_workflow():
    """Refuse to change the packages of a workflow. Its lock is younger than a minute while it
    lives."""
    for lock in Path("results").rglob("workflow.lock") if INSTALLED.exists() else ():
        if time.time() - lock.stat().st_mtime < 60:
            sys.exit(
                f"{lock}: a workflow is at work there with {NAME}, which must be built again:"
                f" {REQUIREMENTS} or pyproject.toml changed, or the folder was moved or copied."
                " Wait for it to end, or name another: make VENV=.venv-2 ..."
            )


def build(lock):
    """Install all packages of a run into a new environment, and put it in the place of the old
    one."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        sys.exit(
            "repatlas needs Python 3.11 to 3.14; found Python {}.{}."
            " Name one: make PYTHON=python3.12 ...".format(*sys.version_info)
        )
    remove(NEW)
    # It prints a traceback when it is interrupted.
    run(lock, sys.executable, "-m", "venv", "--prompt", VENV.name, NEW, stderr=subprocess.PIPE)
    install(NEW, lock, "-r", str(REQUIREMENTS))
    write(NEW / INSTALLED.name, REQUIREMENTS.read_bytes())
    remove(OLD)
    if INSTALLED.exists():
        VENV.rename(OLD)
    NEW.rename(VENV)
    if not refresh(lock):
        sys.exit(f"{NAME}: has all packages but the one of this folder; the reason is above")


def refresh(lock, **more):
    """Let scripts find the environment, and the environment find the package of this folder, where
    they are now. This needs no network. Return True if that went well."""
    python = VENV / "bin/python"
    header = f"#!/bin/sh\n'''exec' {shlex.quote(str(python))} \"$0\" \"$@\"\n' '''\n".encode()
    for script in sorted((VENV / "bin").iterdir()):
        if script.is_file() and not script.is_symlink():
            content = script.read_bytes()
            if HEADER.match(content):
                write(script, HEADER.sub(lambda _: header, content), script)
    # The scripts that activate it.
    made = succeeds(python, "-m", "venv", "--without-pip", "--prompt", VENV.name, VENV, **more)
    words = [*installer(VENV), "--no-deps", "--no-build-isolation", "-e", "."]
    made = made and succeeds(*words, pass_fds=[lock.fileno()], **more)
    if made:
        write(INSTALLED, made_from())
    return made


def installer(venv):
    """Return the command that installs into an environment. uv is several times as fast as pip."""
    python = str(venv / "bin/python")
    if os.environ.get("UV"):
        return [os.environ["UV"], "pip", "install", "--quiet", "--python", python]
    return [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def install(venv, lock, *words):
    run(lock, *installer(venv), *words)


def run(lock, *words, **more):
    words = [str(word) for word in words]
    print(" ".join(words), flush=True)
    done = subprocess.run(words, pass_fds=[lock.fileno()], **more)
    if done.returncode != 0:
        sys.stderr.write((done.stderr or b"").decode(errors="replace"))
        before = "is as it was" if INSTALLED.exists() else "has not been made"
        sys.exit(f"{NAME} {before}: this command failed, for the reason above: {' '.join(words)}")


def succeeds(*words, **more):
    try:
        return subprocess.run([str(word) for word in words], **more).returncode == 0
    except OSError:  # no such program
        return False


def write(path, content, like=None):
    """Write a file as a whole, with the mode of another one."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    if like:
        shutil.copymode(str(like), str(new))
    new.rename(path)


def remove(venv):
    """Delete an environment. First it loses the mark of a whole one."""
    if venv.exists():
        if (venv / INSTALLED.name).exists():
            (venv / INSTALLED.name).unlink()
        shutil.rmtree(str(venv))


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except KeyboardInterrupt:
        print("Interrupted: start the same command again", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
