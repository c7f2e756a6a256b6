"""The origin of a result: its code, and the versions of packages.

The code of a result is the modules that it names (its stage, its experiment, its task, its
measures ...) and every module of this package that these import, directly or not, packages on the
way included. Its fingerprint is a hash of their syntax trees. Comments, docstrings and layout are
not in the tree, so they change nothing; an edit two imports away changes exactly the results that
use it. Imports are read, not executed: torch is never loaded for this.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
RECORDED_PACKAGES = (
    *("numpy", "scipy", "torch", "numba"),
    *("scikit-learn", "pandas", "pyarrow", "matplotlib"),
)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements that hold statements, or what holds such."""

_KNOWN: dict[str, "Module | None"] = {}
"""The modules of this package that this process has read: most stages share most of them."""


@cache
def code(*modules: str) -> str:
    """12 hexadecimal digits for the code of these modules and of all that they import.

    modules: names below this package, such as "stages.train".
    """
    return closure_hash(code_of(*modules))


@cache
def code_of(*modules: str) -> dict[str, str]:
    """The hash of each of these modules and of each that they import, but for artifacts, which
    stores results and has no say in them."""
    return module_hashes(ROOT, [f"{ROOT.name}.{module}" for module in modules], _KNOWN)


def identity(job: str, inputs: Iterable[str] = ()) -> str:
    """The identity of a file: its job's, and the identities of the files it was made from (of one
    split of a data set: the split's name). So it changes with anything upstream, and the config and
    the code alone tell what it should be."""
    text = "\n".join([job, *sorted(inputs)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def versions() -> dict[str, str | None]:
    """The packages that a result rests on, by their arithmetic, their data or how they draw
    (recorded, but no reason to rerun); None for one that is not installed, as numba need not be."""
    return {package: _version(package) for package in RECORDED_PACKAGES}


@cache
def _version(package: str) -> str | None:
    """Read from a file each time, it would take as long as a small network's training."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def closure_hash(hashes: dict[str, str]) -> str:
    text = "\n".join(f"{name} {hashes[name]}" for name in sorted(hashes))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def module_hashes(
    root: Path, names: list[str], known: dict[str, "Module | None"] | None = None
) -> dict[str, str]:
    """The hashes of modules of the package in folder `root`, and of their imports within it.

    known: the modules that were read before, by name, to which those that are read now are added.
    """
    known = {} if known is None else known
    hashes = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in hashes or name.startswith(f"{root.name}.artifacts"):
            continue
        if name not in known:
            known[name] = _read(root, name)
        if module := known[name]:
            hashes[name] = module.digest
            waiting += module.imports
    return hashes


class Module(NamedTuple):
    digest: str
    """The hash of its syntax tree"""
    imports: list[str]
    """What is executed before it: what it imports of the package, and the packages it is in"""


def module_hash(root: Path, name: str) -> str | None:
    """The hash of a module as it is now, without the modules that it imports; None where it is
    gone. Its file is always read."""
    module = _read(root, name)
    return module and module.digest


def _read(root: Path, name: str) -> Module | None:
    """A module of the package in folder `root`, or None where the name is a function, say."""
    path = _path(root, name)
    return path and _parsed(root.name, name, path.read_text(encoding="utf-8"))


@cache
def _parsed(package: str, name: str, text: str) -> Module:
    """Parsing a text takes a hundred times as long as reading it."""
    tree = _bare(ast.parse(text))
    digest = hashlib.sha256(tree_text(tree).encode()).hexdigest()[:12]
    return Module(digest, [*_imports(tree, package), *_parents(name)])


def tree_text(node: Any) -> str:
    """A syntax tree as text, the same in every Python that parses the code: `ast.dump` has fields
    that another version doesn't have, or leaves out others."""
    if isinstance(node, ast.AST):
        if isinstance(node, ast.JoinedStr):
            node = ast.JoinedStr(_joined(node.values))
        told = []
        for name in _fields(type(node)):
            value = getattr(node, name, None)
            if value is not None and value != []:
                told.append(f"{name}={tree_text(value)}")
        return f"{type(node).__name__}({', '.join(told)})"
    if isinstance(node, list):
        return f"[{', '.join(map(tree_text, node))}]"
    return ascii(node)  # unlike repr the same with any version of Unicode


@cache
def _fields(kind: type[ast.AST]) -> list[str]:
    """The kind of a text is u where it has this prefix, which means nothing."""
    return sorted({*kind._fields} - {"kind"})


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string, with neighbouring texts as one and no empty ones: how they are cut
    differs."""
    joined: list[ast.expr] = []
    for value in values:
        if not isinstance(value, ast.Constant):
            joined.append(value)
        elif joined and isinstance(joined[-1], ast.Constant):
            joined[-1] = ast.Constant(joined[-1].value + value.value)
        elif value.value:
            joined.append(value)
    return joined


def _path(root: Path, name: str) -> Path | None:
    """The file of a module, or None where the name is a function, say, and not a module. Where a
    folder and a file have the same name, Python imports the folder."""
    base = root.parent.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _parents(name: str) -> list[str]:
    """Importing a.b.c executes a and a.b."""
    parts = name.split(".")
    return [".".join(parts[:depth]) for depth in range(1, len(parts))]


def _imports(tree: ast.Module, package: str) -> list[str]:
    found = []
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in found if name.split(".")[0] == package]


def _bare(tree: ast.Module) -> ast.Module:
    """The tree without the texts that stand alone: docstrings, also those of attributes."""
    for node in _statements(tree):
        if hasattr(node, "body"):
            node.body = [statement for statement in node.body if not _is_text(statement)]
    return tree


def _statements(node: ast.AST) -> Iterator[Any]:
    """A module or statement, and all statements within: a walk through all of a tree takes as long
    as parsing it."""
    yield node
    for name in BLOCKS:
        for part in getattr(node, name, ()):
            yield from _statements(part)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
