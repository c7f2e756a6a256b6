"""rsatoolbox: a Dataset or TemporalDataset that was saved with file_type="hdf5".

`measurements` is (observations, channels) or (observations, channels, time); what is known of
observations lies in `obs_descriptors`, of channels in `channel_descriptors`.
"""

from pathlib import Path

from repatlas.experiments.files.conversion import (
    ROWS,
    Converted,
    plain,
    write_array,
    write_rows,
)
from repatlas.experiments.files.opened import array_of, nodes_of, reader_name
from repatlas.experiments.files.reading import reading
from repatlas.record import Refused

KINDS = ("Dataset", "TemporalDataset")
ITEMS = ("stimulus", "stim", "conds", "condition", "image")
"""Descriptors that usually say what was shown; the first that there is."""


def convert(source: Path, target: Path) -> Converted:
    """Return patterns.npy and a table with the descriptors of the observations. Descriptors of
    channels go into channels.csv. Raises Refused for a pickle, with the line that saves it as HDF5,
    and for anything but a dataset."""
    if reader_name(source) in ("pkl", "pickle", "p"):
        line = (
            f"from rsatoolbox.data import load_dataset; load_dataset({str(source)!r}, 'pkl')"
            f".save({str(source.with_suffix('.hdf5'))!r}, file_type='hdf5')"
        )
        raise Refused(
            f"{source}: is a pickle, which may run any code and is never read here; if you trust"
            f' it, convert it with: python -c "{line}"'
        )
    descriptors = nodes_of(source)
    try:
        measurements = array_of(source, "measurements")
    except Refused as error:
        raise Refused(f"{source}: no dataset of rsatoolbox ({error})") from None
    with reading(source):
        kind = measurements.file.attrs.get("type", "Dataset")
    if kind not in KINDS:
        raise Refused(f"{source}: holds a {kind} of rsatoolbox, allowed: {', '.join(KINDS)}")
    columns: dict[str, dict[str, list]] = {}
    for place, node in descriptors.items():
        group, _, name = place.partition("/")
        if name:
            with reading(f"{source}/{place}"):
                columns.setdefault(group, {})[name] = list(plain(node[()]))
    rows = columns.get("obs_descriptors") or {"row": list(range(measurements.shape[0]))}
    shape = write_array(target / "patterns.npy", [measurements], source)
    if channels := columns.get("channel_descriptors"):
        write_rows(target / "channels.csv", channels)
    names = write_rows(target / ROWS, rows)
    item = next((name for name in ITEMS if name in names), None)
    return Converted("patterns.npy", ROWS, item, {"patterns.npy": shape}, names)
