"""The names of results, as parts of paths, and the folder of all versions."""

import json
import re
from pathlib import Path

from repatlas.record import short_hash

MULTIVERSE = "multiverse"
"""The figure of a study's claims in all settings of its choices."""
STORE = "store"
"""The folder of all versions, in the folder of the results."""
LONGEST = 60
"""Characters of names in the name of a file, which a file system limits to 255."""


def file_name(*names: str) -> str:
    """Return the part of a path that stands for these names, different for different names.

    Lower-case names of plain letters, digits and _ stand as they are, with - between them. Any
    others are spelled with such signs alone, and a hash of the names follows: some file systems
    do not distinguish capitals, and Snakemake allows only some signs.

    >>> file_name("network", "seed", "0")
    'network-seed-0'
    >>> file_name("V4")
    'v4--5734e99415b1'
    """
    spelled = "-".join(re.sub("[^a-z0-9_]", "_", name.lower()) for name in names)
    if spelled == "-".join(names) and len(spelled) <= LONGEST:
        return spelled
    return f"{spelled[:LONGEST]}--{short_hash(json.dumps(names))}"


def store_of(folder: str) -> Path:
    """Return the store of a folder of results. All configs share one store.

    >>> store_of("results").as_posix(), store_of("results/own/mine").as_posix()
    ('results/store', 'results/store')
    """
    results = Path(folder)
    return (results.parents[1] if results.parent.name == "own" else results) / STORE
