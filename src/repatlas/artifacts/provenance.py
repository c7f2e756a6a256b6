"""The origin of a result: its code, and the versions of packages.

The code of a result is the modules that it names: its stage, experiment, task, measures and so on.
Every module of this package that these import, directly or not, belongs to it, with the packages on
the way. Its fingerprint is a hash of what these modules do and of the imports between them.
Comments, docstrings, layout and the order of imports change nothing, and neither do the paths of
modules: a module can move to another folder. An edit two imports away changes exactly the results
that use it. Imports are read, not executed: torch is never loaded for this.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from repatlas.artifacts import parsed

ROOT = Path(__file__).parents[1]
RECORDED_PACKAGES = (
    *("numpy", "scipy", "torch", "numba"),
    *("scikit-learn", "pandas", "pyarrow", "matplotlib"),
)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements that hold statements, or what holds such."""


@cache
def code(*modules: str) -> str:
    """Return 12 hexadecimal digits for the code of these modules and of all that they import.

    modules: names below this package, such as "stages.train".
    """
    return OURS.fingerprint(*(f"{ROOT.name}.{module}" for module in modules))


@cache
def code_of(*modules: str) -> dict[str, str]:
    """Return the hash of each of these modules and of each module that they import, except
    artifacts, which stores results and does not change them."""
    return OURS.hashes(*(f"{ROOT.name}.{module}" for module in modules))


def identity(job: str, inputs: Iterable[str] = ()) -> str:
    """Return the identity of a file: a hash of its job and of the identities of its inputs. It
    changes with anything upstream, and it follows from the config and the code alone."""
    text = "\n".join([job, *sorted(inputs)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def versions() -> dict[str, str | None]:
    """Return the versions of the packages that results depend on; None for a package that is not
    installed. They are recorded, and never cause a rerun."""
    return {package: _version(package) for package in RECORDED_PACKAGES}


@cache
def _version(package: str) -> str | None:
    """Return a version. Reading it each time would take as long as to train a small network."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


class Import(NamedTuple):
    """One name that a module imports from the package."""

    bound: str
    """The name that it has in the importing module."""
    module: str
    attribute: str | None = None
    """What is imported from the module, which may be a module within it; None for the module."""


class Module(NamedTuple):
    digest: str
    """The hash of its syntax tree."""
    behaviour: str
    """The hash of its syntax tree without the paths of the modules that it imports."""
    imports: list[Import]
    is_empty: bool


class Package:
    """The modules of the package in a folder, each read once."""

    def __init__(self, root: Path):
        self._root = root
        self._modules: dict[str, Module | None] = {}
        self._folders: dict[str, bool] = {}
        self._behaviours: dict[str, str] = {}
        self._reaches: dict[str, list[tuple[str | None, str | None]]] = {}

    def hashes(self, *names: str) -> dict[str, str]:
        """Return the hash of each of these modules, and of each module that they import."""
        hashes: dict[str, str] = {}
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name not in hashes and (module := self._module(name)):
                hashes[name] = module.digest
                waiting += [*_parents(name), *(each for each, _ in self._imported(module))]
        return hashes

    def fingerprint(self, *names: str) -> str:
        """Return 12 hexadecimal digits for these modules and all that they import.

        The last part of a given name counts, since a config picks a module by it. If two measures
        exchanged their names, the same names would stand for other numbers.
        """
        parts = {f"{name.rpartition('.')[2]} {self._behaviour(name)}" for name in names}
        return _hash("\n".join(sorted(parts)))

    def _behaviour(self, name: str) -> str:
        """Return a hash of what a module does with all that it imports.

        Modules are numbered in the order in which they are reached, so that their names do not
        matter, and so that two modules may import each other.
        """
        if name in self._behaviours:
            return self._behaviours[name]
        order, numbers, lines = [name], {name: 0}, []
        for each in order:  # which grows
            if not (module := self._module(each)):
                continue
            line = [module.behaviour]
            for target, attribute in self._reached(each, module):
                if target is None:
                    line.append("-")
                    continue
                if target not in numbers:
                    numbers[target] = len(order)
                    order.append(target)
                line.append(f"{numbers[target]}.{attribute}")
            lines.append(" ".join(line))
        self._behaviours[name] = _hash("\n".join(lines))
        return self._behaviours[name]

    def _reached(self, name: str, module: Module) -> list[tuple[str | None, str | None]]:
        """Return what a module imports, and its parents that do anything. Modules that do nothing
        are None."""
        if name not in self._reaches:
            own = [(t if self._does(t) else None, part) for t, part in self._imported(module)]
            parents = [(parent, None) for parent in _parents(name) if self._does(parent)]
            self._reaches[name] = own + parents
        return self._reaches[name]

    def _imported(self, module: Module) -> Iterator[tuple[str, str | None]]:
        """Yield the modules that a module imports, each with the name that is taken from it."""
        for _, name, attribute in module.imports:
            # Only a folder has modules in it, so no file is searched for a function.
            holds = attribute and self._is_folder(name)
            if holds and self._module(inner := f"{name}.{attribute}"):
                yield inner, None
            else:
                yield name, attribute

    def _does(self, name: str) -> bool:
        """Return whether a module does anything: most packages have a docstring alone."""
        module = self._module(name)
        return bool(module and not module.is_empty)

    def _is_folder(self, name: str) -> bool:
        """Return whether a module is a folder of modules."""
        if name not in self._folders:
            self._folders[name] = self._root.parent.joinpath(*name.split(".")).is_dir()
        return self._folders[name]

    def _module(self, name: str) -> Module | None:
        """Return a module. Return None for artifacts, and if the name is not a module."""
        if name not in self._modules:
            is_left_out = name.startswith(f"{self._root.name}.artifacts")
            self._modules[name] = None if is_left_out else _read(self._root, name)
        return self._modules[name]


OURS = Package(ROOT)
"""Most stages share most modules."""


def module_hash(root: Path, name: str) -> str | None:
    """Return the hash of a module as it is now, without the modules that it imports; None if it is
    gone. Its file is always read."""
    module = _read(root, name)
    return module and module.digest


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _read(root: Path, name: str) -> Module | None:
    """Return a module of the package in folder `root`; None for other names, such as functions.
    Its numbers, in a JSON file of the same name, count as its code."""
    path = _path(root, name)
    module = path and _parsed(root.name, path.read_text(encoding="utf-8"))
    if not module or not (numbers := path.with_suffix(".json")).is_file():
        return module
    text = numbers.read_text(encoding="utf-8")
    hashes = (_hash(f"{known} {text}") for known in (module.digest, module.behaviour))
    return module._replace(**dict(zip(("digest", "behaviour"), hashes, strict=True)))


@cache
def _parsed(package: str, text: str) -> Module:
    """Return a module from its text. Parsing takes a hundred times as long as reading, so what
    earlier processes have parsed is looked up."""
    key = parsed.key(package, text)
    if (known := parsed.get(key)) is None:
        tree = _without_docstrings(ast.parse(text))
        imports = _take_imports(tree, package)
        text = tree_text(tree)
        known = [_hash(f"{text} {imports}"), _hash(text), imports, not tree.body]
        parsed.add(key, known)
    digest, behaviour, imports, is_empty = known
    return Module(digest, behaviour, [Import(*each) for each in imports], is_empty)


def tree_text(node: Any) -> str:
    """Return a syntax tree as text, the same in every Python that parses the code. `ast.dump` has
    other fields in other versions of Python."""
    if isinstance(node, ast.AST):
        if isinstance(node, ast.JoinedStr):
            node = ast.JoinedStr(_joined(node.values))
        parts = []
        for name in _fields(type(node)):
            value = getattr(node, name, None)
            if value is not None and value != []:
                parts.append(f"{name}={tree_text(value)}")
        return f"{type(node).__name__}({', '.join(parts)})"
    if isinstance(node, list):
        return f"[{', '.join(map(tree_text, node))}]"
    return ascii(node)  # unlike repr the same with any version of Unicode


@cache
def _fields(kind: type[ast.AST]) -> list[str]:
    """Return the fields of a node, without `kind`: the prefix u of a text, which has no effect."""
    return sorted({*kind._fields} - {"kind"})


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return the parts of an f-string, with neighbouring texts joined and without empty texts.
    Versions of Python divide these texts in different ways."""
    joined: list[ast.expr] = []
    for value in values:
        if not isinstance(value, ast.Constant):
            joined.append(value)
        elif joined and isinstance(joined[-1], ast.Constant):
            joined[-1] = ast.Constant(joined[-1].value + value.value)
        elif value.value:
            joined.append(value)
    return joined


def _path(root: Path, name: str) -> Path | None:
    """Return the file of a module; None if the name is not a module. If a folder and a file have
    the same name, Python imports the folder."""
    base = root.parent.joinpath(*name.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _parents(name: str) -> list[str]:
    """Return the packages of a module: importing a.b.c executes a and a.b."""
    parts = name.split(".")
    return [".".join(parts[:depth]) for depth in range(1, len(parts))]


def _take_imports(tree: ast.Module, package: str) -> list[Import]:
    """Return all imports from the package. Changes the tree: where imports were, alone or several
    in a row, are the names that they bind, in alphabetical order. So it does not matter that an
    import has another line when a module moves."""
    taken = []
    for node in _statements(tree):
        for field in BLOCKS:
            statements: list[Any] = []
            grouped = groupby(getattr(node, field, ()), lambda each: bool(_imports(each, package)))
            for is_ours, some in grouped:
                if is_ours:
                    found = [imported for each in some for imported in _imports(each, package)]
                    found.sort(key=lambda imported: imported.bound)
                    taken += found
                    names = [ast.alias(name=imported.bound) for imported in found]
                    statements.append(ast.Import(names=names))
                else:
                    statements += some
            if statements:
                setattr(node, field, statements)
    return taken


def _imports(node: ast.AST, package: str) -> list[Import]:
    """Return the names of a statement, if it imports from the package."""
    if isinstance(node, ast.Import):
        found = [Import(alias.asname or alias.name, alias.name) for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        names = [(alias.asname or alias.name, alias.name) for alias in node.names]
        found = [Import(bound, node.module, name) for bound, name in names]
    else:
        return []
    return found if any(each.module.split(".")[0] == package for each in found) else []


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Return the tree without docstrings, also without the docstrings of attributes."""
    for node in _statements(tree):
        if hasattr(node, "body"):
            node.body = [statement for statement in node.body if not _is_text(statement)]
    return tree


def _statements(node: ast.AST) -> Iterator[Any]:
    """Yield a module or statement, and all statements within. A walk through the whole tree would
    take as long as to parse it."""
    yield node
    for name in BLOCKS:
        for part in getattr(node, name, ()):
            yield from _statements(part)


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
