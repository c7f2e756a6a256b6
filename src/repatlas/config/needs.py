"""The needs of measures, read from the source of the measures.

No measure is imported: it may import packages that take a second to load.
"""

import ast
from functools import cache

from repatlas import representation
from repatlas.named import ROOT, module_of, names


@cache
def need(measure: str) -> str:
    """Return the name of the Protocol that `rows` of a measure takes."""
    path = ROOT.joinpath(*module_of("measures", measure).split(".")).with_suffix(".py")
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "rows":
            annotation = statement.args.args[0].annotation
            if isinstance(annotation, ast.Name) and hasattr(representation, annotation.id):
                return annotation.id
    raise AttributeError(f"{path}: annotate `seen` of rows with a Protocol of representation.py")


def about(name: str) -> str:
    """Return a need in words, to stand within a sentence."""
    words = getattr(representation, name).__doc__.rstrip(".")
    return words[0].lower() + words[1:]


def answered(has: set[str]) -> list[str]:
    """Return the measures that need one of these."""
    return [name for name in names("measures") if need(name) in has]
