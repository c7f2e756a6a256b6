"""Modules by the names that a config gives them: the only place that imports by name.

Some folders of this package have files that a config can name, such as `measures`. The names of
these files and folders are the allowed names, so a new file adds a name.
"""

from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent
SPELLED = {"-": "_minus_", "+": "_plus_", ".": "_point_"}
"""How a file spells what the name of a module cannot have: relu-0.5 is relu_minus_0_point_5.py."""


_declared: list[Container[str]] = []
"""What may be loaded now, if this is limited: the last entry counts."""


def named(package: str, name: str) -> ModuleType:
    """Return the module of this name in a folder. Raises Refused for a module that the result at
    work does not declare: it would not know of an edit of it."""
    module = f"{ROOT.name}.{module_of(package, name)}"
    if _declared and module not in _declared[-1]:
        from repatlas.record import Refused  # not above, since it needs pydantic

        raise Refused(f"{module}: is loaded by name, and the result at work does not declare it")
    return import_module(module)


@contextmanager
def only(declared: Container[str]) -> Iterator[None]:
    """Let `named` load these modules alone, within the block. declared: names with dots."""
    _declared.append(declared)
    try:
        yield
    finally:
        _declared.pop()


@cache
def module_of(package: str, name: str) -> str:
    """Return the name of the module below this package, with dots."""
    for sign, word in SPELLED.items():
        name = name.replace(sign, word)
    return f"{package}.{name}"


@cache
def names(package: str) -> tuple[str, ...]:
    """Return every name that a folder allows, in alphabetical order. Nothing is imported."""
    folder = ROOT.joinpath(*package.split("."))
    found = [path.stem for path in folder.glob("*.py")]
    found += [path.parent.name for path in folder.glob("*/*.py")]
    return tuple(sorted(_name(stem) for stem in {*found} if not stem.startswith("_")))


def _name(stem: str) -> str:
    for sign, word in SPELLED.items():
        stem = stem.replace(word, sign)
    return stem


def trains(experiment: str) -> bool:
    """Return True if an experiment trains networks. Without training, as in `files`, its
    representations exist from the start, at step 0."""
    return "train" in names(f"experiments.{experiment}")


def package_of_measures(experiment: str) -> str:
    """Return the package of the measures of an experiment. Representations that a user brings have
    known rows, items or trials. Their estimators differ from the estimators of networks, which
    have all conditions."""
    return "measures" if trains(experiment) else "own.measures"


def grid_of(sweep: dict[str, Any]) -> Any:
    """Return the grid of a sweep, which does not depend on its seeds."""
    experiment = sweep.get("experiment", "clusters")
    grid = named(f"experiments.{experiment}", "spec").Grid
    return grid.model_validate(without_seeds(sweep))


def without_seeds(sweep: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a sweep without its number of seeds, which no grid has."""
    return {name: value for name, value in sweep.items() if name != "seeds"}
