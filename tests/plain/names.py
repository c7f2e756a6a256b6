"""Names that do not say what a function does, and effects that its docstring does not name."""

import ast
import re
from collections.abc import Iterator

from plain.texts import kind_of, name_of

UNCLEAR = re.compile(
    r"_?(of_|into_the|never_|hear_|put_right|sort_out|put_aside|no_files|speak$|say$|tell$|told$|said$"
    r"|noticed$|behind$|firsts|there$|then$|come$|apart$|alone$|own$|whole$|as_found|bare$|room_of)"
)
"""Names of functions and classes: prepositions, idioms and adjectives without a noun."""

EFFECTS = {
    "rename": "renam|mov|replac",
    **dict.fromkeys(("unlink", "rmtree"), "remov|delet|drop|clear|clean|forget"),
    **dict.fromkeys(("write_text", "write_bytes"), "writ|stor|sav|creat|mak|record"),
    "symlink_to": "link",
    "utime": "time|touch",
    **dict.fromkeys(("kill", "killpg"), "kill|end|stop|signal"),
}
"""What changes something outside of the program, and the words that say so."""


def is_of_pandas(call: ast.Call) -> bool:
    """Return True for `rename` of columns or of a series, which changes no file."""
    named = call.keywords or any(isinstance(each, ast.Constant) for each in call.args)
    return name_of(call) == "rename" and bool(named)


def unclear_names(tree: ast.Module) -> Iterator[tuple[int, str, str, str]]:
    """Yield the line, code, reason and name of each function or class that a reader has to open."""
    for node in ast.walk(tree):
        is_named = isinstance(node, ast.FunctionDef | ast.ClassDef) and kind_of(node) != "value"
        if is_named and UNCLEAR.match(node.name):
            yield node.lineno, "I1", "the name does not say what it does", node.name
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("test_"):
            continue
        first = (ast.get_docstring(node) or "").split("\n\n")[0].lower()
        calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
        changes = {name_of(each) for each in calls if not is_of_pandas(each)} & EFFECTS.keys()
        missing = sorted(name for name in changes if not re.search(EFFECTS[name], first))
        if first and missing:
            reason = f"does {', '.join(missing)}, and its first sentence does not say so"
            yield node.lineno, "E1", reason, node.name
