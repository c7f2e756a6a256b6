"""Where a result comes from: the code of its stage, package versions, device.

A stage's fingerprint is a hash of the syntax trees of its module and of every module of this
package that it imports, directly or not, packages on the way included. Comments, docstrings and
layout are not in the tree, so they change nothing; an edit two imports away changes exactly the
stages that use it. Imports are read, not executed: torch is never loaded for this.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent
RECORDED_PACKAGES = ("numpy", "scipy", "torch")


@cache
def fingerprint(stage: str, figure: str | None = None) -> str:
    """12 hexadecimal digits for the code of a stage and all that it imports.

    The stages that serve figures load the module of their figure by name: it is named here too.
    """
    modules = [f"repgeom.stages.{stage}"]
    if figure:
        modules.append(figure_module(stage, figure))
    return closure_hash(ROOT, modules)


def figure_module(stage: str, figure: str) -> str:
    """The module in which a stage finds what is special to a figure."""
    package = {"tabulate": "tables", "plot": "figures"}[stage]
    return f"repgeom.{package}.{figure}"


def identity(job: str, inputs: Iterable[str] = ()) -> str:
    """The identity of a file: its job's, and the identities of the files it was made from. So it
    changes with anything upstream, and the config and the code alone tell what it should be."""
    text = "\n".join([job, *sorted(inputs)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def versions() -> dict[str, str]:
    """The packages whose arithmetic a result rests on (recorded, but no reason to rerun)."""
    return {package: version(package) for package in RECORDED_PACKAGES}


def closure_hash(root: Path, modules: list[str]) -> str:
    """The hash of modules of the package in folder `root`, and of their imports within it."""
    trees = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in trees or (path := _path(root, name)) is None:
            continue
        trees[name] = _bare(ast.parse(path.read_text(encoding="utf-8")))
        waiting += _imports(trees[name], root.name)
        waiting += _parents(name)
    text = "\n".join(f"{name} {ast.dump(trees[name])}" for name in sorted(trees))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _path(root: Path, name: str) -> Path | None:
    """The file of a module, or None where the name is a function, say, and not a module."""
    base = root.parent.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _parents(name: str) -> list[str]:
    """Importing a.b.c executes a and a.b."""
    parts = name.split(".")
    return [".".join(parts[:depth]) for depth in range(1, len(parts))]


def _imports(tree: ast.Module, package: str) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in found if name.split(".")[0] == package]


def _bare(tree: ast.Module) -> ast.Module:
    """The tree without the texts that stand alone: docstrings, also those of attributes."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [statement for statement in body if not _is_text(statement)]
    return tree


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
