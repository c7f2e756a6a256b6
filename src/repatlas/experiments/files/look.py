"""The first look: what an array is like, before anything is measured of it.

Each array is read once, some 16 MB at a time. Facts are about its matrix: a row for each item, or
for each position of it. Numbers that are not finite are left out of all facts but their own.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.content import ArrayDigest
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.size import alignment_megabytes, alignment_seconds
from repatlas.record import Refused

RANK_ROWS = 1024
"""The rank is computed from at most this number of rows, evenly chosen, since a matrix of rows x
rows is decomposed."""
NAMED = 5
"""The number of bad numbers that a message names with row and feature."""
LARGEST = 1e150
"""Sums of the squares of larger numbers are infinite."""
SEED = 0x9E3779B97F4A7C15


class Fact(NamedTuple):
    """One thing that is known of an array."""

    array: str
    fact: str
    value: float | str | None
    note: str = ""
    """Where, which, or why there is no value"""


class Look(NamedTuple):
    """What one reading of an array tells."""

    digest: str
    facts: list[Fact]
    bad_rows: np.ndarray
    """Rows of the file with numbers that are not finite"""
    bad_features: np.ndarray
    bad: list[tuple[int, int, float]]
    """The first of them: row of the file, feature, number"""
    bad_count: int


class _Numbers:
    """Facts that are gathered block by block."""

    def __init__(self, features: int):
        self.count = np.zeros(features)
        self.mean, self.squares = np.zeros(features), np.zeros(features)
        self.least, self.most = np.full(features, np.inf), np.full(features, -np.inf)
        self.column_hashes = np.zeros(features, np.uint64)
        self.row_hashes: list[np.ndarray] = []
        self.bad_features = np.zeros(features, np.int64)
        self.bad_rows: list[np.ndarray] = []
        self.bad: list[tuple[int, int, float]] = []

    def add(self, start: int, block: np.ndarray) -> None:
        """Add rows of the matrix. start: the number of the first of these rows."""
        finite = np.isfinite(block)
        if not finite.all():
            self._add_bad(start, block, finite)
            block = np.where(finite, block, 0)
            self.least = np.minimum(self.least, np.where(finite, block, np.inf).min(axis=0))
            self.most = np.maximum(self.most, np.where(finite, block, -np.inf).max(axis=0))
        else:
            self.least = np.minimum(self.least, block.min(axis=0))
            self.most = np.maximum(self.most, block.max(axis=0))
        # Means and squares of deviations of two parts add up as Chan, Golub and LeVeque (1983) say.
        count = finite.sum(axis=0)
        total = self.count + count
        mean = block.sum(axis=0, dtype=np.float64) / np.maximum(count, 1)
        deviations = np.where(finite, block - mean, 0)
        between = mean - self.mean
        shared = self.count * count / np.maximum(total, 1)
        self.squares += np.einsum("ij,ij->j", deviations, deviations) + between**2 * shared
        self.mean += between * count / np.maximum(total, 1)
        self.count = total
        self._add_hashes(start, block)

    def _add_hashes(self, start: int, block: np.ndarray) -> None:
        """Add hashes: sums of well-mixed bits with random odd weights, modulo 2^64. Two rows or
        columns that are the same have the same hash. Two others have the same hash with a
        probability of some 2^-64."""
        # Adding 0.0 makes -0.0 the 0.0 that it equals.
        mixed = _mixed((block.astype(np.float64) + 0.0).view(np.uint64))
        rows = np.arange(start, start + len(block), dtype=np.uint64)
        columns = np.arange(block.shape[1], dtype=np.uint64)
        self.column_hashes += (mixed * (_mixed(rows + np.uint64(SEED)) | 1)[:, None]).sum(axis=0)
        weights = _mixed(columns + np.uint64(SEED)) | np.uint64(1)
        self.row_hashes.append((mixed * weights).sum(axis=1))

    def _add_bad(self, start: int, block: np.ndarray, finite: np.ndarray) -> None:
        rows, features = np.nonzero(~finite)
        self.bad_features += (~finite).sum(axis=0)
        self.bad_rows.append(np.unique(rows) + start)
        for row, feature in list(zip(rows, features, strict=True))[: NAMED - len(self.bad)]:
            self.bad.append((int(row) + start, int(feature), float(block[row, feature])))


def look(matrix: Matrix) -> Look:
    """Read an array once, and return what is found. Raises Refused for finite numbers whose squares
    are not finite."""
    numbers = _Numbers(matrix.features)
    digest = ArrayDigest(matrix.stored.dtype, matrix.stored.shape)
    for start, raw in matrix.raw_blocks():
        digest.update(raw)
        block = matrix.reduced(raw)
        _refuse_large(matrix, start * matrix.positions, block)
        numbers.add(start * matrix.positions, block)
    none = np.zeros(0, np.int64)
    bad_rows = np.concatenate(numbers.bad_rows or [none])
    bad_items = np.unique(bad_rows // matrix.positions)
    bad = [(row // matrix.positions, feature, x) for row, feature, x in numbers.bad]
    bad_features = np.flatnonzero(numbers.bad_features)
    facts = list(_facts(matrix, numbers, bad_items, bad_features, bad))
    count = int(numbers.bad_features.sum())
    return Look(digest.text(), facts, bad_items, bad_features, bad, count)


def _refuse_large(matrix: Matrix, start: int, block: np.ndarray) -> None:
    """Raise Refused for a finite number whose square is infinite. start: the row of the matrix with
    which the block begins."""
    if block.dtype.itemsize < 8:  # float32 ends at 3.4e38
        return
    large = np.isfinite(block) & ((block > LARGEST) | (block < -LARGEST))
    if large.any():
        row, feature = np.argwhere(large)[0].tolist()
        raise Refused(
            f"{matrix.name}: found {block[row, feature]} in row"
            f" {(start + row) // matrix.positions}, feature {feature} (counted from 0), allowed:"
            f" numbers up to {LARGEST:g}, whose squares are finite: multiply the array by a small"
            " number"
        )


def _facts(
    matrix: Matrix,
    numbers: _Numbers,
    bad_rows: np.ndarray,
    bad_features: np.ndarray,
    bad: list[tuple[int, int, float]],
) -> Iterator[Fact]:
    def fact(name: str, value: float | str | None, note: str = "") -> Fact:
        return Fact(matrix.name, name, value, note)

    rows, features = matrix.shape
    yield fact("shape", " x ".join(map(str, matrix.stored.shape)))
    yield fact("type", str(matrix.stored.dtype))
    yield fact("rows", rows, f"{matrix.positions} positions of each item" * (matrix.positions > 1))
    yield fact("features", features)
    note = ""
    if bad:
        which = ", ".join(f"{x} in row {row}, feature {column}" for row, column, x in bad)
        note = f"{which}; in {len(bad_rows)} rows and {len(bad_features)} features"
    yield fact("not finite", int(numbers.bad_features.sum()), note)
    seen = numbers.count > 0
    constant = np.flatnonzero(seen & (numbers.least == numbers.most))
    yield fact("constant features", len(constant), listed(constant.tolist()))
    varying = np.setdiff1d(np.arange(features), constant)
    copies = _repeats(numbers.column_hashes[varying])
    yield fact(
        "duplicate features",
        sum(len(group) - 1 for group in copies),
        "; ".join(listed(varying[group].tolist()) for group in copies[:3]),
    )
    copies = _repeats(np.concatenate(numbers.row_hashes))
    yield fact(
        "duplicate rows",
        sum(len(group) - 1 for group in copies),
        "; ".join(listed(group.tolist()) for group in copies[:3]),
    )
    spread = float(np.sqrt((numbers.squares[seen] / np.maximum(numbers.count[seen], 1)).sum()))
    offset = float(np.linalg.norm(numbers.mean))
    why = "" if spread else "all rows are the same"
    yield fact("offset / spread", offset / spread if spread else None, why)
    yield _rank(matrix, bad_rows, bad_features)
    yield fact("alignment of a pair: MB", alignment_megabytes(rows, features))
    yield fact("alignment of a pair: s", alignment_seconds(rows, features))


def _rank(matrix: Matrix, bad_rows: np.ndarray, bad_features: np.ndarray) -> Fact:
    """Return how many directions the rows vary in: singular values of the centred rows above 1e-6
    of the largest, some ten times the rounding of float32."""
    rows, features = np.arange(matrix.rows), np.arange(matrix.features)
    # What costs less is left out: the rows with a bad number, or the features.
    if len(bad_rows) * matrix.features <= len(bad_features) * matrix.rows:
        rows = np.setdiff1d(rows, bad_rows)
    else:
        features = np.setdiff1d(features, bad_features)
    most = max(RANK_ROWS // matrix.positions, 1)
    chosen = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(int)]
    if len(chosen) * matrix.positions < 2 or not len(features):
        return Fact(matrix.name, "rank", None, "fewer than two rows are finite")
    values = matrix.take(chosen, features).astype(np.float64)
    values -= values.mean(axis=0)
    products = values.T @ values if values.shape[1] < len(values) else values @ values.T
    squares = np.linalg.eigvalsh(products)
    # Below 1e-7 the squares in `products` are rounding.
    rank = int((squares > 1e-12 * squares[-1]).sum()) if squares[-1] > 0 else 0
    note = "" if len(chosen) == matrix.rows else f"of {len(values)} rows"
    return Fact(matrix.name, "rank", rank, note)


def _repeats(hashes: np.ndarray) -> list[np.ndarray]:
    """Return the indices of equal hashes, in groups of two or more, in the order of their first."""
    order = np.argsort(hashes, kind="stable")
    bounds = np.flatnonzero(np.diff(hashes[order])) + 1
    starts, stops = np.append(0, bounds), np.append(bounds, len(hashes))
    several = np.flatnonzero(stops - starts > 1)
    groups = [order[starts[n] : stops[n]] for n in several]
    return sorted(groups, key=lambda group: group[0])


def _mixed(bits: np.ndarray) -> np.ndarray:
    """Return 64 bits that each depend on all 64 bits of the input: the last step of SplitMix64
    (Steele et al. 2014)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def count_facts(name: str, what: str, labels: Iterable) -> list[Fact]:
    """Return how many rows each label has, for trials per item and rows per condition: the fewest,
    the median and the most.

    >>> [fact.value for fact in count_facts("a", "trials of an item", ["x", "x", "y"])]
    [2, 1, 1.5, 2]
    """
    found, counts = np.unique(np.array(list(labels)), return_counts=True, axis=0)
    fewest = found[counts.argmin()]
    return [
        Fact(name, f"{what}: how many", len(found)),
        Fact(name, f"{what}: fewest", int(counts.min()), f"{np.asarray(fewest).tolist()!r}"),
        Fact(name, f"{what}: median", float(np.median(counts))),
        Fact(name, f"{what}: most", int(counts.max())),
    ]


def page(facts: list[Fact]) -> str:
    """Return the facts as a page of text, Markdown: for each array a table."""
    lines = ["# First look", ""]
    for array in dict.fromkeys(fact.array for fact in facts):
        lines += [f"## {array}", "", "| fact | value | |", "|---|---|---|"]
        for fact in facts:
            if fact.array == array:
                value = "" if fact.value is None else fact.value
                shown = f"{value:.4g}" if isinstance(value, float) else value
                lines.append(f"| {fact.fact} | {shown} | {fact.note} |")
        lines.append("")
    return "\n".join(lines)
