"""Any file as an array, with the names that the file gives its rows, axes and coordinates.

The library of each format reads it. Nothing is unpickled.
"""

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.own.containers import (
    Stored,
    h5ad_arrays,
    hdf5_arrays,
    mat_arrays,
    netcdf_arrays,
    plain,
    zarr_arrays,
)
from repatlas.own.tables import csv_table, parquet_table
from repatlas.own.texts import listed

PACKAGES = {"h5py", "pyarrow", "safetensors", "zarr", "xarray", "h5netcdf", "anndata"}
"""Packages of the extra `files`."""
NUMBERS = {*"fiubcOV"}
"""Kinds of arrays of numbers, and those that are refused as such when they are read."""
LONGEST = 300
"""Characters of a library's message that a sentence quotes."""


def read(path: Path | str, array: str | None = None) -> Any:
    """Return an array of a file, as `measure`, `compare` and the other functions take it.

    array: its name in a file of several, such as "conv1", or "group/rates" in HDF5. If it is not
    given, the file must hold one array of numbers, or one of two or more axes. In .h5ad it is X.

    .csv, .tsv and .parquet become a pandas data frame. A first column without a name is its index,
    which names rows. Numbers that another spelling would not give back, such as 0001 and 1.10, stay
    texts. NetCDF, and zarr or HDF5 with names of axes, become an xarray.DataArray with its
    coordinates. In its file's first axes are rows; others of length 1 are left out. .h5ad becomes
    an AnnData. Other files have no names and become arrays: .npy, .npz, .safetensors, .mat of any
    version, .h5, .hdf5 and .nwb (HDF5), and .zarr. Arrays of large files stay on the disk, and
    their rows are read when they are used. Texts can be read, as labels, also in cells of
    MATLAB. Numbers that a file marks
    as missing are NaN; scale and offset are applied.

    Raises ValueError for a file that cannot be read, or is a pickle; for chunks that were never
    written; and for a name that the file does not have.
    """
    path = Path(path).expanduser()
    return _in_words(path, lambda: _read(path, array))


def arrays_in(path: Path | str) -> list[str] | None:
    """Return the names of the arrays of numbers in a file, in its own order; None where a file is
    one array. Raises ValueError, as `read` does."""
    path = Path(path).expanduser()

    def names() -> list[str] | None:
        found = _stored(path)
        return None if "" in found else [n for n, each in found.items() if each.kind in NUMBERS]

    return _in_words(path, names)


def suffix_of(path: Path | str) -> str:
    """Return the suffix of a file in small letters, without the dot."""
    return Path(path).suffix[1:].lower()


def is_read(path: Path | str) -> bool:
    """Return whether a file with such a name is read.

    >>> is_read("{seed}.npz"), is_read("features.12"), is_read("net.pt")
    (True, False, False)
    """
    return suffix_of(path) in READERS


def _read(path: Path, name: str | None) -> Any:
    found = _stored(path)
    if "" in found:
        if name is not None:
            raise ValueError(f"{path}: is one array, found {name!r} after its name; allowed: none")
        return found[""].read()
    if name is None:
        name = _only(path, found)
    if name not in found:
        raise ValueError(f"{path}: has no array {name!r}, found: {listed(found, 8)}")
    return found[name].read()


def _only(path: Path, found: dict[str, Stored]) -> str:
    """Return the name of the array that is meant where none is given."""
    numbers = [name for name, each in found.items() if each.kind in NUMBERS]
    if suffix_of(path) == "h5ad":
        return "X"
    if len(numbers) > 1:
        numbers = [name for name in numbers if found[name].axes > 1] or numbers
    if len(numbers) != 1:
        example = f", as {path}/{numbers[0]}" if numbers else ""
        raise ValueError(
            f"{path}: holds {len(numbers)} arrays of numbers ({listed(numbers, 8)}); allowed: one,"
            f" or its name{example}"
        )
    return numbers[0]


def _stored(path: Path) -> dict[str, Stored]:
    """Return the arrays of a file by name; the only one of a format of one array is called ""."""
    suffix = suffix_of(path)
    if suffix in CONVERSIONS:
        raise ValueError(
            f"{path}: is a pickle, which may run any code and is never read; if you trust it, this"
            f" line makes a file of its arrays: {conversion(path)}"
        )
    if suffix not in READERS:
        raise ValueError(f"{path}: found suffix {suffix!r}, allowed: {', '.join(READERS)}")
    if not path.exists():
        raise ValueError(f"{path}: no such file")
    if path.is_dir() != (suffix == "zarr"):
        found, allowed = ("folder", "file") if path.is_dir() else ("file", "folder")
        raise ValueError(f"{path}: is a {found}, allowed: a {allowed}")
    return READERS[suffix](path)


def _in_words(path: Path, function: Callable[[], Any]) -> Any:
    """Call a function, and say in a sentence what a library says of a file, whatever it raises."""
    try:
        return function()
    except ModuleNotFoundError as error:
        if error.name not in PACKAGES:
            raise
        raise ValueError(
            f'{path}: reading it needs {error.name}: pip install "repatlas[files]"'
        ) from None
    except Exception as error:
        if isinstance(error, ValueError) and str(error).startswith(str(path)):
            raise
        text = "".join(sign if sign.isprintable() else " " for sign in str(error))
        said = f"{type(error).__name__}: {' '.join(text.split())[:LONGEST]}".removesuffix(": ")
        raise ValueError(f"{path}: cannot be read ({said})") from error


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Return shape, order and type of an array that numpy has saved."""
    version = np.lib.format.read_magic(file)
    return getattr(np.lib.format, f"read_array_header_{version[0]}_0")(file)


def _npy(path: Path) -> dict[str, Stored]:
    with path.open("rb") as file:
        if _header(file)[2].hasobject:
            raise _objects(path, "")
    # A process may have few files open, and keeps a mapped file open.
    mode = "r" if path.stat().st_size > SMALL else None
    return {"": Stored(lambda: plain(path, np.load(path, mode, allow_pickle=False)))}


SMALL = 2**20
"""Bytes of a file that is read at once."""


def _npz(path: Path) -> dict[str, Stored]:
    headers = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            with archive.open(member) as file:
                headers[member.removesuffix(".npy")] = _header(file)
    if {*headers} >= {"data", "format", "shape"}:
        from scipy.sparse import load_npz

        return {"": Stored(lambda: load_npz(path).toarray())}

    def read_one(name: str) -> Any:
        if headers[name][2].hasobject:
            raise _objects(path, name)
        with np.load(path, allow_pickle=False) as file:
            return plain(f"{path}/{name}", file[name])

    return {
        name: Stored(partial(read_one, name), dtype.kind, len(shape))
        for name, (shape, _, dtype) in headers.items()
    }


def _safetensors(path: Path) -> dict[str, Stored]:
    from safetensors import safe_open

    def read_one(name: str) -> Any:
        with safe_open(path, "numpy") as file:
            return plain(f"{path}/{name}", file.get_tensor(name))

    with safe_open(path, "numpy") as file:
        axes = {name: len(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    return {name: Stored(partial(read_one, name), axes=number) for name, number in axes.items()}


READERS: dict[str, Callable[[Path], dict[str, Stored]]] = {
    "npy": _npy,
    "npz": _npz,
    "csv": lambda path: {"": Stored(lambda: csv_table(path, ","))},
    "tsv": lambda path: {"": Stored(lambda: csv_table(path, "\t"))},
    "parquet": lambda path: {"": Stored(lambda: parquet_table(path))},
    "safetensors": _safetensors,
    "mat": mat_arrays,
    **dict.fromkeys(("h5", "hdf5", "nwb"), hdf5_arrays),
    "nc": netcdf_arrays,
    "zarr": zarr_arrays,
    "h5ad": h5ad_arrays,
}
"""By suffix: what returns the arrays of a file."""
_LOADS = {
    "import torch; x = torch.load({path!r}, map_location='cpu', weights_only=True)": "pt pth bin",
    "import pickle; x = pickle.load(open({path!r}, 'rb'))": "pkl pickle p",
    "import joblib; x = joblib.load({path!r})": "joblib",
}
CONVERSIONS = {suffix: line for line, suffixes in _LOADS.items() for suffix in suffixes.split()}
"""By suffix: what loads a pickle."""
CONVERSIONS["ckpt"] = CONVERSIONS["pt"]


def conversion(path: Path, name: str = "") -> str:
    """Return the line of a shell that makes an .npz of a pickle, or of an array of objects."""
    load = CONVERSIONS.get(suffix_of(path), "import numpy; x = numpy.load({path!r}, {how}){key}")
    key = f"[{name!r}]" if name else ""
    target = path.with_name(f"{path.stem}{f'-{name}' if name else ''}-arrays.npz".replace("/", "-"))
    load = load.format(path=str(path), how="allow_pickle=True", key=key)
    return f'python -c "{load}; from repatlas.own import save; save({str(target)!r}, x)"'


def _objects(path: Path, name: str) -> ValueError:
    where = f"{path}/{name}" if name else path
    return ValueError(
        f"{where}: holds Python objects, which are pickled and never read; if you trust it, this"
        f" line makes a file of its arrays: {conversion(path, name)}"
    )
