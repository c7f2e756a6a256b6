"""The size of the project, which only goes down.

`python tests/test_size.py` prints what is counted now, in the form of the limits below. Lines,
statements and characters are all counted, so that denser code is not smaller code.
"""

import ast
from collections import namedtuple
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
Size = namedtuple("Size", "lines statements characters")
FOLDERS = {
    "studies": "studies plots figures",
    "own": "own experiments/files",
    "workflow": "workflow artifacts command config compiling *.py",
    "claims": "claims report atlas",
    "experiments": "experiments images networks",
    "geometry": "geometry similarity inference dynamics theories measures pairs",
}
"""The folders of src/repatlas in each row; *.py are the modules in no folder. A part of a folder
may be in another row, as experiments/files is."""
LIMITS = {
    "studies": Size(17_702, 10_167, 790_197),
    "own": Size(7_083, 4_229, 314_955),
    "workflow": Size(7_601, 5_082, 334_941),
    "claims": Size(4_018, 2_409, 170_582),
    "experiments": Size(8_928, 5_337, 363_087),
    "geometry": Size(12_934, 6_431, 572_475),
}
SUM_OF_LIMITS = Size(58_266, 33_655, 2_546_237)
"""The most that these limits may be together: lower it with them, and never raise it."""
OTHER_LIMITS = {
    "lines of tests": 42_725,
    "statements of tests": 25_243,
    "characters of tests": 1_752_043,
    "modules of src": 556,
    "lines of YAML, JSON and .rst in src": 5_453,
    "`fmt: skip` in src": 151,
    "words of documents": 67_014,
    "lines of Snakefiles, rules and scripts": 340,
    "lines of the Makefile": 125,
}
"""Words are counted in README, config/README and the Markdown pages of docs. The built site without
the reference of the API has 1 to 2 % more."""


def size_of(files: Iterable[Path]) -> Size:
    texts = [each.read_text(encoding="utf-8") for each in files]
    statements = sum(_statements(ast.parse(text)) for text in texts)
    return Size(sum(text.count("\n") for text in texts), statements, sum(map(len, texts)))


def _statements(node: ast.AST) -> int:
    """Skip expressions, which have no statements: `ast.walk` takes five times as long."""
    found = int(isinstance(node, ast.stmt))
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, part, None)
        found += sum(map(_statements, inner)) if isinstance(inner, list) else 0
    return found


@cache
def modules() -> dict[str, list[Path]]:
    """Return the modules of each row, and of each folder without a row."""
    rows = {folder: row for row, folders in FOLDERS.items() for folder in folders.split()}
    src = ROOT / "src/repatlas"
    found: dict[str, list[Path]] = {row: [] for row in FOLDERS}
    for path in src.rglob("*.py"):
        parents = [each.as_posix() for each in path.relative_to(src).parents][:-1] or ["*.py"]
        row = next((rows[each] for each in parents if each in rows), parents[-1])
        found.setdefault(row, []).append(path)
    return found


@cache
def other_sizes() -> dict[str, int]:
    tests, src = _files("tests", ".py"), [each for row in FOLDERS for each in modules()[row]]
    pages = [each for each in _files("docs", ".md") if "_build" not in each.parts]
    pages += [ROOT / "README.md", ROOT / "config/README.md"]
    rules = [ROOT / "Snakefile"]
    rules += _files("workflow/rules", ".smk") + _files("workflow/scripts", ".py")
    counted = (
        *size_of(tests),
        len(src),
        _count("\n", _files("src", ".yaml", ".json", ".rst")),
        _count("fmt: skip", src),
        sum(len(each.read_text(encoding="utf-8").split()) for each in pages),
        _count("\n", rules),
        _count("\n", [ROOT / "Makefile"]),
    )
    return dict(zip(OTHER_LIMITS, counted, strict=True))


def _files(folder: str, *suffixes: str) -> list[Path]:
    return [each for each in (ROOT / folder).rglob("*") if each.suffix in suffixes]


def _count(what: str, files: list[Path]) -> int:
    return sum(each.read_text(encoding="utf-8").count(what) for each in files)


def assert_within(name: str, found: Size, allowed: Size) -> None:
    numbers = zip(Size._fields, found, allowed, strict=True)
    over = [f"{f:,} {of}, allowed {a:,}" for of, f, a in numbers if f > a]
    advice = "raise its limit in tests/test_size.py and lower the limit of another row by as much"
    assert not over, f"{name}: found {'; '.join(over)}. Remove as many. If it must grow, {advice}."


@pytest.mark.parametrize("row", FOLDERS)
def test_the_folders_of_a_row_are_within_its_limit(row):
    assert_within(f"{row} (src/repatlas: {FOLDERS[row]})", size_of(modules()[row]), LIMITS[row])


def test_a_limit_rises_only_as_much_as_others_fall():
    total = Size(*map(sum, zip(*LIMITS.values(), strict=True)))
    assert_within("the limits of all rows together", total, SUM_OF_LIMITS)


def test_each_folder_is_in_one_row():
    every = " ".join(FOLDERS.values()).split()
    assert len(every) == len({*every}), f"tests/test_size.py: a folder in two rows: {sorted(every)}"
    unknown = sorted(modules().keys() - FOLDERS.keys())
    assert not unknown, f"src/repatlas: {unknown} in no row of tests/test_size.py: add to one row."


@pytest.mark.parametrize("name", OTHER_LIMITS)
def test_nothing_else_grows(name):
    found, allowed = other_sizes()[name], OTHER_LIMITS[name]
    assert found <= allowed, f"{name}: found {found:,}, allowed {allowed:,}. Remove as many."


if __name__ == "__main__":
    sizes = {row: size_of(modules()[row]) for row in FOLDERS}
    sizes["sum"] = Size(*map(sum, zip(*sizes.values(), strict=True)))
    for row, size in sizes.items():
        print(f'    "{row}": Size({", ".join(f"{number:_}" for number in size)}),')
    for name, number in other_sizes().items():
        print(f'    "{name}": {number:_},')
