"""The picture of the layers of imports in the documentation is true."""

import ast
import re

import pytest


@pytest.fixture
def rows(repository):
    page = (repository / "docs/develop/architecture.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    return [row.split(", ") for row in blocks[1].splitlines()]


def imported(path):
    """Return the packages of repatlas from which a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{each.name}" for each in node.names}
    return {name.split(".")[1] for name in found if name.startswith("repatlas.")}


def test_packages_import_from_lower_layers_alone(repository, rows):
    source = repository / "src/repatlas"
    layer = {name: number for number, row in enumerate(rows) for name in row}
    packages = {path.stem for path in source.iterdir() if not path.name.startswith("_")}
    assert layer.keys() == packages
    for path in source.rglob("*.py"):
        own = path.relative_to(source).parts[0].removesuffix(".py")
        for name in imported(path) & layer.keys() - {own} if own in layer else ():
            assert layer[name] > layer[own], f"{path.relative_to(source)} imports from {name}"
