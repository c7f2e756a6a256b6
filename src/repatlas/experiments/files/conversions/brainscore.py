"""Brain-Score: an assembly of activations, NetCDF-4, as its `result_caching` stores it.

The variable __xarray_dataarray_variable__ is (presentations, neuroids). Coordinates of both
dimensions are in the same file, and `layer` says which layer a neuroid belongs to.
"""

from pathlib import Path

import numpy as np

from repatlas.experiments.files.conversion import (
    ROWS,
    Converted,
    file_name,
    plain,
    write_array,
    write_rows,
)
from repatlas.experiments.files.opened import array_of, keys_of, nodes_of, reader_name
from repatlas.experiments.files.reading import reading
from repatlas.record import Refused

ASSEMBLY = "__xarray_dataarray_variable__"
ITEMS = ("stimulus_id", "image_id", "stimulus_path")
"""Coordinates that say what was shown; the first that there is."""


class Part:
    """Some columns of an assembly, and its presentations in order."""

    def __init__(self, assembly, columns: np.ndarray, turned: bool):
        self._assembly, self._turned = assembly, turned
        self._low, self._high = int(columns.min()), int(columns.max()) + 1
        self._columns = columns - self._low
        self.dtype = assembly.dtype
        rows = assembly.shape[1] if turned else assembly.shape[0]
        self.shape = (rows, len(columns))

    def __getitem__(self, rows: slice) -> np.ndarray:
        wide = slice(self._low, self._high)
        block = self._assembly[wide, rows].T if self._turned else self._assembly[rows, wide]
        return block[:, self._columns]


def convert(source: Path, target: Path) -> Converted:
    """Return one array for each layer, and a table with the coordinates of the presentations.
    Raises Refused for anything but an assembly with presentations and neuroids."""
    if reader_name(source) in ("pkl", "pickle"):
        raise Refused(
            f"{source}: is a pickle, which may run any code and is never read here; if you trust"
            f' it, convert it with: python -c "{_line(source)}"'
        )
    found = nodes_of(source)
    keys = keys_of(source)
    assembly = array_of(source, ASSEMBLY if ASSEMBLY in keys else _only_matrix(source, keys))
    sizes = assembly.shape
    axes = [_dimension(assembly, axis) for axis in range(len(sizes))]
    if len(sizes) != 2 or "neuroid" not in axes:
        raise Refused(
            f"{source}: found dimensions {', '.join(map(str, axes))}, allowed: presentations and"
            " neuroid, without time"
        )
    turned = axes[0] == "neuroid"
    rows = sizes[1] if turned else sizes[0]
    coordinates = {
        name: node
        for name, node in found.items()
        if "/" not in name
        and node.shape == (rows,)
        and not _is_empty(node)
        and _dimension(node, 0) != "neuroid"
    }
    layers = np.array(["neuroids"] * sizes[0 if turned else 1])
    if "layer" in found:
        layers = np.array(_values(source, found["layer"]))
    shapes = {}
    for layer in dict.fromkeys(layers.tolist()):
        part = Part(assembly, np.flatnonzero(layers == layer), turned)
        name = f"{file_name(layer)}.npy"
        shapes[name] = write_array(target / name, [part], source)
    columns = write_rows(
        target / ROWS, {n: _values(source, node) for n, node in coordinates.items()}
    )
    item = next((name for name in ITEMS if name in columns), None)
    return Converted("{layer}.npy", ROWS, item, shapes, columns)


def _line(source: Path) -> str:
    """Return the line that converts what older versions store: a pickled assembly, or a dictionary
    of it. NetCDF has no coordinates of several levels."""
    return (
        f"import pickle, xarray; x = pickle.load(open({str(source)!r}, 'rb')); "
        "x = x['data'] if isinstance(x, dict) else x; "
        "xarray.DataArray(x).reset_index(list(x.dims))"
        f".to_netcdf({str(source.with_suffix('.nc'))!r})"
    )


def _values(source: Path, node) -> list:
    """Return the values of a coordinate."""
    with reading(f"{source}{node.name}"):
        return list(plain(node[()]))


def _only_matrix(source: Path, keys: list[str]) -> str:
    matrices = [key for key in keys if len(array_of(source, key).shape) >= 2]
    if len(matrices) != 1:
        raise Refused(f"{source}: found {len(matrices)} variables of two dimensions, allowed: one")
    return matrices[0]


def _dimension(node, axis: int) -> str | None:
    """Return the name of a dimension: of the scale that is attached to it, or of the array
    itself."""
    if axis < node.ndim and len(node.dims[axis]):
        return node.dims[axis][0].name.rpartition("/")[2]
    return node.name.rpartition("/")[2] if node.ndim == 1 else None


def _is_empty(node) -> bool:
    """Return True if a data set only stands for a dimension without a coordinate of its name."""
    return b"not a netCDF variable" in node.attrs.get("NAME", b"")
