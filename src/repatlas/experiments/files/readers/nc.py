"""NetCDF-4 files, which are HDF5 files. The coordinates of a variable are arrays in the same
file."""

from pathlib import Path

from repatlas.experiments.files.readers import h5
from repatlas.experiments.files.readers.h5 import array, nodes
from repatlas.record import Refused

__all__ = ["array", "keys", "nodes"]


def keys(path: Path) -> list[str]:
    """Return the names of the arrays of numbers. Raises Refused, also for a NetCDF-3 file, which is
    no HDF5 file."""
    with path.open("rb") as file:
        if file.read(3) == b"CDF":
            raise Refused(
                f"{path}: is a NetCDF-3 file, allowed: NetCDF-4; convert it with:"
                f" nccopy -k nc4 {path} {path.with_suffix('.nc4.nc')}"
            )
    return h5.keys(path)
