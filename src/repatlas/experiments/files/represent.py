"""What measures see of a representation in files: its rows, by item and by condition."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.running import check_before_writing
from repatlas.experiments.files.content import State, array_digest, reads_other_files, state_of
from repatlas.experiments.files.items import common_items, matched
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of
from repatlas.experiments.files.prepare import matrix_of, names_of
from repatlas.experiments.files.spec import Spec
from repatlas.own.trials import Drawn, Trials
from repatlas.record import Refused
from repatlas.representation import Decoders


class Source:
    """The representations of a family."""

    def __init__(self, data: Arrays, seed: int, decoders: Decoders, device: str):
        self.data, self.device = data, "cpu"
        self.about: dict[str, Any] = {"content": data.header["content"]}
        self._checked: dict[str, tuple[Path, str | None, str, State]] = {}
        check_before_writing(self._refuse_changes)

    def of(self, spec: Spec, parameters: Any = None) -> Trials:
        """Return the rows of a representation for measures. parameters: empty, since nothing is
        trained. Raises Refused for a file that changed after the first look."""
        own = self.representation(spec)
        chosen = {name: ordered_values(spec, name, own.table) for name in spec.variables}
        places = [
            {value: number for number, value in enumerate(values)} for values in chosen.values()
        ]
        table = np.array(
            [[place[v] for place, v in zip(places, row, strict=False)] for row in own.table],
            dtype=np.intp,
        ).reshape(len(own.table), len(places))
        return Trials(
            np.asarray(own.values),
            list(chosen),
            [np.array(values) for values in chosen.values()],
            table[own.conditions],
            "trials" if spec.trials else "items",
            spec.features,
            Drawn(spec.null_draws, groups=own.blocks),
            own.conditions,
            times=len(spec.times or []),
        )

    def representation(self, spec: Spec) -> "Own":
        """Return the representation itself."""
        stored = {
            name: self.data[f"{spec.data}/{name}"]
            for name in ("rows", "items", "conditions", "names", "targets", "sessions", "content")
        }
        name = f"{spec.data}/blocks"
        if name in self.data.header["digests"]:
            stored["blocks"] = self.data[name]
        parts, features = [], []
        contents = names_of(stored["content"])
        for place, (number, content) in enumerate(zip(stored["sessions"], contents, strict=True)):
            part = spec.parts[number]
            matrix = matrix_of(spec, part.path, part.key)
            self._check(matrix.name, Path(part.path), part.key, content)
            parts.append(matrix)
            name = f"{spec.data}/features/{place}"
            has = name in self.data.header["digests"]
            features.append(self.data[name] if has else None)
        table = [tuple(row) for row in self.data.header["conditions"][spec.key]]
        return Own(spec, stored, table, parts, features)

    def _check(self, name: str, path: Path, key: str | None, content: str) -> None:
        if name in self._checked:
            return
        state = state_of(path)
        if array_digest(path, key) != content:
            raise Refused(f"{name}: changed since it was planned: start the command again")
        self._checked[name] = (path, key, content, state)

    def _refuse_changes(self) -> None:
        """Refuse to write what was measured of other values: they are read several times."""
        for name, (path, key, content, state) in self._checked.items():
            is_elsewhere = reads_other_files(array_of(path, key))
            has_changed = is_elsewhere and array_digest(path, key) != content
            if has_changed or state_of(path) != state:
                raise Refused(f"{name}: changed while it was measured: start the command again")


def ordered_values(spec: Spec, variable: str, table: list[tuple]) -> list:
    """Return the values of a variable, as the config lists them, or in the order of the
    conditions."""
    column = list(spec.variables).index(variable)
    return spec.variables[variable] or list(dict.fromkeys(row[column] for row in table))


def paired(*several: "Own") -> tuple:
    """Return the rows of the items() of each that show the same items, (m,) each, and the items'
    names. With the reduction "spatial" the positions of an item follow one another.

    Items are joined by name. Those that one lacks are left out where any has join: inner, or
    missing: drop_rows; otherwise they are refused. Raises Refused also where there is no item
    column, if not all are arrays with one table; and for maps of different sizes.
    """
    first = several[0]
    for other in several[1:]:
        both = f"representations {first.spec.name} and {other.spec.name}"
        if None in (first.spec.item, other.spec.item) and _tables(first) != _tables(other):
            raise Refused(
                f"{both}: have rows that cannot be matched; set item for both, or use one"
                " table of rows"
            )
        if first.positions != other.positions:
            raise Refused(
                f"{both}: have {first.positions} and {other.positions} positions of an item;"
                " allowed: as many, or reduction: pooled, flat"
            )
    dropped = any(o.spec.join == "inner" or o.spec.missing == "drop_rows" for o in several)
    shared = common_items({each.label: each.names for each in several}, dropped)
    within = np.arange(first.positions)
    rows = [
        (matched(each.names, shared)[:, None] * each.positions + within).ravel() for each in several
    ]
    return *rows, shared


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
        features: list[np.ndarray | None],
    ):
        """Open a representation. stored: its arrays from `prepare`; table: the values of the
        variables in each condition; parts: its files; features: the features of each file that are
        kept."""
        self.spec, self.table, self.targets = spec, table, stored["targets"]
        self.names = names_of(stored["names"])
        self._rows, self._parts, self._features = stored["rows"], parts, features
        self._items, self._conditions = stored["items"], stored["conditions"]
        self._blocks = stored.get("blocks")
        self.label = spec.label
        self.positions = parts[0].positions
        self.sessions = [spec.parts[number].session for number in stored["sessions"]]
        """The sessions that take part in a pseudo-population, in the order of their neurons"""

    @property
    def conditions(self) -> np.ndarray:
        """(m,): the condition of each row of `values`."""
        return np.repeat(self._conditions, self.positions)

    @property
    def blocks(self) -> np.ndarray | None:
        """(m,): the block of each row of `values`, as a number; None if rows are independent."""
        return None if self._blocks is None else np.repeat(self._blocks, self.positions)

    @property
    def blocks_of_items(self) -> np.ndarray | None:
        """(items * positions,): the block of each row of `items()`. None if rows are independent,
        and for trials, whose items are means over blocks."""
        if self._blocks is None or self.spec.trials:
            return None
        return self.blocks

    @cached_property
    def values(self) -> np.ndarray:
        """(m, n): every row, of each trial and position. An array that is used whole stays mapped
        into memory."""
        found = [
            part.take(self._rows[:, n], features)
            for n, (part, features) in enumerate(zip(self._parts, self._features, strict=True))
        ]
        return found[0] if len(found) == 1 else np.concatenate(found, axis=1)

    @cached_property
    def layers(self) -> list[np.ndarray]:
        """(P, n), once: the mean of each condition over its rows, in float64."""
        return [self._means(self.conditions, len(self.targets))]

    def samples(self, split: str, deviation: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Return every row in float64, (m, n), and the condition of each row, (m,), for every
        split. Rows have their own variation, and decoders are fitted on some and scored on
        others."""
        return np.asarray(self.values, dtype=np.float64), self.conditions

    def items(self, layer: int = 0) -> np.ndarray:
        """Return (items, n): of each item its row; of trials, their mean in float64. With the
        reduction "spatial", (items * positions, n)."""
        if not self.spec.trials:
            return self.values
        within = np.arange(self.positions)
        of_row = (self._items[:, None] * self.positions + within).ravel()
        return self._means(of_row, len(self.names) * self.positions)

    def _means(self, groups: np.ndarray, number: int) -> np.ndarray:
        """Return means of groups of rows, (number, n), block by block, so that the array is never
        in memory as a whole. The group of each row is in (m,)."""
        counts = np.bincount(groups, minlength=number)
        within = np.arange(self.positions)
        found = []
        for place, part in enumerate(self._parts):
            kept = self._features[place]
            chosen = slice(None) if kept is None else kept
            sums = np.zeros((number, part.features if kept is None else len(kept)))
            for rows, block in part.taken(self._rows[:, place]):
                of_block = groups[(rows[:, None] * self.positions + within).ravel()]
                order = np.argsort(of_block, kind="stable")
                ordered = of_block[order]
                starts = np.flatnonzero(np.diff(ordered, prepend=-1))
                values = block[order][:, chosen].astype(np.float64)
                sums[ordered[starts]] += np.add.reduceat(values, starts, axis=0)
            found.append(sums / counts[:, None])
        return np.concatenate(found, axis=1)
