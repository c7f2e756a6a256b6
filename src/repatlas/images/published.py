"""Data sets of images by name."""

from types import ModuleType
from typing import Literal

from repatlas.named import named, names

PACKAGE = "images.data_sets"
DataSetName = Literal[*names(PACKAGE)]


def data_set(name: str) -> ModuleType:
    """Return the module of a data set. It has SHAPE, (channels, height, width) of an image, and
    SIZES, the published number of images of each split. DOWNLOADS has, by file name, the URL, the
    number of bytes and the MD5. OTHER_FORMS are names of files or folders that make a download
    needless. CUTTABLE are names of files that may be cut short. `read(folder, subset)` reads the
    files."""
    return named(PACKAGE, name)
