"""Net2Brain: features as its FeatureExtractor stores them, npz files in a folder.

There are two forms. One file for each item, IMAGE.npz, has one array for each layer. After
consolidate_per_layer() one file for each layer, LAYER.npz, has one array for each item. Arrays
begin with an axis of length 1.
"""

from pathlib import Path

import numpy as np

from repatlas.experiments.files.columns import listed, natural
from repatlas.experiments.files.conversion import ROWS, Converted, file_name, write_rows
from repatlas.experiments.files.opened import array_of, keys_of
from repatlas.record import Refused

STIMULI = (".jpg", ".jpeg", ".png", ".mp4", ".avi", ".wav", ".mp3", ".txt")
"""Suffixes of items, which distinguish items from layers."""


def convert(source: Path, target: Path) -> Converted:
    """Return one array for each layer, with the items in natural order. Raises Refused if an item
    lacks a layer, and if items cannot be distinguished from layers."""
    files = sorted(source.glob("*.npz"), key=lambda path: natural(path.name))
    if not files:
        raise Refused(f"{source}: found no npz files, allowed: a folder of Net2Brain's features")
    keys = {path: keys_of(path) for path in files}
    per_item = all(_is_item(path.stem) for path in files)
    per_layer = all(_is_item(key) for found in keys.values() for key in found)
    if per_item == per_layer:
        raise Refused(
            f"{source}: cannot tell items from layers in {files[0].name} with"
            f" {listed(keys[files[0]])}; allowed: items whose names end in {', '.join(STIMULI)}"
        )
    where = {
        (path.stem, key) if per_item else (key, path.stem): (path, key)
        for path, found in keys.items()
        for key in found
    }
    items = sorted({item for item, _ in where}, key=natural)
    layers = list(dict.fromkeys(layer for _, layer in where))
    shapes = {}
    for layer in layers:
        if lacking := [item for item in items if (item, layer) not in where]:
            raise Refused(f"{source}: {listed(lacking)} lack layer {layer!r}, allowed: all items")
        name = f"{file_name(layer)}.npy"
        shapes[name] = _written(target / name, [where[item, layer] for item in items])
    columns = write_rows(target / ROWS, {"stimulus": items})
    return Converted("{layer}.npy", ROWS, "stimulus", shapes, columns)


def _is_item(name: str) -> bool:
    return name.lower().endswith(STIMULI)


def _written(path: Path, places: list[tuple[Path, str]]) -> tuple[int, ...]:
    """Return the items of a layer as one array, one item in memory at a time."""
    first = _row(*places[0])
    written = np.lib.format.open_memmap(path, "w+", first.dtype, (len(places), *first.shape))
    for number, place in enumerate(places):
        row = _row(*place)
        if row.shape != first.shape:
            raise Refused(
                f"{place[0]}/{place[1]}: found shape {row.shape} and {first.shape} for the first"
                " item, allowed: the same for all"
            )
        written[number] = row
    written.flush()
    return written.shape


def _row(path: Path, key: str) -> np.ndarray:
    """Return the features of an item, without the axis of length 1."""
    found = np.asarray(array_of(path, key))
    return found[0] if found.ndim > 1 and found.shape[0] == 1 else found
