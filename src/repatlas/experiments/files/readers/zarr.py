"""zarr folders, of one array or of groups with several. What is in a group is group/array."""

from pathlib import Path

import zarr

from repatlas.record import Refused


def keys(path: Path) -> list[str] | None:
    """The names of the arrays of numbers; None where the folder is one array. Raises Refused where
    there is none."""
    opened = _opened(path)
    if isinstance(opened, zarr.Array):
        return None
    members = opened.members(max_depth=None)
    found = sorted(
        name for name, node in members if isinstance(node, zarr.Array) and node.dtype.kind in "fiub"
    )
    if not found:
        raise Refused(f"{path}: found no array of numbers in it")
    return found


def array(path: Path, key: str | None) -> zarr.Array:
    """One of them, of which what is asked for is read. Raises Refused."""
    opened = _opened(path)
    if key is None:
        return opened
    if key not in (found := keys(path)):
        raise Refused(f"{path}: has no array {key!r}, found: {', '.join(found)}")
    return opened[key]


def _opened(path: Path) -> zarr.Array | zarr.Group:
    try:
        return zarr.open(path, mode="r")
    except (OSError, ValueError, KeyError) as error:
        raise Refused(f"{path}: damaged, or no zarr folder ({error})") from None
