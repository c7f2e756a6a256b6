"""Modules by the names that a config gives them: the only place that imports by name.

Some folders of this package have files that a config can name, such as `measures`. The names of
these files and folders are the allowed names, so a new file adds a name.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent
SPELLED = {"-": "_minus_", "+": "_plus_", ".": "_point_"}
"""How a file spells what the name of a module cannot have: relu-0.5 is relu_minus_0_point_5.py."""


def named(package: str, name: str) -> ModuleType:
    """Return the module of this name in a folder."""
    return import_module(f"{ROOT.name}.{module_of(package, name)}")


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
