"""The attributes of a representation that measures need, read from the source of the measures.

Nothing is imported: a measure may import packages that take a second to load.
"""

import ast
from functools import cache

from repatlas.named import ROOT, module_of, names


@cache
def needs(measure: str) -> frozenset[str]:
    """Return the NEEDS of a measure, a tuple of names."""
    path = ROOT.joinpath(*module_of("measures", measure).split(".")).with_suffix(".py")
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "NEEDS":
            return frozenset(ast.literal_eval(statement.value))
    raise AttributeError(f"{path}: has no NEEDS; list the attributes that the measure uses")


def answered(has: set[str]) -> list[str]:
    """Return the measures that need only these attributes."""
    return [name for name in names("measures") if needs(name) <= has]
