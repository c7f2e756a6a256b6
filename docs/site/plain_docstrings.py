"""A Sphinx extension: docstrings in plain text, as this project writes them, become pages.

Paragraphs stay paragraphs, and their signs mean nothing: |x| is a norm, x_i has an index. A block
that is indented is a formula. An argument that is explained ("x: (P, n), ...") begins a new
line, and so does what a function raises. Examples begin with the imports that they need.
"""

import ast
import doctest
import inspect
import re
import sys
from types import ModuleType

import numpy as np

SIGNS = re.compile(r"([\\*`|_])")
SENTENCE = r"(?:Raises \w+|Warns|nan )"


def plain_text(app, what, name, object_, options, lines):
    """Replace the lines of a docstring by reStructuredText that shows them as they are."""
    if what in ("function", "class", "exception"):
        # Sphinx watches the module that a page names, which only imports the function.
        app.env.note_dependency(inspect.getsourcefile(inspect.unwrap(object_)))
    arguments, imports = parameters(object_), imports_of("\n".join(lines), name, object_)
    blocks = "\n".join(lines).strip("\n").split("\n\n")
    lines[:] = []
    for block in blocks:
        if block.lstrip().startswith(">>>"):
            lines += [*imports, *block.split("\n"), ""]
            imports = []
        elif block.startswith("    "):
            lines += ["::", "", *(f"  {line}" for line in block.split("\n")), ""]
        else:
            lines += paragraphs(block, arguments)


def parameters(object_) -> list[str]:
    """Return the names of a function's arguments, or of the fields of a record."""
    try:
        return list(inspect.signature(object_).parameters)
    except (TypeError, ValueError):
        return []


def imports_of(text: str, name: str, object_) -> list[str]:
    """Return, as lines of a doctest, the imports of what the examples take from their module."""
    module = sys.modules.get(getattr(object_, "__module__", ""))
    public = sys.modules.get(name.rpartition(".")[0])
    found = []
    for used in names_in(text):
        value = np if used == "np" else getattr(module, used, None)
        if isinstance(value, ModuleType):
            found.append(f">>> import {value.__name__} as {used}")
        elif value is not None:
            home = public if hasattr(public, used) else sys.modules[value.__module__]
            found.append(f">>> from {home.__name__} import {used}")
    return sorted(found, key=lambda line: (line.startswith(">>> from"), line))


def names_in(text: str) -> set[str]:
    """Return the names that the examples of a docstring use without importing them."""
    source = "".join(each.source for each in doctest.DocTestParser().get_examples(text))
    tree = list(ast.walk(ast.parse(source)))
    imported = {each.name for node in tree for each in getattr(node, "names", [])}
    names = [node for node in tree if isinstance(node, ast.Name)]
    set_there = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - set_there - imported


def paragraphs(block: str, arguments: list[str]) -> list[str]:
    """Return a paragraph as several: its own text, and a list item for each explained argument."""
    names = "|".join(sorted(map(re.escape, arguments), key=len, reverse=True)) or "(?!)"
    starts = rf"(?:{names})(?:=[^\s:]+(?: [\w-]+\")?)?(?:, (?:{names}))*"
    text = re.sub(r"\n(?=" + SENTENCE + ")", "\n\n", block)
    text = re.sub(rf"(?:^|;\s+|(?<=\.)\s+)(?={starts}: )", "\n\n- ", text)
    found = []
    for part in text.strip().split("\n\n"):
        words = " ".join(part.split())
        if words.startswith("- "):
            words = re.sub(rf"(^- |\band )({starts}):", r"\1`\2`:", words)
        found += [shown(words), ""]
    return found


def shown(words: str) -> str:
    """Return text in which `literals` are code, and all other signs are themselves."""
    pieces = re.split(r"(`[^`]+`)", words)
    return "".join(f"`{p}`" if p.startswith("`") else SIGNS.sub(r"\\\1", p) for p in pieces)


ARRAY_LIKE = re.compile(
    r"[\w.~]*_Buffer \| [\w.~]*_SupportsArray\[.*?\]\] \| [\w.~]*_NestedSequence\[.*?\]\]\]"
    r" \| complex \| bytes \| str \| [\w.~]*_NestedSequence\[complex \| bytes \| str\]"
)
FORWARD = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
"""The form of a short name of a type in a union, in some versions of Sphinx."""


def short_types(app, what, name, object_, options, signature, returned):
    """Return a signature in which numpy's long type of all that becomes an array has its name."""
    return tuple(
        each and FORWARD.sub(r"\1", ARRAY_LIKE.sub("ArrayLike", each))
        for each in (signature, returned)
    )


def setup(app):
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-process-docstring", plain_text)
    return {"parallel_read_safe": True}
