"""Environments for tests with some of the packages that the tests' own environment has."""

import os
import shutil
import subprocess
import sys
import venv
from email.parser import Parser
from importlib.metadata import distribution
from zipfile import ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def required(wheel, extras):
    """Return the names of the packages that a wheel with these extras requires."""
    with ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        lines = Parser().parsestr(file.read(name).decode()).get_all("Requires-Dist")
    return [
        each.name
        for each in map(Requirement, lines)
        if any(in_use(each, extra) for extra in extras.split(","))
    ]


def in_use(requirement, extra=""):
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def closure(names):
    """Return these packages and all that they require in the tests' environment."""
    found = set()
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            lines = map(Requirement, distribution(name).requires or ())
            waiting += [each.name for each in lines if in_use(each)]
    return found


def link(names, folder):
    """Link these packages into a folder of packages."""
    for needed in map(distribution, names):
        for part in {file.parts[0] for file in needed.files} - {"..", "__pycache__"}:
            if not (folder / part).exists():  # two packages may have a folder of one name
                (folder / part).symlink_to(needed.locate_file(part))


def python(script, *options, executable=sys.executable):
    return subprocess.run(
        [executable, *options, "-c", script], text=True, capture_output=True, check=True
    ).stdout


def without_python_path():
    """Return the environment variables without the path to this checkout."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def wheel_of(repository, folder):
    """Build our wheel in a folder, and return it."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, source)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(repository / "src", source / "src", ignore=left_out)
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", folder, source)
    (wheel,) = folder.glob("repatlas-*.whl")
    return wheel


def pip(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)],
        text=True,
        capture_output=True,
        env=without_python_path(),
    )
    assert done.returncode == 0, done.stdout + done.stderr


class Installed:
    """An environment with our wheel, the packages that it and some of its extras need, and not even
    pip."""

    def __init__(self, wheel, folder, extras=""):
        self.wheel = wheel
        venv.create(folder / "venv")
        self.folder, self.python = folder, folder / "venv/bin/python"
        (self.packages,) = (folder / "venv/lib").glob("python*/site-packages")
        self.needed = closure(required(self.wheel, extras))
        link(self.needed, self.packages)
        # pip gets no index, so that it fails if another package is required.
        what = f"{self.wheel}[{extras}]" if extras else self.wheel
        pip("--python", self.python, "install", "--no-index", "--no-compile", what)

    def run(self, script):
        """Run a script in this environment. -I leaves out the current folder and PYTHONPATH."""
        return python(script, "-I", executable=self.python)
