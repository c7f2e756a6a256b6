"""The code that a process runs must stay as it was planned until its results are written.

A job checks the fingerprint of its code once, when it starts. Python reads a module when it is
first imported, which may be hours later. So a job imports all modules that it names at once. Other
modules are compared with their hash when Python imports them. All modules are compared once more
before a file gets its name.

numba takes the hash of a source when it compiles a function of it, perhaps after an edit. So the
folder of its machine code has a name for the code that the job started with.
"""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from weakref import WeakMethod

from repatlas.artifacts.provenance import ROOT, code, module_hash
from repatlas.named import module_of, named, names
from repatlas.record import Refused

COMPILED = ("experiments.clusters.compiled", "experiments.drawn.loop", "geometry.compiled")
"""The modules from which numba compiles functions, together with the activations."""
_STARTED: dict[str, str] = {}
"""The hash of each module that a job of this process depends on, as it was when the job started."""
_CHECKS: list[WeakMethod] = []
"""What else must hold before the job writes, as long as the objects live that know it."""


def start(modules: list[str], hashes: dict[str, str]) -> None:
    """Remember the sources of a job, and import the modules that it names.

    modules: names below this package. hashes: of these modules and of all that they import.
    Raises Refused if a source has changed since its hash was made.
    """
    if _Importing not in sys.meta_path:
        sys.meta_path.insert(0, _Importing)
    _CHECKS.clear()
    _STARTED.update(hashes)
    chosen = [module_of("networks.activations", name) for name in names("networks.activations")]
    folder = ROOT / "__pycache__"
    if not os.access(folder if folder.exists() else ROOT, os.W_OK):
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "repatlas")
    os.environ["NUMBA_CACHE_DIR"] = str(folder / code(*COMPILED, *chosen))
    for module in modules:
        named(*module.rsplit(".", 1))


def check_before_writing(check: Callable[[], None]) -> None:
    """Let a method be called before this process writes any result, as long as its object lives.
    It may raise Refused."""
    _CHECKS.append(WeakMethod(check))


def check_sources() -> None:
    """Read the sources of this process's jobs again. Raises Refused if one of them was edited;
    edits of comments and docstrings do not count."""
    for known in _CHECKS:
        if check := known():
            check()
    _compare(_STARTED)


class _Importing:
    """Compares a module with its hash before Python imports it. Python then looks on for it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name in _STARTED:
            _compare([name])


def _compare(names: Iterable[str]) -> None:
    for name in names:
        if _hash_now(name) != _STARTED[name]:
            raise Refused(
                f"{name}: the code changed while this job was running, and nothing was written:"
                " start the same command again"
            )


def _hash_now(name: str) -> str | None:
    try:
        return module_hash(ROOT, name)
    except (SyntaxError, ValueError):  # in the middle of an edit
        return None
