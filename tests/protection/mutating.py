"""Small faults that can be put into a source file, one at a time: mutants.

A mutant is known by its function, its kind and the text of its lines. It is found again where the
line has moved. Strings, docstrings, annotations, decorators and imports have no mutants.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

FLIPPED = {
    ast.Lt: ("<", ">"), ast.Gt: (">", "<"), ast.LtE: ("<=", ">="), ast.GtE: (">=", "<="),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"), ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"),
}  # fmt: skip
BOUNDARY = {
    ast.Lt: ("<", "<="), ast.Gt: (">", ">="), ast.LtE: ("<=", "<"), ast.GtE: (">=", ">"),
}  # fmt: skip
ARITHMETIC = {
    ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: (r"\*\*", "*"),
}  # fmt: skip
LOGIC = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
UNTOUCHED = ast.stmt | ast.JoinedStr | ast.pattern | ast.expr_context | ast.excepthandler
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LEAVES = ast.Return | ast.Raise | ast.Continue | ast.Break


@dataclass(frozen=True)
class Mutant:
    """A fault. before, after: the lines that it changes, each as one line of text; nth: counts
    equal mutants of a function."""

    file: str
    line: int
    function: str
    kind: str
    before: str
    after: str
    nth: int
    start: int
    end: int
    text: str
    statement: tuple[int, int]
    body: tuple[int, int] | None

    @property
    def identity(self) -> tuple[str, str, str, str, int]:
        """What stays the same while the code of the mutant does."""
        return self.function, self.kind, self.before, self.after, self.nth

    def applied(self, source: bytes) -> bytes:
        """Return the source with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def is_valid(self, source: bytes) -> bool:
        """Return whether the fault leaves another program of Python."""
        try:
            return ast.dump(ast.parse(self.applied(source))) != ast.dump(ast.parse(source))
        except SyntaxError:
            return False


def mutants(file: str, source: bytes) -> Iterator[list[Mutant]]:
    """Yield the possible mutants of each statement that has one."""
    places = _Places(source)
    seen = defaultdict(int)
    for statement, function, body in _statements(ast.parse(source), "", None):
        found = []
        # A function's defaults are made at import, and count in each of its calls.
        lines = statement.lineno, _last_line(statement)
        if isinstance(statement, FUNCTIONS):
            lines = body
        for kind, start, end, text in _faults(statement, places):
            before, after = places.lines(start, end), places.lines(start, end, text)
            each = Mutant(
                file, places.line(start), function, kind, before, after, 0,
                start, end, text, lines, body,
            )  # fmt: skip
            found.append(replace(each, nth=seen[each.identity]))
            seen[each.identity] += 1
        if found:
            yield found


class _Places:
    """Nodes as places in the bytes of a source."""

    def __init__(self, source: bytes):
        self.source = source
        self.starts = [0]
        for line in source.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def line(self, place: int) -> int:
        return self.source.count(b"\n", 0, place) + 1

    def lines(self, start: int, end: int, text: str | None = None) -> str:
        """Return the lines from start to end as one line, with `text` between the two places."""
        first = self.source.rfind(b"\n", 0, start) + 1
        last = self.source.find(b"\n", end) % (len(self.source) + 1)
        inside = self.source[start:end] if text is None else text.encode()
        text = self.source[first:start] + inside + self.source[end:last]
        return " ".join(text.decode().split())

    def between(self, left: ast.AST, right: ast.AST, signs: tuple[str, str]) -> Iterator[tuple]:
        """Yield the place and the new text of the operator between two nodes."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.search(signs[0], self.source[start:end].decode())
        if found and "#" not in found.string:
            yield start + found.start(), start + found.end(), signs[1]


def _statements(node: ast.AST, function: str, body: tuple[int, int] | None) -> Iterator[tuple]:
    """Yield each statement with the name and the lines of the function that it is in."""
    for child in ast.iter_child_nodes(node):
        name, lines = function, body
        if isinstance(child, FUNCTIONS | ast.ClassDef):
            name = f"{function}.{child.name}".lstrip(".")
        if isinstance(child, FUNCTIONS):
            lines = child.body[0].lineno, child.end_lineno
        if isinstance(child, ast.stmt) and not isinstance(child, ast.Import | ast.ImportFrom):
            yield child, name, lines
        yield from _statements(child, name, lines)


def _last_line(statement: ast.stmt) -> int:
    """Return the last line of a statement without the block below it."""
    block = getattr(statement, "body", None)
    return max(statement.lineno, block[0].lineno - 1) if block else statement.end_lineno


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions of a statement, and none of the statements inside it."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue  # zip finds other lengths only where the program is wrong elsewhere
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, UNTOUCHED):
                if hasattr(child, "lineno"):
                    yield child
                yield from _own_nodes(child)


def _faults(statement: ast.stmt, places: _Places) -> Iterator[tuple[str, int, int, str]]:
    """Yield the kind of each fault of a statement, where it is, and the text that makes it."""
    if isinstance(statement, ast.ClassDef):
        return
    if isinstance(statement, ast.Return) and statement.value is not None:
        yield "return value dropped", *places.span(statement.value), "None"
    if _can_be_deleted(statement):
        yield "statement deleted", *places.span(statement), "pass"
    for node in _own_nodes(statement):
        for kind, changes in _EXPRESSIONS.get(type(node), ()):
            for start, end, text in changes(node, places):
                yield kind, start, end, text


def _can_be_deleted(statement: ast.stmt) -> bool:
    """Return True unless the names that the statement binds would be missing afterwards."""
    match statement:
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Assign(targets=targets):
            return all(isinstance(each, ast.Attribute | ast.Subscript) for each in targets)
        case ast.If(orelse=[], body=[*_, last]):
            return isinstance(last, LEAVES)
    return isinstance(statement, ast.Expr | ast.AugAssign | ast.Raise | ast.Assert | ast.Continue)


def _compared(signs: dict[type, tuple[str, str]]) -> Callable[..., Iterator[tuple]]:
    def changes(node: ast.Compare, places: _Places) -> Iterator[tuple[int, int, str]]:
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            if type(operator) in signs:
                yield from places.between(left, right, signs[type(operator)])

    return changes


def _arithmetic(node: ast.BinOp, places: _Places) -> Iterator[tuple[int, int, str]]:
    strings = (isinstance(side, ast.JoinedStr | ast.Constant) for side in (node.left, node.right))
    texts = any(strings) and not _is_number(node.left) and not _is_number(node.right)
    if type(node.op) in ARITHMETIC and not texts:
        yield from places.between(node.left, node.right, ARITHMETIC[type(node.op)])


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _logic(node: ast.BoolOp, places: _Places) -> Iterator[tuple[int, int, str]]:
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from places.between(left, right, LOGIC[type(node.op)])


def _dropped_sign(node: ast.UnaryOp, places: _Places) -> Iterator[tuple[int, int, str]]:
    start, _ = places.span(node)
    if isinstance(node.op, ast.USub) and not _is_number(node.operand):
        yield start, start + 1, ""


def _dropped_not(node: ast.UnaryOp, places: _Places) -> Iterator[tuple[int, int, str]]:
    start, _ = places.span(node)
    if isinstance(node.op, ast.Not):
        yield start, start + len("not "), ""


def _constant(node: ast.Constant, places: _Places) -> Iterator[tuple[int, int, str]]:
    if isinstance(node.value, bool):
        yield *places.span(node), str(not node.value)
    elif isinstance(node.value, int):
        yield *places.span(node), str(node.value + 1)
    elif isinstance(node.value, float):
        yield *places.span(node), repr(1.5 * node.value or 1.0)


def _dropped_argument(node: ast.Call, places: _Places) -> Iterator[tuple[int, int, str]]:
    for each in node.keywords:  # the other arguments mostly have no default
        if each.arg != "strict":
            start, end = places.span(each)
            comma = re.match(rb"\s*,[ ]*", places.source[end:])
            yield start, end + len(comma[0]) if comma else end, ""


def _slice(node: ast.Slice, places: _Places) -> Iterator[tuple[int, int, str]]:
    for bound, change in ((node.lower, "+ 1"), (node.upper, "- 1")):
        if bound is not None:
            _, end = places.span(bound)
            yield end, end, f" {change}"
    if node.lower is None:
        start, _ = places.span(node)
        yield start, start, "1"


_EXPRESSIONS = {
    ast.Compare: (
        ("comparison flipped", _compared(FLIPPED)),
        ("boundary moved", _compared(BOUNDARY)),
    ),
    ast.BinOp: (("arithmetic", _arithmetic),),
    ast.BoolOp: (("and/or", _logic),),
    ast.UnaryOp: (("arithmetic", _dropped_sign), ("not dropped", _dropped_not)),
    ast.Constant: (("constant changed", _constant),),
    ast.Call: (("argument dropped", _dropped_argument),),
    ast.Slice: (("slice off by one", _slice),),
}
