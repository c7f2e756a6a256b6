"""decodanda: sessions as dictionaries with a raster, (T, N), the number of the trial, and labels.

A session is an npz or MATLAB file with an array for each key, as np.savez(path, **session) writes
it; several are the files of a folder. Rows with one trial number are not independent.
"""

from pathlib import Path

import numpy as np

from repatlas.experiments.files.columns import listed, natural
from repatlas.experiments.files.conversion import Converted, write_array, write_rows
from repatlas.experiments.files.opened import array_of, keys_of, reader_name
from repatlas.experiments.files.reading import reading
from repatlas.record import Refused

RASTER = "raster"
TYPES = ("npz", "mat")


def convert(source: Path, target: Path) -> Converted:
    """Return SESSION.npy and SESSION.csv for each session. Raises Refused for a session without a
    raster, for labels that are not one for each row, and for pickles, with the line that converts
    them."""
    found = list(source.iterdir()) if source.is_dir() else [source]
    files = sorted((path for path in found if path.is_file()), key=lambda path: natural(path.name))
    if others := [path for path in files if reader_name(path) not in TYPES]:
        keys_of(others[0])  # says how a pickle is converted
        raise Refused(f"{others[0]}: found no session, allowed: {', '.join(TYPES)}")
    if not files:
        raise Refused(f"{source}: found no sessions, allowed: npz or mat files")
    shapes, columns = {}, {}
    for path in files:
        session = _session(path)
        if RASTER not in session:
            raise Refused(f"{path}: has no {RASTER!r}, found: {listed(session)}")
        rows = len(session[RASTER])
        labels = {name: np.ravel(cells) for name, cells in session.items() if name != RASTER}
        for name, cells in labels.items():
            if len(cells) != rows:
                raise Refused(f"{path}: {name!r} has {len(cells)} values for {rows} rows")
        name = f"{path.stem}.npy"
        shapes[name] = write_array(target / name, [session[RASTER]], path)
        columns = write_rows(
            target / f"{path.stem}.csv", {n: c.tolist() for n, c in labels.items()}
        )
    return Converted("{session}.npy", "{session}.csv", None, shapes, columns, sessions=True)


def _session(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a session, texts among them."""
    if reader_name(path) == "npz":
        keys_of(path)
        try:
            with reading(path), np.load(path, allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        except Refused as error:
            if "allow_pickle" not in str(error):
                raise
            line = (
                f"import numpy as np; x = np.load({str(path)!r}, allow_pickle=True);"
                f" np.savez({str(path.with_name(path.stem + '-plain.npz'))!r},"
                " **{k: np.array(x[k].tolist()) for k in x.files})"
            )
            raise Refused(
                f"{path}: holds Python objects, which are never read here; convert it with:"
                f' python -c "{line}"'
            ) from None
    from scipy.io import loadmat

    for key in keys_of(path):
        array_of(path, key)  # says what is wrong with a file
    with reading(path):
        found = loadmat(path, chars_as_strings=True)
    return {
        key: np.char.strip(value) if value.dtype.kind == "U" else value
        for key, value in found.items()
        if not key.startswith("__")
    }
