"""Measures of arrays in a user's files, as a table on the screen and in a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from repatlas.experiments.files.columns import listed
from repatlas.experiments.files.matrix import Matrix
from repatlas.experiments.files.opened import array_of, columns_of, is_file_type, keys_of
from repatlas.own import compare, measure
from repatlas.record import Refused

if TYPE_CHECKING:
    import pandas as pd


def measure_file(chosen: argparse.Namespace) -> None:
    """Print the geometry of one representation."""
    labels = columns_of(chosen.labels)
    samples = _array(chosen.file, chosen)
    given: dict[str, Any] = {"variables": chosen.variables, "draws": chosen.draws}
    if chosen.measures:
        given["measures"] = chosen.measures
    _show(chosen, lambda: measure(samples, labels, chosen.rows, seed=chosen.seed, **given))


def compare_files(chosen: argparse.Namespace) -> None:
    """Print the similarity of each pair of representations."""
    if len(chosen.files) < 2 or len({*chosen.files}) < len(chosen.files):
        raise Refused(f"found {' '.join(chosen.files)}, allowed: two files or more, each once")
    arrays = {name: _array(name, chosen) for name in chosen.files}
    measures = chosen.measures or ("alignment",)
    _show(chosen, lambda: compare(arrays, None, measures, draws=chosen.draws, seed=chosen.seed))


def _array(name: str, chosen: argparse.Namespace) -> np.ndarray:
    """Return the matrix that a user names: a file, or an array in a file of several arrays."""
    path, key = _place(name)
    keys = keys_of(path)
    if key is None and keys is not None:
        if len(keys) != 1:
            raise Refused(
                f"{path}: found {listed(keys)}, allowed: one of them, as {path}/{keys[0]}"
            )
        key = keys[0]
    if key is not None and keys is None:
        raise Refused(
            f"{path}: is a single array; found {key!r} after its name, allowed: {path} alone"
        )
    matrix = Matrix(name, array_of(path, key), chosen.reduction, chosen.channels)
    return np.asarray(matrix.take(np.arange(matrix.rows)))


def _place(name: str) -> tuple[Path, str | None]:
    """Return the file, and the name of the array in it, which may have slashes."""
    path = Path(name)
    for file in (path, *path.parents):
        if is_file_type(str(file)) and (
            file == path or not file.is_dir() or file.suffix == ".zarr"
        ):
            return file, None if file == path else str(path.relative_to(file))
    return path, None


def _show(chosen: argparse.Namespace, made: Callable[[], pd.DataFrame]) -> None:
    """Print a table, with the reasons below it, and write it where the user says."""
    suffix = chosen.output.suffix if chosen.output else None
    if suffix not in (None, ".csv", ".parquet"):
        raise Refused(
            f"--output: found {chosen.output}, allowed: a name that ends in .csv or .parquet"
        )
    if chosen.output and not chosen.output.parent.is_dir():
        raise Refused(
            f"--output: found {chosen.output}, but no folder {chosen.output.parent}; make it first"
        )
    if suffix == ".parquet":
        import pyarrow  # noqa: F401, so that it is missed before anything is computed
    try:
        found = made()
    except ValueError as error:  # so measure and compare refuse what they are given
        raise Refused(str(error)) from None
    print(found.drop(columns=["how", "reason"]).round(3).to_string(index=False, na_rep=""))
    named = [name for name in ("a", "b", "measure", "about") if name in found]
    for _, row in found[found.reason != ""].iterrows():
        print(f"{' '.join(str(row[name]) for name in named)}: {row.reason}".strip())
    if suffix == ".csv":
        found.to_csv(chosen.output, index=False)
    elif suffix == ".parquet":
        found.to_parquet(chosen.output, index=False)
