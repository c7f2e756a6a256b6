"""What measures ask of a representation, read from their text.

Nothing is imported: a measure may rest on packages that take a second to load.
"""

import ast
from functools import cache

from repatlas.named import ROOT, module_of, names


@cache
def needs(measure: str) -> frozenset[str]:
    """The NEEDS of a measure, a tuple of names."""
    path = ROOT.joinpath(*module_of("measures", measure).split(".")).with_suffix(".py")
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "NEEDS":
            return frozenset(ast.literal_eval(statement.value))
    raise AttributeError(f"{path}: has no NEEDS")


def answered(has: set[str]) -> list[str]:
    """Return the measures that need no more than this."""
    return [name for name in names("measures") if needs(name) <= has]
