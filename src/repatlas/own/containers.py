"""Arrays in containers with attributes: HDF5, NWB, NetCDF, zarr, AnnData's files and MATLAB's.

What a container says of its numbers counts: scale and offset, and which of them are missing.
"""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

CODED = {"_FillValue", "missing_value", "scale_factor", "add_offset"}
"""Attributes by which a number stands for another one, or for a missing one."""
PLAINLY = {"decode_times": False, "decode_timedelta": False}
"""Times stay the numbers that they are."""
FILL = np.float32(9.969209968386869e36)
"""What NetCDF has instead of a real number that was never written."""


class Stored(NamedTuple):
    """An array in a file."""

    read: Callable[[], Any]
    kind: str = "f"
    """The letter by which numpy names the kind of its numbers; U and S are texts"""
    axes: int = 2


def plain(where: Path | str, found: Any) -> Any:
    """Return an array of numbers or texts with an axis at least. Raises ValueError."""
    kind, shape = found.dtype.kind, tuple(found.shape)
    if kind == "V" and found.dtype.itemsize == 2:
        raise ValueError(f"{where}: is of type bfloat16; save it as float32, which has its values")
    if kind not in "fiubUST":
        raise ValueError(f"{where}: is of type {found.dtype}, allowed: real numbers")
    if not shape or 0 in shape:
        raise ValueError(f"{where}: has shape {shape}, allowed: a row for each item")
    return found


def mat_arrays(path: Path) -> dict[str, Stored]:
    from scipy.io import loadmat, whosmat

    try:
        variables = whosmat(path)
    except NotImplementedError:  # version 7.3
        return hdf5_arrays(path)
    texts = {"char": "U", "cell": "U", "struct": "", "object": "", "function": ""}
    return {
        name: Stored(
            lambda name=name: _matrix_or_texts(
                f"{path}/{name}", loadmat(path, variable_names=[name])[name]
            ),
            texts.get(kind, "f"),
            1 + (min(shape) > 1),
        )
        for name, shape, kind in variables
    }


def _matrix_or_texts(where: str, found: Any) -> Any:
    """Return a matrix of MATLAB with all its numbers, or its texts in a row."""
    if hasattr(found, "toarray"):
        return found.toarray()
    if found.dtype == object:
        return _cells(where, [np.asarray(each) for each in found.ravel()])
    if found.dtype.names:
        raise ValueError(f"{where}: is a struct; save its fields, by save(file, '-struct', name)")
    return np.char.strip(found) if found.dtype.kind == "U" else plain(where, found)


def _cells(where: str, cells: list[Any]) -> Any:
    """Return the texts, or single numbers, in the cells of MATLAB."""
    large = next((cell.shape for cell in cells if cell.size > 1), None)
    if large is not None:
        raise ValueError(
            f"{where}: has a matrix of {large} in a cell, allowed: texts; save one matrix, as by"
            " cat(1, cells{:})"
        )
    return np.array([cell.item() if cell.size else "" for cell in cells])


def hdf5_arrays(path: Path) -> dict[str, Stored]:
    import h5py

    file, found = h5py.File(path, "r"), {}
    nodes: dict[str, Any] = {}
    file.visititems(lambda name, node: nodes.update({name: node}))
    for name, node in nodes.items():
        if isinstance(node, h5py.Dataset) and node.shape and "#refs#" not in name:
            if node.dims and len(node.dims[0]):  # axes have names
                file.close()
                return netcdf_arrays(path)
            is_text = h5py.check_string_dtype(node.dtype)
            is_cell = h5py.check_ref_dtype(node.dtype)
            kind = "U" if is_text or is_cell else node.dtype.kind
            found[name] = Stored(partial(_dataset, path, name), kind, node.ndim)
    return found


def _dataset(path: Path, name: str) -> Any:
    """Return a data set of an HDF5 file: itself, if its numbers are those that are meant."""
    import h5py

    node = h5py.File(path, "r")[name]
    if h5py.check_string_dtype(node.dtype):
        return node.asstr()[()]
    if "pandas_type" in node.parent.attrs:  # its names of rows are elsewhere
        raise ValueError(f"{path}: was written by pandas.to_hdf, allowed: Parquet, by to_parquet")
    _refuse_unwritten(f"{path}/{name}", node)
    kind = node.attrs.get("MATLAB_class", b"").decode()
    if {"MATLAB_empty", "MATLAB_object_decode"} & {*node.attrs}:  # its numbers are no data
        raise ValueError(f"{path}/{name}: is empty or a {kind}; allowed: numbers, or cellstr(x)")
    if kind == "char":
        return np.array("".join(map(chr, node[()].ravel())))
    if kind == "cell":
        cells = [node.file[place] for place in node[()].T.ravel()]
        found = ["" if "MATLAB_empty" in c.attrs else _dataset(path, c.name) for c in cells]
        return _cells(f"{path}/{name}", [*map(np.asarray, found)])
    if kind:  # MATLAB counts axes the other way round
        return plain(f"{path}/{name}", node[()].T)
    if CODED & {*node.attrs}:
        return _decoded(node[()], dict(node.attrs))
    if "neurodata_type" in node.parent.attrs and "conversion" in node.attrs:  # of NWB
        of_channels = node.parent.get("channel_conversion")
        scale = node.attrs["conversion"] * (1 if of_channels is None else of_channels[()])
        offset = node.attrs.get("offset", 0)
        if offset or np.any(scale != 1):
            return node[()] * scale + offset
    return plain(f"{path}/{name}", node)


def _decoded(values: Any, attributes: dict[str, Any]) -> Any:
    """Return numbers as the attributes of their array say that they are meant."""
    import xarray

    attributes = {key: np.ravel(attributes[key])[0] for key in CODED & {*attributes}}
    axes = [f"axis {number}" for number in range(values.ndim)]
    coded = xarray.Variable(axes, values, attributes)
    return xarray.conventions.decode_cf_variable("array", coded).to_numpy()


def _refuse_unwritten(name: str, node: Any) -> None:
    """Refuse numbers that HDF5 would make up: of chunks, or of sources, that are not there."""
    folder = Path(node.file.filename).parent
    for source in node.virtual_sources() if node.is_virtual else []:
        if source.file_name != "." and not (folder / source.file_name).is_file():
            raise ValueError(f"{name}: reads from {source.file_name}, which is not there")
    if node.is_virtual or node.external or not node.size:
        return
    whole, written = 1, int(node.id.get_storage_size() > 0)
    if node.chunks:
        steps = zip(node.shape, node.chunks, strict=True)
        whole = math.prod(-(-n // step) for n, step in steps)
        written = node.id.get_num_chunks()
    _refuse_missing(name, written, whole, node.fillvalue)


def _refuse_missing(name: str, written: int, whole: int, fill: Any) -> None:
    if written < whole and not (isinstance(fill, float | np.floating) and np.isnan(fill)):
        raise ValueError(
            f"{name}: {written:,} of its {whole:,} chunks are in the file, and others would be read"
            f" as {fill}; write all of them (write_empty_chunks in zarr), or fill with NaN"
        )


def netcdf_arrays(path: Path) -> dict[str, Stored]:
    import xarray

    with path.open("rb") as file:
        if file.read(3) == b"CDF":
            classic = xarray.open_dataset(path, engine="scipy", **PLAINLY)
            return _variables({"": classic}, lambda name: FILL)
    import h5py

    def fill(name: str) -> Any:
        with h5py.File(path, "r") as file:
            node = file[name]
            _refuse_unwritten(f"{path}/{name}", node)
            defined = node.id.get_create_plist().fill_value_defined()
            return node.fillvalue if defined == h5py.h5d.FILL_VALUE_USER_DEFINED else FILL

    tree = xarray.open_datatree(path, engine="h5netcdf", phony_dims="sort", **PLAINLY)
    return _variables(_groups(tree), fill)


def _groups(tree: Any) -> dict[str, Any]:
    return {node.path.strip("/"): node.to_dataset() for node in tree.subtree}


def _variables(groups: dict[str, Any], fill: Callable[[str], Any]) -> dict[str, Stored]:
    """Return the variables of groups. Variables of one axis describe the axes of others, and are
    read by their names alone.

    fill: returns the number that stands for missing ones in a variable, unless the file says it.
    """
    found: dict[str, Stored] = {}
    for group, of in groups.items():
        alone = [name for name, each in of.data_vars.items() if each.ndim == 1]
        large = [name for name, each in of.data_vars.items() if each.ndim > 1]
        described = of.set_coords(alone) if large else of
        for name in described.variables:
            full, kept = f"{group}/{name}".strip("/"), described[name]
            if kept.ndim:
                kind = kept.dtype.kind if name in described.data_vars else ""
                found[full] = Stored(partial(_without_fill, kept, full, fill), kind, kept.ndim)
    return found


def _without_fill(found: Any, name: str, fill: Callable[[str], Any]) -> Any:
    """Return a variable without axes of length 1 behind the first, and NaN for missing numbers."""
    missing, kind = fill(name), found.dtype.kind
    found = found.squeeze([axis for axis in found.dims[1:] if found.sizes[axis] == 1])
    has_own = "_FillValue" in found.encoding or kind not in "fiu" or found.dtype.itemsize == 1
    if has_own or not (found == missing).any():
        return found
    return found.where(found != missing)


def zarr_arrays(path: Path) -> dict[str, Stored]:
    import zarr

    opened = zarr.open(path, mode="r")
    if isinstance(opened, zarr.Array):
        return {"": Stored(partial(_zarr_array, path, opened))}
    members = opened.members(max_depth=None)
    arrays = {name: node for name, node in members if isinstance(node, zarr.Array)}

    def fill(name: str) -> Any:
        _refuse_missing_in_zarr(f"{path}/{name}", arrays[name])
        return FILL

    if arrays and all(map(_has_axes, arrays.values())):
        import xarray

        options = {"engine": "zarr", "consolidated": False}
        return _variables(_groups(xarray.open_datatree(path, **options, **PLAINLY)), fill)
    return {
        name: Stored(partial(_zarr_array, f"{path}/{name}", node), node.dtype.kind, node.ndim)
        for name, node in arrays.items()
        if node.shape
    }


def _has_axes(node: Any) -> bool:
    has = getattr(node.metadata, "dimension_names", None) or node.attrs.get("_ARRAY_DIMENSIONS")
    return bool(has)


def _zarr_array(name: str | Path, node: Any) -> Any:
    _refuse_missing_in_zarr(str(name), node)
    if CODED & {*node.attrs}:
        return _decoded(node[...], dict(node.attrs))
    return plain(name, node)


def _refuse_missing_in_zarr(name: str, node: Any) -> None:
    _refuse_missing(name, node.nchunks_initialized, node.nchunks, node.fill_value)


def h5ad_arrays(path: Path) -> dict[str, Stored]:
    import anndata
    import h5py

    with h5py.File(path, "r") as file:
        others = [f"{of}/{name}" for of in ("layers", "obsm") for name in file.get(of, ())]

    def read_one(name: str) -> Any:
        found = anndata.read_h5ad(path)
        group, _, key = name.partition("/")
        if not key:
            return found
        return anndata.AnnData(np.asarray(_dense(getattr(found, group)[key])), obs=found.obs)

    return {name: Stored(partial(read_one, name)) for name in ("X", *others)}


def _dense(matrix: Any) -> Any:
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix
