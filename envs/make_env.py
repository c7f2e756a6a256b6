"""The environment of this folder: python envs/make_env.py env|development|documentation

$VENV names its folder. Packages are installed into VENV.build, under a lock, while the old
environment stays as it is. The new one takes its place when all packages are there. Only a folder
that has the file `installed`, which this program writes, is ever replaced.

Any Python 3 can read this file, so that an old one can be told which one is needed.
"""
# ruff: noqa: E402

import os
from signal import SIG_IGN, SIGINT, getsignal, signal

SAID = b"Interrupted: start the same command again\n"
if getsignal(SIGINT) != SIG_IGN:  # a shell's background jobs ignore it
    signal(SIGINT, lambda *_: os.write(2, SAID) and os._exit(130))

import fcntl
import re
import shutil
import subprocess
import sys
from pathlib import Path

NAME = os.environ["VENV"]
VENV = Path(os.path.realpath(NAME))  # a link leads to a disk with more space, and stays
BUILD = VENV.with_name(VENV.name + ".build")
NEW, OLD, LOCK = BUILD / "new", BUILD / "old", BUILD / "lock"
INSTALLED, FILES = VENV / "installed", VENV / "files"
RUN, *MORE = (Path("envs", name + ".lock") for name in ("requirements", "development", "docs"))
LAYERS = {"env": [], "development": MORE[:1], "documentation": MORE}
NAMED = sys.argv[2:]  # the target, if the user typed it
FINDS = "import os, repatlas as r; exit(not os.path.samefile(r.__path__[0], 'src/repatlas'))"


def main(target):
    """Install what is missing of a target of make. Exit with a sentence if that cannot be done."""
    if is_current() and all(map(has, LAYERS[target])):
        return
    refuse_foreign(VENV, INSTALLED)
    refuse_foreign(BUILD, LOCK)
    lock = acquired_lock()
    if not VENV.exists() and (OLD / INSTALLED.name).exists():  # killed between two names
        OLD.rename(VENV)
    if not is_current():
        if not (has_packages() and refresh(lock, stderr=subprocess.DEVNULL)):
            build(lock)
        shutil.rmtree(OLD, ignore_errors=True)
    for layer in LAYERS[target]:
        if not has(layer):
            install(VENV, lock, "-r", layer)
            (VENV / layer.stem).write_bytes(layer.read_bytes())


def is_current():
    """Return True if the environment is of these locked packages and finds the package of this
    folder. It does not after the folder was moved or copied, or after an upgrade of Python."""
    return (
        has_packages()
        and not OLD.exists()
        and INSTALLED.read_bytes() == made_from()
        and succeeds(VENV / "bin/python", "-c", FINDS, stderr=subprocess.DEVNULL)
    )


def made_from():
    """Return the content that decides, since a checkout may only touch the files."""
    return RUN.read_bytes() + Path("pyproject.toml").read_bytes()


def has_packages():
    """Return True if the environment has all locked packages of a run. For `make env` itself, which
    the user typed, look for each file: it takes a second."""
    if NAMED and not (FILES.exists() and set(FILES.read_text().splitlines()) <= files(VENV)):
        return False
    return INSTALLED.exists() and INSTALLED.read_bytes().startswith(RUN.read_bytes())


def files(venv):
    """Return all paths, without compiled code, which comes and goes."""
    return {str(p.relative_to(venv)) for p in venv.rglob("*") if "__pycache__" not in p.parts}


def has(layer):
    """Return True if the environment has these packages, which a run doesn't need."""
    marker = VENV / layer.stem
    return marker.exists() and marker.read_bytes() == layer.read_bytes()


def refuse_foreign(folder, mark):
    """Refuse a folder that is not empty and has no file of this program."""
    if folder.exists() and not mark.exists() and not (folder.is_dir() and not os.listdir(folder)):
        sys.exit(
            f"VENV={NAME}: found {folder}, which make has not made and would replace;"
            " move it away, or name another folder: make VENV=.venv-2 ..."
        )


def acquired_lock():
    """Return a locked file. It is free when this process and what it has started have ended: the
    next `make` also waits for a uv that outlives this one."""
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


def build(lock):
    """Install all packages of a run into a new environment. It takes the place of the old one."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        sys.exit(
            "repatlas needs Python 3.11 to 3.14; found Python {}.{}."
            " Name one: make PYTHON=python3.12 ...".format(*sys.version_info)
        )
    shutil.rmtree(NEW, ignore_errors=True)
    # It prints a traceback when it is interrupted.
    run(lock, sys.executable, "-m", "venv", NEW, stderr=subprocess.PIPE)
    pip = [NEW / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(lock, *pip, "--no-user", "--only-binary", "uv", re.search("uv==.*", RUN.read_text())[0])
    make_relocatable(NEW)
    install(NEW, lock, "--reinstall-package", "pip", "-r", RUN)
    (NEW / FILES.name).write_text("\n".join(files(NEW)))
    (NEW / INSTALLED.name).write_bytes(RUN.read_bytes())
    shutil.rmtree(OLD, ignore_errors=True)
    if INSTALLED.exists():
        VENV.rename(OLD)
    NEW.rename(VENV)
    if not refresh(lock):
        sys.exit(f"{NAME}: has all packages but the one of this folder; the reason is above")


def make_relocatable(venv):
    """Let uv write scripts that find their environment wherever it is moved."""
    with (venv / "pyvenv.cfg").open("a") as settings:
        settings.write("relocatable = true\n")


def refresh(lock, **more):
    """Let the environment find the package of this folder, and a shell the environment, where they
    are now. This needs no network. Return True if that went well."""
    package = [*uv(VENV), "--reinstall", "--no-deps", "--no-build-isolation", "-e", "."]
    if not succeeds(VENV / "bin/python", "-m", "venv", "--without-pip", VENV, **more):
        return False
    make_relocatable(VENV)
    if not succeeds(*package, pass_fds=[lock.fileno()], **more):
        return False
    INSTALLED.write_bytes(made_from())
    return True


def uv(venv):
    return [venv / "bin/uv", "pip", "install", "--quiet", "--python", venv / "bin/python"]


def install(venv, lock, *words):
    """Install packages with uv, which reads none of pip's settings, from where pip would."""
    listed = subprocess.check_output([venv / "bin/python", "-m", "pip", "config", "list"])
    listed, pip = listed.decode().replace("\\n", " "), {}
    for section in ("global", "install", ":env:"):  # a later one overrides an earlier one
        pip.update(re.findall(rf"^{section}\.([\w-]+)=' *(.*)'$", listed, re.M))
    settings = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": pip.get("extra-index-url", ""),
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": ",".join(map(os.path.expanduser, pip.get("find-links", "").split())),
        "UV_INSECURE_HOST": pip.get("trusted-host", ""),
        "UV_SYSTEM_CERTS": "1",
        "SSL_CERT_FILE": pip.get("cert", ""),
        "ALL_PROXY": pip.get("proxy", ""),
    }
    if pip.get("no-index", "0").lower() in ("1", "true", "yes", "on"):
        words = ["--no-index", *words]
    run(lock, *uv(venv), *words, env={**settings, **os.environ})


def run(lock, *words, **more):
    words = [str(word) for word in words]
    print(" ".join(words), flush=True)
    done = subprocess.run(words, pass_fds=[lock.fileno()], **more)
    if done.returncode != 0:
        sys.stderr.write((done.stderr or b"").decode(errors="replace"))
        before = "is as it was" if INSTALLED.exists() else "has not been made"
        sys.exit(
            f"{NAME} {before}: this command failed, for the reason above: {' '.join(words)}\n"
            "If it found no package: PIP_INDEX_URL or PIP_FIND_LINKS says where packages are."
        )


def succeeds(*words, **more):
    try:
        return subprocess.run(words, **more).returncode == 0
    except OSError:  # no such program
        return False


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
