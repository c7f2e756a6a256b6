"""thingsvision: features as `save_features` or `extract_features(output_dir=...)` store them.

The features are in features.npy (or .txt, .mat, .hdf5) or in pieces features_01.npy, ..., in a
folder or in a folder for each module. Folders of modules may have pieces by item numbers,
features_0-100.npy, features_100-200.npy. The dataset writes file_names.txt, with the images in
order.
"""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np

from repatlas.experiments.files.columns import natural
from repatlas.experiments.files.conversion import (
    ROWS,
    Converted,
    file_name,
    write_array,
    write_rows,
)
from repatlas.experiments.files.opened import Stored, array_of, keys_of, reader_name
from repatlas.experiments.files.reading import reading
from repatlas.record import Refused

NAMES = "file_names.txt"
TYPES = ("npy", "hdf5", "mat", "txt", "pt", "safetensors")
"""A .pt file is converted to safetensors, in the same folder."""
PIECE = re.compile(r"features(?P<suffix>.*?)(_(?P<first>\d+)(-(?P<last>\d+))?)?")
IMAGE = re.compile(r"\.(eps|jpe?g|png|tiff?)$", re.IGNORECASE)


def convert(source: Path, target: Path) -> Converted:
    """Return one array for each module, or `features` for a folder of one module. Raises Refused if
    the names of the images are missing or not as many as the rows, and for pieces that do not
    follow one another. Raises Refused for .pt files, with the line that converts them."""
    folder = source if source.is_dir() else source.parent
    names_file = folder / NAMES
    if not names_file.exists():
        raise Refused(
            f"{names_file}: no such file; without it nobody knows which row is which image:"
            " thingsvision's ImageDataset writes it into out_path, copy it from there"
        )
    with reading(names_file):
        lines = names_file.read_text(encoding="utf-8").splitlines()
    names = [line.strip() for line in lines if line]
    folders = {"features": folder} if _pieces(folder) else {}
    for path in sorted(folder.rglob("*"), key=lambda path: natural(str(path))):
        if path.is_dir() and _pieces(path):
            folders[file_name(str(path.relative_to(folder)))] = path
    if not folders:
        raise Refused(
            f"{folder}: no features found, allowed: features.npy, or folders by thingsvision"
        )
    shapes = {}
    for name, path in folders.items():
        parts = [part for piece in _pieces(path) for part in _arrays(piece, names)]
        rows = sum(part.shape[0] for part in parts)
        if rows != len(names):
            raise Refused(f"{path}: has {rows} rows and {names_file} {len(names)} names")
        shapes[f"{name}.npy"] = write_array(target / f"{name}.npy", parts, path)
    columns = write_rows(target / ROWS, {"image": [Path(name).name for name in names]})
    if len({Path(name).name for name in names}) < len(names):  # classes in folders
        columns = write_rows(target / ROWS, {"image": names})
    return Converted("{layer}.npy", ROWS, "image", shapes, columns)


def _pieces(folder: Path) -> list[Path]:
    """Return the files of features in a folder, in the order of their numbers, if they follow one
    another."""
    found = []
    for path in folder.iterdir():
        matched = PIECE.fullmatch(path.stem)
        converted = reader_name(path) == "pt" and path.with_suffix(".safetensors").exists()
        if matched and path.is_file() and reader_name(path) in TYPES and not converted:
            found.append((int(matched["first"] or -1), matched, path))
    found.sort(key=lambda each: each[0])
    whole = [path for first, _, path in found if first < 0]
    if whole and len(found) > 1:
        raise Refused(f"{folder}: found features in one file and in pieces, allowed: either")
    for (_, one, before), (_, other, path) in pairwise(found):
        follows = (
            one["last"] == other["first"] if one["last"] else _number(one) + 1 == _number(other)
        )
        if not follows:
            raise Refused(
                f"{folder}: {path.name} does not follow {before.name}: a piece is missing"
            )
    if found and found[0][1]["last"] and _number(found[0][1]) != 0:
        raise Refused(f"{folder}: {found[0][2].name} is not the first piece: one is missing")
    return [path for *_, path in found]


def _number(matched: re.Match) -> int:
    return int(matched["first"])


def _arrays(path: Path, names: list[str]) -> list[Stored]:
    """Return the arrays of a file, to stand one below another."""
    if reader_name(path) == "txt":
        with reading(path):
            return [np.loadtxt(path, ndmin=2)]
    keys = keys_of(path)
    if keys is None or keys == ["features"]:
        return [array_of(path, keys[0] if keys else None)]
    if reader_name(path) == "mat":  # a matrix for each image, by its name without suffix
        wanted = [IMAGE.sub("", name) for name in names]
        if lacking := [name for name in wanted if name not in keys]:
            raise Refused(f"{path}: has no matrix for {lacking[0]!r} of {NAMES}")
        return [np.asarray(array_of(path, key)) for key in wanted]
    return [array_of(path, key) for key in sorted(keys, key=natural)]
