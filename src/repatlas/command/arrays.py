"""Measures of arrays in a user's files, as a table on the screen and in a file."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from repatlas.experiments.files.matrix import Matrix
from repatlas.own import compare, measure, read
from repatlas.own.annotated import table_of, with_rows
from repatlas.own.read import is_read
from repatlas.record import Refused

if TYPE_CHECKING:
    import pandas as pd


def measure_file(chosen: argparse.Namespace) -> None:
    """Print the geometry of one representation."""
    given: dict[str, Any] = {"variables": chosen.variables, "draws": chosen.draws}
    if chosen.measures:
        given["measures"] = chosen.measures

    def made() -> pd.DataFrame:
        labels = table_of(read(chosen.labels))
        if labels is None:
            raise Refused(f"{chosen.labels}: is no table, allowed: csv, tsv, parquet, h5ad, nc")
        samples = _array(chosen.file, chosen)
        return measure(samples, labels, chosen.rows, seed=chosen.seed, **given)

    _show(chosen, made)


def compare_files(chosen: argparse.Namespace) -> None:
    """Print the similarity of each pair of representations."""
    if len(chosen.files) < 2 or len({*chosen.files}) < len(chosen.files):
        raise Refused(f"found {' '.join(chosen.files)}, allowed: two files or more, each once")
    measures = chosen.measures or ("alignment",)

    def made() -> pd.DataFrame:
        arrays = {name: _array(name, chosen) for name in chosen.files}
        return compare(arrays, None, measures, draws=chosen.draws, seed=chosen.seed)

    _show(chosen, made)


def _array(name: str, chosen: argparse.Namespace) -> Any:
    """Return the array that a user names: a file, or an array in a file of several."""
    path, key = _place(name)
    found = read(path, key)
    if getattr(found, "ndim", 2) < 3:
        return found
    if chosen.reduction is None:
        raise Refused(
            f"{name}: has {found.ndim} axes, {found.shape}: say how features are made of them,"
            " allowed: --reduction flat, pooled; flat is x.reshape(len(x), -1)"
        )
    matrix = Matrix(str(path), key, chosen.reduction, chosen.channels)
    return with_rows(found, matrix.take(np.arange(matrix.rows)))


def _place(name: str) -> tuple[Path, str | None]:
    """Return the file, and the name of the array in it, which may have slashes."""
    path = Path(name).expanduser()
    for file in (path, *path.parents):
        if is_read(file) and (file == path or not file.is_dir() or file.suffix == ".zarr"):
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
