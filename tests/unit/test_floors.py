"""Imports go one way: a room imports from floors below it, and never from a neighbour."""

import ast
from pathlib import Path

import repatlas

ROOT = Path(repatlas.__file__).parent
FLOORS = (
    {"record", "streams", "named", "geometry"},
    {"artifacts", "grids", "texts", "networks", "similarity", "inference"},
    {"representation", "dynamics", "images", "plots", "claims", "figures", "pairs"},
    {"own"},
    {"experiments", "measures", "similarities"},
    {"studies"},
    {"config", "stages"},
    {"plan"},
    {"operations"},
    {"report"},
    {"__main__"},
    {"command"},
)
"""From the ground up: the loose modules of the package, and its folders."""
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ONE_EXPERIMENT = ("experiments", "studies")
"""Folders whose own folders are neighbours: no experiment knows another, no study another."""


def modules():
    return [path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem != "__init__"]


def room_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported(path):
    """The rooms, and for experiments which, that a module imports from: names below the package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "repatlas" and not rest.startswith("__version__"):
                yield rest.split(".")


def test_every_room_has_a_floor():
    assert {room_of(path) for path in modules()} == FLOOR.keys()


def test_a_room_imports_from_floors_below_it_and_from_itself():
    wrong = [
        f"{path.relative_to(ROOT)} imports {'.'.join(names)}"
        for path in modules()
        for names in imported(path)
        if names[0] != room_of(path) and FLOOR[names[0]] >= FLOOR[room_of(path)]
    ]
    assert wrong == []


def test_no_experiment_and_no_study_knows_another():
    for room in ("experiments", "studies"):
        for path in (ROOT / room).glob("*/**/*.py"):
            own = path.relative_to(ROOT / room).parts[0]
            others = {
                names[1]
                for names in imported(path)
                if names[0] == room and (ROOT / room / names[1]).is_dir()
            }
            assert others <= {own}, path


def test_at_most_seven_modules_lie_loose():
    loose = {path.stem for path in ROOT.glob("*.py")} - {"__init__"}
    assert len(loose) <= 7, sorted(loose)
