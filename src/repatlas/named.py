"""Modules by the names that a config gives them: the only place that imports by name.

A room is a folder of this package that a config names from: `networks.activations`, `measures`. The
names that it allows are those of the files in it, so to add one is to add a file.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent
SPELLED = {"-": "_minus_", "+": "_plus_", ".": "_point_"}
"""How a file spells what the name of a module cannot have: relu-0.5 is relu_minus_0_point_5.py."""


def named(room: str, name: str) -> ModuleType:
    """The module that `name` stands for in a room."""
    return import_module(f"{ROOT.name}.{module_of(room, name)}")


def module_of(room: str, name: str) -> str:
    """The name of that module below this package, with dots."""
    for sign, word in SPELLED.items():
        name = name.replace(sign, word)
    return f"{room}.{name}"


@cache
def names(room: str) -> tuple[str, ...]:
    """Every name that a room allows, in alphabetical order. Nothing is imported."""
    folder = ROOT.joinpath(*room.split("."))
    found = [path.stem for path in folder.glob("*.py")]
    found += [path.parent.name for path in folder.glob("*/__init__.py")]
    return tuple(sorted(_name(stem) for stem in found if not stem.startswith("_")))


def _name(stem: str) -> str:
    for sign, word in SPELLED.items():
        stem = stem.replace(word, sign)
    return stem
