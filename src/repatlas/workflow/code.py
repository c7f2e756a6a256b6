"""The code of a result, as a fingerprint: the modules that it names, and all that these import.

A module counts by its syntax tree: comments, docstrings and layout change nothing. Its numbers, in
a JSON file of the same name, count as its code, and so does a style of figures. This package is
left out: it stores results, and changes none of them.

A stage declares its modules before it computes. Before it writes, each of them must still be what
it was, and no other module of ours may have been loaded.
"""

import ast
import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from repatlas.artifacts import parsed
from repatlas.named import module_of, names
from repatlas.record import Refused

ROOT = Path(__file__).parents[2]
"""The folder of this package, and of modules of the user's next to it."""
PACKAGE = Path(__file__).parents[1].name
LEFT_OUT = (f"{PACKAGE}.workflow", f"{PACKAGE}.artifacts")
"""What stores results, and changes none of them; the code of stages is counted by
`stage_fingerprint`."""
STAGES = f"{PACKAGE}.workflow.stages."
INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
RECORDED = (
    *("numpy", "scipy", "torch", "numba"),
    *("scikit-learn", "pandas", "pyarrow", "matplotlib"),
)
COMPILED = ("experiments.clusters.compiled", "experiments.drawn.loop", "geometry.compiled")
"""The modules from which numba compiles functions, together with the activations."""


def key(*values: Any) -> str:
    """Return 16 hexadecimal digits for values that JSON can spell."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def fingerprint(*modules: str) -> str:
    """Return 12 hexadecimal digits for these modules and all that they import.

    modules: names below this package, such as "measures.ccgp", in order. Names count: if two
    measures exchanged their names, each would stand for other numbers.
    """
    return key(modules, digests(*modules))[:12]


@cache
def digests(*modules: str) -> dict[str, str]:
    """Return the digest of each of these modules, and of each module that they import."""
    return _with_imports(
        [f"{PACKAGE}.{module}" for module in modules], lambda name: not name.startswith(LEFT_OUT)
    )


@cache
def stage_fingerprint(name: str) -> str:
    """Return the fingerprint of the module of a stage, and of the stages that it imports. Its edit
    makes its files again, but no network and no row is computed for it."""
    return key(_with_imports([STAGES + name], lambda name: name.startswith(STAGES)))[:12]


def _with_imports(waiting: list[str], counts: Callable[[str], bool]) -> dict[str, str]:
    """Return the digests of these modules, of their packages, and of all that they import."""
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        if name not in found and counts(name) and (path := _path(name)):
            found[name], imports = _module(name, path)
            parts = name.split(".")
            waiting += [".".join(parts[:depth]) for depth in range(1, len(parts))]
            waiting += imports
    return found


@cache
def _path(name: str) -> Path | None:
    """Return the file of a module; None if the name is of no module of ours."""
    base = ROOT.joinpath(*name.split("."))
    return next((p for p in (base / "__init__.py", base.with_suffix(".py")) if p.is_file()), None)


@cache
def _module(name: str, path: Path) -> tuple[str, list[str]]:
    """Return the digest of a module, and the names that it imports, as at the first look."""
    return _read(name, path)


def _read(name: str, path: Path) -> tuple[str, list[str]]:
    """Return the digest of a module, and the names that it imports, as they are now."""
    digest, imports = _parsed(path.read_bytes())
    for beside in map(path.with_suffix, (".json", ".mplstyle")):
        if beside.is_file():
            digest = key(digest, beside.read_text(encoding="utf-8"))
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    return digest, [_absolute(each, package) for each in imports]


def _absolute(name: str, package: list[str]) -> str:
    """Return the name of an import; a relative one begins with dots."""
    inner = name.lstrip(".")
    level = len(name) - len(inner)
    return ".".join([*package[: len(package) + 1 - level], inner]) if level else name


def _parsed(text: bytes) -> list[Any]:
    """Return the digest of a text without the numbers in the file next to it, and the names that it
    imports. Parsing takes a hundred times as long as reading, so what was parsed is kept."""
    known_as = parsed.key(__file__, text.decode())
    if (found := parsed.get(known_as)) is None:
        parsed.add(known_as, found := _parse(text))
    return found


def _parse(text: bytes) -> list[Any]:
    tree, imports = ast.parse(text), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            dot = "." if node.module else ""
            # A name may be a module, or be in one.
            imports += [base, *(f"{base}{dot}{each.name}" for each in node.names)]
        elif isinstance(body := getattr(node, "body", None), list):
            # Docstrings, also of attributes.
            node.body = [each for each in body if not _is_text(each)]
    return [key(_text(tree)), sorted({*imports})]


def _text(node: Any) -> str:
    """Return a syntax tree as text, the same in each Python. `ast.unparse` differs, for example."""
    if isinstance(node, list):
        return f"[{', '.join(map(_text, node))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)  # unlike repr the same with any version of Unicode
    fields = {name: getattr(node, name, None) for name in sorted({*node._fields} - {"kind"})}
    if isinstance(node, ast.JoinedStr):  # whose texts are divided in different ways
        texts = [each.value if isinstance(each, ast.Constant) else each for each in node.values]
        fields["values"] = []
        for is_text, own in groupby(texts, lambda each: isinstance(each, str)):
            several = [*own]
            fields["values"] += filter(None, ["".join(several)]) if is_text else several
    parts = [f"{n}={_text(value)}" for n, value in fields.items() if value not in (None, [])]
    return f"{type(node).__name__}({', '.join(parts)})"


def _is_text(node: Any) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


class Declared:
    """The modules that a stage declares. They are loaded at once."""

    def __init__(self, *modules: str):
        set_folder_of_machine_code()
        self.digests = digests(*modules)
        self._before = {*sys.modules}
        for module in modules:
            import_module(f"{PACKAGE}.{module}")
        self.check()

    def check(self) -> None:
        """Raise Refused if one of the modules was edited, or if another one was loaded."""
        for name, digest in self.digests.items():
            if digest_now(name) != digest or _has_other_text(name):
                raise Refused(
                    f"{name}: the code changed while this job was running, and nothing was written:"
                    " start the same command again"
                )
        for name in sorted({*sys.modules} - self._before - self.digests.keys()):
            if _is_ours(name):
                raise Refused(
                    f"{name}: was loaded by name, so results would not know of an edit of it, and"
                    " nothing was written: import it at the top of the module that uses it"
                )


def digest_now(name: str) -> str | None:
    """Return the digest of a module as it is now; None if there is none."""
    try:
        return (path := _path(name)) and _read(name, path)[0]
    except (OSError, SyntaxError, ValueError):  # removed, or in the middle of an edit
        return None


def _has_other_text(name: str) -> bool:
    """Return True if a module was imported before an edit of its file."""
    imported = getattr(getattr(sys.modules.get(name), "__loader__", None), "text", None)
    path = _path(name)
    return bool(imported and path) and _parsed(imported)[0] != _parsed(path.read_bytes())[0]


def _is_ours(name: str) -> bool:
    """Return True for modules that are neither Python's nor installed, nor of this package."""
    module = sys.modules.get(name)
    file = Path(getattr(module, "__file__", None) or "")
    if not file.is_absolute() or name.startswith(LEFT_OUT):
        return False
    if module is sys.modules["__main__"]:  # multiprocessing gives it a second name
        return False
    if {"site-packages", "dist-packages"} & {*file.parts}:  # perhaps another environment's
        return False
    return file.is_relative_to(ROOT) or not str(file).startswith(INSTALLED)


def set_folder_of_machine_code() -> None:
    """Let numba keep machine code in a folder that is named by the code that it is made from. By
    itself numba asks for the text of a source when it compiles, perhaps after an edit."""
    activations = [module_of("networks.activations", n) for n in names("networks.activations")]
    folder = ROOT / PACKAGE / "__pycache__"
    if not os.access(folder if folder.exists() else folder.parent, os.W_OK):
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", PACKAGE)
    os.environ["NUMBA_CACHE_DIR"] = str(folder / fingerprint(*COMPILED, *activations))


def accepted(codes: dict[str, dict[str, str]]) -> Callable[..., str]:
    """Return `fingerprint`, with the code that a config accepts instead of ours."""
    instead = {new: old for of_stage in codes.values() for new, old in of_stage.items()}
    return lambda *modules: instead.get(found := fingerprint(*modules), found)


def package_versions() -> dict[str, str | None]:
    """Return the versions of the packages that results depend on; None for one that is not
    installed. They are recorded, and never cause a rerun."""
    found: dict[str, str | None] = {}
    for package in RECORDED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found
