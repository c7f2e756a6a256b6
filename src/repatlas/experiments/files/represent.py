"""What measures see of a representation in files: its rows, by item and by condition."""

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.experiments.files.content import State, array_digest, state_of
from repatlas.experiments.files.joined import names_of
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.prepare import matrix_of
from repatlas.experiments.files.spec import Spec
from repatlas.experiments.files.table import common_items, matched
from repatlas.own.trials import Drawn, Trials
from repatlas.record import Refused
from repatlas.representation import Decoders


class Source:
    """The representations of a family."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        self.data, self.device = data, "cpu"
        _allow_open_files()
        self.about: dict[str, Any] = {"content": data.header["content"]}
        self._checked: dict[str, tuple[Path, State]] = {}

    def of(self, spec: Spec, parameters: Any = None) -> Trials:
        """Return the rows of a representation for measures. parameters: empty, since nothing is
        trained. Raises Refused for a file that changed after the first look."""
        own = self.representation(spec)
        chosen = []  # the values of each variable, as the config or else the conditions order them
        table = np.empty((len(own.table), len(spec.variables)), dtype=np.intp)
        for column, listed in enumerate(spec.variables.values()):
            there = [row[column] for row in own.table]
            chosen.append(listed or list(dict.fromkeys(there)))
            table[:, column] = [chosen[-1].index(value) for value in there]
        return Trials(
            np.asarray(own.values),
            list(spec.variables),
            [np.array(values) for values in chosen],
            table[own.conditions],
            "trials" if spec.trials else "items",
            spec.features,
            Drawn(spec.null_draws, groups=own.blocks),
            own.conditions,
            times=len(spec.times or []),
        )

    def representation(self, spec: Spec) -> "Own":
        """Return the representation itself."""
        start = f"{spec.data}/"
        stored = {
            name.removeprefix(start): self.data[name]
            for name in self.data.header["digests"]
            if name.startswith(start)
        }
        parts = []
        contents = names_of(stored["content"])
        for number, content in zip(stored["sessions"], contents, strict=True):
            part = spec.parts[number]
            matrix = matrix_of(spec, part.path, part.key)
            self._check(matrix.name, Path(part.path), part.key, content)
            parts.append(matrix)
        table = [tuple(row) for row in self.data.header["conditions"][spec.key]]
        return Own(spec, stored, table, parts)

    def _check(self, name: str, path: Path, key: str | None, content: str) -> None:
        if name in self._checked:
            return
        self._checked[name] = path, state_of(path)
        if array_digest(path, key) != content:
            raise Refused(f"{name}: changed since it was planned: start the command again")

    def check_unchanged(self) -> None:
        """Refuse files that changed since they were opened: values are read several times."""
        for name, (path, state) in self._checked.items():
            if state_of(path) != state:
                raise Refused(f"{name}: changed while it was measured: start the command again")


def _allow_open_files() -> None:
    """Raise the number of files that this process may have open, to what the system allows: each
    large array stays mapped."""
    with suppress(ImportError, ValueError, OSError):  # not on Windows
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def paired(*several: "Own") -> tuple:
    """Return the rows of the items() of each that show the same items, (m,) each, and the items'
    names.

    Items are joined by name. Those that one lacks are left out where any has join: inner, or
    missing: drop_rows; otherwise they are refused. Raises Refused also where there is no item
    column, if not all are arrays with one table.
    """
    first = several[0]
    for other in several[1:]:
        both = f"representations {first.spec.name} and {other.spec.name}"
        if None in (first.spec.item, other.spec.item) and _tables(first) != _tables(other):
            raise Refused(
                f"{both}: have rows that cannot be matched; set item for both, or use one"
                " table of rows"
            )
    dropped = any(o.spec.join == "inner" or o.spec.missing == "drop_rows" for o in several)
    shared = common_items({each.label: each.names for each in several}, dropped)
    return *(matched(each.names, shared) for each in several), shared


def kept_together(owns: list["Own"], rows: list[np.ndarray]) -> np.ndarray | None:
    """Return the number of the block of each row, (m,), or None. Raises Refused if the blocks of
    two representations differ."""
    found, of = None, ""
    for own, chosen in zip(owns, rows, strict=True):
        if own.blocks is None or own.spec.trials:  # items of trials are means over blocks
            continue
        _, first, number = np.unique(own.blocks[chosen], return_index=True, return_inverse=True)
        # Equal blocks may have other names. Numbers are in the order in which blocks occur.
        groups = np.argsort(np.argsort(first))[number.ravel()]
        if found is not None and not np.array_equal(found, groups):
            raise Refused(
                f"representations {of} and {own.spec.name}: their blocks divide the items in two"
                " ways; allowed: the same blocks, or blocks of one of them"
            )
        found, of = groups, own.spec.name
    return found


def _tables(one: "Own") -> tuple[str, list[str | None]]:
    """Return what gives rows without names their meaning: the tables of the parts, and the set if
    there is no table."""
    tables = [part.rows for part in one.spec.parts]
    return (one.spec.name, tables) if None in tables else ("", tables)


class Own:
    """A representation in files. All numbers are finite."""

    def __init__(
        self,
        spec: Spec,
        stored: dict[str, np.ndarray],
        table: list[tuple],
        parts: list[Matrix],
    ):
        """Open a representation.

        stored: its arrays from `prepare`; table: the values of the variables in each condition;
        parts: its files.
        """
        self.spec, self.table = spec, table
        self.names = names_of(stored["names"])
        self._rows, self._items = stored["rows"], stored["items"]
        self._stored, self._parts = stored, parts
        self.conditions, self.blocks = stored["conditions"], stored.get("blocks")
        """(m,): the condition, and the block, of each row of `values`; None without blocks"""
        self.label = spec.label
        self.sessions = [spec.parts[number].session for number in stored["sessions"]]
        """The sessions that take part in a pseudo-population, in the order of their neurons"""

    @cached_property
    def values(self) -> np.ndarray:
        """(m, n): every row, of each trial. An array that is used whole stays mapped
        into memory."""
        found = [
            part.take(self._rows[:, n], self._stored.get(f"features/{n}"))
            for n, part in enumerate(self._parts)
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    def items(self) -> np.ndarray:
        """Return (items, n): of each item its row; of trials, their mean in float64."""
        if not self.spec.trials:
            return self.values
        order = np.argsort(self._items, kind="stable")
        starts = np.flatnonzero(np.diff(self._items[order], prepend=-1))
        sums = np.add.reduceat(self.values[order].astype(np.float64), starts, axis=0)
        return sums / np.bincount(self._items)[:, None]
