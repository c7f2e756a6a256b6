"""MATLAB files up to version 7 (the default of `save`), read by scipy."""

from pathlib import Path

import numpy as np
from scipy.io import loadmat, whosmat
from scipy.io.matlab import MatReadError

from repatlas.record import Refused

NUMBERS = {
    *("double", "single", "logical"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


def keys(path: Path) -> list[str]:
    """The names of the matrices of numbers; text, cells and structures are passed over. Raises
    Refused where there is no matrix."""
    variables = _read(path, whosmat)
    found = [name for name, _, kind in variables if kind in NUMBERS]
    if not found:
        others = ", ".join(f"{name} ({kind})" for name, _, kind in variables)
        raise Refused(
            f"{path}: found {others or 'nothing'}, allowed: matrices of numbers; in MATLAB:"
            f" x = cell2mat(...); save('{path.name}', 'x')"
        )
    return found


def array(path: Path, key: str) -> np.ndarray:
    """One of them, with at least two axes, as MATLAB has it. Raises Refused."""
    if key not in keys(path):
        raise Refused(f"{path}: has no matrix {key!r}, found: {', '.join(keys(path))}")
    return _read(path, loadmat, variable_names=[key])[key]


def _read(path: Path, function, **options):
    try:
        return function(path, **options)
    except NotImplementedError:
        raise Refused(
            f"{path}: is a MATLAB file of version 7.3, allowed: up to 7; in MATLAB:"
            f" save('{path.name}', '-v7')"
        ) from None
    except (MatReadError, ValueError, TypeError, OSError) as error:
        raise Refused(f"{path}: damaged, or no MATLAB file ({error})") from None
