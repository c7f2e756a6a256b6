"""The texts of a file: docstrings, comments, messages of exceptions, and paragraphs of pages."""

import ast
import re
import tokenize
from collections.abc import Iterator
from itertools import groupby, pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from plain.pages import paragraphs

NO_PROSE = re.compile(r"#(\s{3}|\s*(noqa|type:|fmt:|pragma|yaml-language-server|!|-\*-|ruff|mypy))")
"""Indented commands, and comments for tools."""

SHOWN = {"refuse", "exit", "Role", "role", "Figure", "Pairs"}
"""Calls whose texts users read: refusals, and what a figure is and needs."""


class Text(NamedTuple):
    words: str
    lines: list[int]
    """The line of each character of `words`."""
    kind: str
    """module, class, function, value, comment, message or page."""


def texts_of(path: Path, source: str) -> Iterator[Text]:
    match path.suffix:
        case ".md" | ".rst":
            for paragraph in paragraphs(source):
                yield from text(paragraph, "page")
        case ".py":
            yield from comments(python_comments(source))
            yield from python_texts(ast.parse(source))
        case _:
            yield from comments(other_comments(source))
            if path.suffix == ".smk":
                yield from rule_docstrings(source)


def text(numbered: list[tuple[int, str]], kind: str) -> Iterator[Text]:
    """Yield numbered lines as one text, unless they have no letters."""
    pieces = [(number, f"{line.strip()} ") for number, line in numbered if line.strip()]
    words = "".join(piece for _, piece in pieces).rstrip()
    if re.search("[A-Za-z]", words):
        yield Text(words, [number for number, piece in pieces for _ in piece], kind)


def docstring(first: int, margin: int, value: str, kind: str) -> Iterator[Text]:
    """Yield the paragraphs of a docstring without its doctests and indented blocks."""
    numbered = enumerate(value.split("\n"), first)
    for has_words, lines in groupby(numbered, lambda each: bool(each[1].strip())):
        paragraph = list(lines)
        is_formula = paragraph[0][0] > first and paragraph[0][1].startswith(" " * (margin + 4))
        if has_words and not is_formula:
            prose = takewhile(lambda each: not each[1].strip().startswith(">>>"), paragraph)
            yield from text(list(prose), kind)
            kind = "page"


def python_texts(tree: ast.Module) -> Iterator[Text]:
    """Yield the docstrings of a module and the messages of its exceptions."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for before, statement in pairwise([None, *body]) if isinstance(body, list) else ():
            value = literal(getattr(statement, "value", None))
            is_about = before is None or isinstance(before, ast.Assign | ast.AnnAssign)
            if isinstance(statement, ast.Expr) and value and is_about:
                kind = "value" if before else kind_of(node)
                yield from docstring(statement.lineno, statement.col_offset, value, kind)
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call):
            is_shown = isinstance(node, ast.Raise) or name_of(call) in SHOWN
            helps = [each.value for each in call.keywords if each.arg == "help"]
            for argument in [*(call.args if is_shown else ()), *helps]:
                yield from text([(argument.lineno, literal(argument))], "message")


def kind_of(node: ast.AST) -> str:
    """Return what a docstring belongs to: module, class or function; "value" for a property or a
    fixture, and for a test, whose name is a sentence."""
    decorators = " ".join(ast.dump(each) for each in getattr(node, "decorator_list", []))
    is_test = getattr(node, "name", "").startswith("test_")
    if is_test or "property" in decorators or "fixture" in decorators:
        return "value"
    return {"Module": "module", "ClassDef": "class"}.get(type(node).__name__, "function")


def name_of(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def literal(node: ast.AST | None) -> str:
    """Return a string or f-string with `x` for each expression in it, else an empty string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(literal(part) or "x" for part in parts)


def comments(found: Iterator[tuple[int, int, str]]) -> Iterator[Text]:
    """Yield comments as texts. Comments on consecutive lines are one text."""
    group: list[tuple[int, int, str]] = []
    for row, column, comment in [*found, (-1, -1, "")]:
        if NO_PROSE.match(comment):
            continue
        if group and (group[-1][0] + 1, group[-1][1]) != (row, column):
            yield from text([(number, line) for number, _, line in group], "comment")
            group = []
        group.append((row, column, comment.lstrip("#!: ")))


def python_comments(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield the row, the column and the text of each comment in Python."""
    for token in tokenize.generate_tokens(iter(source.splitlines(keepends=True)).__next__):
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string


def other_comments(source: str) -> Iterator[tuple[int, int, str]]:
    """Yield the row, the column and the text of each comment in YAML, rules or a Makefile."""
    for number, line in enumerate(source.split("\n"), 1):
        if found := re.search(r"(?:^|\s)(#(?:\s.*|$))", line):
            yield number, found.start(1), found[1]


def rule_docstrings(source: str) -> Iterator[Text]:
    """Yield the docstrings of functions in a file of rules, which `ast` cannot parse."""
    for found in re.finditer(r':\n( +)"""(.*?)"""', source, re.DOTALL):
        first = source.count("\n", 0, found.start()) + 2
        yield from docstring(first, len(found[1]), found[2], "function")
