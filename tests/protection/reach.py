"""Which lines of the package each test reaches: a plugin of pytest, and the reader of its files.

coverage.py counts lines, in processes that a test starts as well. A fixture or a cached function
runs for the first test that asks for it. Other tests that ask for it reach its lines, too.
"""

import functools
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import coverage
import pytest
from mutating import Mutant

SETTINGS = """[run]
include = {tree}/src/repatlas/*
data_file = {folder}/data
parallel = true
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected,module-not-imported,dynamic-conflict
"""


class Recorder:
    """Writes, while the tests run, what each of them reaches."""

    def __init__(self, tree: str, folder: str):
        self.tree, self.folder = tree, Path(folder)
        self.parts = [""]
        self.uses: dict[str, set[str]] = defaultdict(set)
        self.failed: set[str] = set()
        make = functools.lru_cache
        functools.cache = self.counted(functools.cache)
        functools.lru_cache = lambda maxsize=128, typed=False: (
            self.counted(make)(maxsize) if callable(maxsize) else self.counted(make(maxsize, typed))
        )

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count lines for this part of a test."""
        self.parts.append(name)
        coverage.Coverage.current().switch_context(name)
        try:
            yield
        finally:
            self.parts.pop()
            coverage.Coverage.current().switch_context(self.parts[-1])

    def counted(self, make: Callable[..., Any]) -> Callable[..., Any]:
        """Return a decorator for which each cached function of the project is a part."""

        def decorate(function):
            code = getattr(function, "__code__", None)
            if code is None or not code.co_filename.startswith(self.tree):
                return make(function)
            name = f"cache {function.__module__}.{function.__qualname__}"

            @functools.wraps(function)
            def compute(*args, **kwargs):
                with self.part(name):
                    return function(*args, **kwargs)

            cached = make(compute)

            @functools.wraps(function)
            def value(*args, **kwargs):
                self.uses[self.parts[-1]].add(name)
                return cached(*args, **kwargs)

            value.cache_clear, value.cache_info = cached.cache_clear, cached.cache_info
            return value

        return decorate

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope == "function":
            return (yield)
        with self.part(_name(fixturedef)):
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        began = sum(os.times()[:4])
        with self.part(item.nodeid):
            result = yield
        fixtures = [each for some in item._fixtureinfo.name2fixturedefs.values() for each in some]
        self.uses[item.nodeid] |= {_name(each) for each in fixtures if each.scope != "function"}
        seconds = round(sum(os.times()[:4]) - began, 2)
        passed = item.nodeid not in self.failed
        for name, parts in self.uses.items():
            self._write("uses", [name, sorted(parts)])
        self.uses.clear()
        self._write("tests", {"test": item.nodeid, "seconds": seconds, "passed": passed})
        return result

    def pytest_runtest_logreport(self, report):
        if report.outcome != "passed":
            self.failed.add(report.nodeid)

    def pytest_collection_modifyitems(self, items):
        done = {row["test"] for row in _rows(self.folder, "tests")}
        items[:] = [item for item in items if item.nodeid not in done]

    def pytest_sessionfinish(self):
        coverage.Coverage.current().save()

    def _write(self, kind: str, row: object) -> None:
        """Write a row into a file that several processes share."""
        with open(self.folder / f"{kind}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _rows(folder: Path, kind: str) -> Iterator[Any]:
    path = folder / f"{kind}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return map(json.loads, lines)


def _name(fixture: pytest.FixtureDef) -> str:
    return f"fixture {fixture.baseid}::{fixture.argname}"


def pytest_configure(config):
    tree, folder = os.environ["MUTANTS_TREE"], os.environ["MUTANTS_REACH"]
    config.pluginmanager.register(Recorder(tree, folder))


class Reach:
    """What the plugin wrote: the tests that reach a line, and the seconds of each test."""

    def __init__(self, tree: Path, folder: Path):
        rows = _rows(folder, "tests")
        self.seconds = {row["test"]: row["seconds"] for row in rows if row["passed"]}
        self.users = defaultdict(set)
        for name, parts in _rows(folder, "uses"):
            for part in parts:
                self.users[part].add(name)
        self._data = coverage.CoverageData(no_disk=True)
        for path in sorted(folder.glob("data.*")):
            one = coverage.CoverageData(str(path))
            with suppress(coverage.exceptions.DataError):  # a process was killed as it wrote
                one.read()
                self._data.update(one)
        self._source = tree / "src/repatlas"

    def tests_of(self, mutant: Mutant) -> tuple[set[str], str]:
        """Return the tests that reach a mutant, and what they reach: its line, its statement, or
        its file, if the mutant runs at import alone or as machine code."""
        lines = self.lines(mutant.file)

        def between(first: int, last: int) -> set[str]:
            return set().union(*(lines.get(line, ()) for line in range(first, last + 1)))

        if mutant.body and between(*mutant.body):
            for name, place in (
                ("line", (mutant.line, mutant.line)),
                ("statement", mutant.statement),
            ):
                if found := between(*place):
                    return found, name
            return set(), "nothing"
        found = set().union(*lines.values())
        return found, "file" if found else "nothing"

    @functools.cache  # noqa: B019
    def lines(self, file: str) -> dict[int, set[str]]:
        """Return, for each line of a file, the tests that reach it while it is not imported."""
        found = self._data.contexts_by_lineno(str(self._source / file))
        return {line: self.tests(frozenset(parts)) for line, parts in found.items()}

    @functools.cache  # noqa: B019
    def tests(self, parts: frozenset[str]) -> set[str]:
        """Return the tests that run these parts, or whose processes do."""
        found, waiting = set(), [re.sub(r" \((setup|call|teardown)\)$", "", part) for part in parts]
        while waiting:
            part = waiting.pop()
            if part and part not in found:
                found.add(part)
                waiting += self.users[part]
        return found & self.seconds.keys()
