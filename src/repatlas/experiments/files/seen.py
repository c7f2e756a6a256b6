"""An array that was looked at: what of it may be used."""

from typing import NamedTuple

import numpy as np

from repatlas.experiments.files.look import Fact, Look, look
from repatlas.experiments.files.matrix import Matrix
from repatlas.record import Refused


class Seen(NamedTuple):
    """An array, with what the first look found and what is kept of it."""

    matrix: Matrix
    look: Look
    rows: np.ndarray
    """(rows,): whether a row of the file is kept"""
    features: np.ndarray | None
    """The numbers of the features that are kept; None for all"""

    @property
    def width(self) -> int:
        """How many features are kept."""
        return self.matrix.features if self.features is None else len(self.features)


def seen(matrix: Matrix, missing: str | None) -> Seen:
    """Look at an array, and drop what the config says.

    missing: "drop_features" or "drop_rows", those with a number that is not finite. Raises Refused
    for such numbers where it is None, naming rows and features, and where nothing would be left.
    """
    found = look(matrix)
    rows, features = np.ones(matrix.rows, bool), None
    if found.bad_count and missing is None:
        which = ", ".join(f"{x} in row {row}, feature {column}" for row, column, x in found.bad)
        more = ", ..." if found.bad_count > len(found.bad) else ""
        raise Refused(
            f"{matrix.name}: {found.bad_count} numbers are not finite: {which}{more} (counted from"
            " 0); allowed: finite numbers, or missing: drop_features, drop_rows"
        )
    if missing == "drop_features" and found.bad_count:
        features = np.setdiff1d(np.arange(matrix.features), found.bad_features)
    if missing == "drop_rows":
        rows[found.bad_rows] = False
    if not rows.any() or (features is not None and not len(features)):
        what = missing.removeprefix("drop_")
        raise Refused(
            f"{matrix.name}: all {what} have numbers that are not finite, so none is left"
        )
    dropped = [
        Fact(matrix.name, "dropped features", matrix.features - len(features))
        if features is not None
        else Fact(matrix.name, "dropped features", 0),
        Fact(matrix.name, "dropped rows", int((~rows).sum())),
    ]
    return Seen(matrix, found._replace(facts=[*found.facts, *dropped]), rows, features)


def unseen(matrix: Matrix, digest: str) -> Seen:
    """Return an array with a known shape and digest, and unknown numbers. All of its features are
    kept."""
    nothing = np.zeros(0, np.int64)
    not_looked_at = Look(digest, [], nothing, nothing, [], 0)
    return Seen(matrix, not_looked_at, np.ones(matrix.rows, bool), None)
