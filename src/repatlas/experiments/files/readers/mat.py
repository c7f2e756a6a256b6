"""MATLAB files up to version 7 (the default of `save`), read by scipy."""

from pathlib import Path

import numpy as np
from scipy.io import loadmat, whosmat

from repatlas.experiments.files.columns import listed, refuse_equal_names
from repatlas.experiments.files.declared import check_stored
from repatlas.record import Refused

BYTES = {
    **{"double": 8, "single": 4, "logical": 1},
    **{f"{sign}int{8 * size}": size for sign in ("", "u") for size in (1, 2, 4, 8)},
}
"""The types of numbers, and how many bytes one has."""


def keys(path: Path) -> list[str]:
    """The names of the matrices of numbers; text, cells and structures are passed over. Raises
    Refused where there is no matrix, and where two have one name."""
    return list(_matrices(path))


def array(path: Path, key: str) -> np.ndarray:
    """One of them, with at least two axes, as MATLAB has it. Raises Refused."""
    if key not in (found := _matrices(path)):
        raise Refused(f"{path}: has no matrix {key!r}, found: {listed(found)}")
    shape, kind = found[key]
    if min(shape) >= 0:
        check_stored(f"{path}/{key}", shape, BYTES[kind], path.stat().st_size)
    read = loadmat(path, variable_names=[key])[key]
    if read.shape != shape:
        raise Refused(f"{path}/{key}: damaged, declares shape {shape} and has {read.shape}")
    return read


def _matrices(path: Path) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and type of each matrix of numbers."""
    try:
        variables = whosmat(path)
    except NotImplementedError:
        raise Refused(
            f"{path}: is a MATLAB file of version 7.3, allowed: up to 7; in MATLAB:"
            f" save('{path.name}', '-v7')"
        ) from None
    found = {
        name: (tuple(map(int, shape)), kind) for name, shape, kind in variables if kind in BYTES
    }
    if not found:
        others = ", ".join(f"{name} ({kind})" for name, _, kind in variables)
        sparse = all(kind == "sparse" for *_, kind in variables)
        function = "full" if sparse else "cell2mat"
        raise Refused(
            f"{path}: found {others or 'nothing'}, allowed: matrices of numbers; in MATLAB:"
            f" x = {function}(...); save('{path.name}', 'x')"
        )
    refuse_equal_names(path, "matrices", [name for name, _, kind in variables if kind in BYTES])
    return found
