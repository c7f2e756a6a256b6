"""The texts below the fields of a record, read from its source.

pydantic can read them, too, but does so at each import. That took a fifth of Snakemake's start
time. Here they are read only for a schema.
"""

import ast
import inspect
from functools import cache
from itertools import pairwise

from repatlas.grids import RecordGrid
from repatlas.record import Record


@cache
def docstrings(record: type[Record]) -> dict[str, str]:
    """Return the text below each field of a record: its own text, or the text of the record that it
    is made of or derived from."""
    if issubclass(record, RecordGrid):
        return docstrings(record.of)
    found = {}
    for ancestor in reversed(record.__mro__):
        if issubclass(ancestor, Record):
            found |= _in_module(inspect.getmodule(ancestor)).get(ancestor.__name__, {})
    return found


@cache
def _in_module(module) -> dict[str, dict[str, str]]:
    """Return the texts of the records of a module, by class and field."""
    nodes = ast.parse(inspect.getsource(module)).body
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_below_fields(node)) for node in classes}


def _below_fields(node: ast.ClassDef):
    for field, below in pairwise(node.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, inspect.cleandoc(text)
