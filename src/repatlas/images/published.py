"""Data sets of images by name."""

from types import ModuleType
from typing import Literal

from repatlas.named import named, names

ROOM = "images.data_sets"
DataSetName = Literal[*names(ROOM)]


def data_set(name: str) -> ModuleType:
    """The module of a data set. It has SHAPE, (channels, height, width) of an image; SIZES, the
    images of each split as published; DOWNLOADS, by file name where it is to be had, its bytes and
    its MD5; OTHER_FORMS, names of files or folders each of which makes a download needless;
    CUTTABLE, names of the files that may be cut short; and `read(folder, subset)`.
    """
    return named(ROOM, name)
