"""The first look: numbers that are not finite are found before anything is measured."""

from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.content import digest_of
from repatlas.experiments.files.matrix import Matrix
from repatlas.record import Refused

NAMED = 5
"""The number of bad numbers that a message names with row and feature."""


class Look(NamedTuple):
    """What one reading of an array tells, and what is kept of it."""

    matrix: Matrix
    digest: str
    rows: np.ndarray
    """(rows,): whether a row of the file is kept"""
    features: np.ndarray | None = None
    """The numbers of the features that are kept; None for all"""

    @property
    def kept(self) -> str:
        """What is kept, for the log."""
        width = self.matrix.features if self.features is None else len(self.features)
        kept = f"{self.rows.sum()} of {len(self.rows)} rows, {width} of {self.matrix.features}"
        return f"{self.matrix.name}: {self.matrix.dtype_in_file}, {kept} features"


def unseen(matrix: Matrix, digest: str) -> Look:
    """Return an array with a known shape and digest, and unknown numbers. All of it is kept."""
    return Look(matrix, digest, np.ones(matrix.rows, bool))


def look(matrix: Matrix, missing: str | None = None) -> Look:
    """Read an array, and drop what the config says.

    missing: "drop_features" or "drop_rows", those with a number that is not finite. Raises Refused
    for such numbers where it is None, naming rows and features, and where nothing would be left.
    """
    kept, features, bad, total = np.ones(matrix.rows, bool), np.ones(matrix.features, bool), [], 0
    for start, raw in matrix.raw_blocks():
        block = matrix.reduced(raw)
        finite = np.isfinite(block)
        for row, feature in np.argwhere(~finite)[: NAMED - len(bad)].tolist():
            bad.append(f"{block[row, feature]} in row {start + row}, feature {feature}")
        total += int((~finite).sum())
        kept[start : start + len(raw)] = finite.all(axis=1)
        features &= finite.all(axis=0)
    if total and missing is None:
        more = ", ..." if total > len(bad) else ""
        raise Refused(
            f"{matrix.name}: {total} numbers are not finite: {', '.join(bad)}{more} (counted from"
            " 0); allowed: finite numbers, or missing: drop_features, drop_rows"
        )
    left = kept if missing == "drop_rows" else features
    if not left.any():
        raise Refused(
            f"{matrix.name}: all {(missing or '').removeprefix('drop_')} have numbers that are not"
            " finite, so none is left"
        )
    digest = digest_of(matrix)
    if missing == "drop_features" and total:
        return unseen(matrix, digest)._replace(features=np.flatnonzero(features))
    return Look(matrix, digest, kept)
