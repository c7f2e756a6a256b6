"""HDF5 files under their longer suffix."""

from repatlas.experiments.files.readers.h5 import array, keys, nodes

__all__ = ["array", "keys", "nodes"]
