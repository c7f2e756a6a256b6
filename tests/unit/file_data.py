"""The data of a user's files, prepared as a job does, without a plan."""

import json
from pathlib import Path

from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.experiments.files.prepare import depends_on, prepare


def wanted_of(grid):
    """Return what is wanted of the files of each family."""
    found = {}
    for family in grid.families:
        wanted = grid.data(family, 0)[1]
        found[family] = json.loads(json.dumps(wanted | depends_on(wanted, {})))
    return found


def file_of(wanted, name):
    """Write what is wanted into results, and return the file."""
    arrays, about, _ = prepare([wanted], None, {}, print)
    path = Path("results", f"{name}.safetensors")
    header = {"identity": "x", "job": {"wanted": [wanted], "seeds": None}}
    write_arrays(path, "data", header | about, arrays)
    return Arrays(path, "data")
