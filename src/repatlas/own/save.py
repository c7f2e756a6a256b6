"""Arrays in nested dictionaries and lists, as torch.save and pickle keep them, in one .npz file."""

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.geometry.patterns import on_cpu


def save(path: Path | str, value: Any) -> None:
    """Write every array, tensor and number in `value` into an .npz file, which `read` reads.

    value: an array, or a mapping or list of these, as deep as it may be. The name of an array is
    the path to it, as in "feats/0/mean"; a single array is called "array". What is no number and no
    text is left out. Raises ValueError if two have one name, or none is there.

    >>> from tempfile import NamedTemporaryFile
    >>> from repatlas.own import read
    >>> with NamedTemporaryFile(suffix=".npz") as file:
    ...     save(file.name, {"feats": [np.eye(2), np.ones(3)], "loss": 0.5, "model": None})
    ...     read(file.name, "feats/1").tolist()
    [1.0, 1.0, 1.0]
    """
    found: dict[str, np.ndarray] = {}
    for name, array in _arrays(value, ""):
        if name in found:
            raise ValueError(f"two arrays have the name {name!r}; rename one")
        found[name] = array
    if not found:
        raise ValueError(f"found no array in a {type(value).__name__}")
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in found.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _arrays(value: Any, name: str) -> Iterator[tuple[str, np.ndarray]]:
    value = on_cpu(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = _stacked(value.tolist())
    if isinstance(value, Mapping):
        parts = [*value.items()]
    elif isinstance(value, list | tuple) and any(map(_has_parts, value)):
        parts = [*enumerate(value)]
    else:
        array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
        if array.dtype.kind in "fiubcU":
            yield name or "array", array
        return
    for key, part in parts:
        yield from _arrays(part, f"{name}/{key}" if name else str(key))


def _has_parts(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple | np.ndarray) or hasattr(value, "detach")


def _stacked(value: Any) -> Any:
    """Return a list of rows of one length as a matrix; anything else as it is."""
    try:
        rows = np.array(value)
    except ValueError:  # of several lengths
        return value
    return value if rows.dtype == object else rows
