"""The names of files below a folder of results, and their places in the store.

All files are in the store, which all configs share. A name that users read is a link:
`results/runs/clusters/separable/seed-0.safetensors` leads to
`results/store/runs/clusters/separable/seed-0/IDENTITY.safetensors`. The folder of a place holds the
versions of its file: with other values in the config, or by other code.

A shard is an experiment, a family of networks and a seed. Its networks belong to no study, so
studies share them. Tables, figures, claims and comparisons belong to one. A tile is the pairs of
two families of representations in files, or of a cohort of networks.
"""

import json
import re
from pathlib import Path

from repatlas.record import short_hash

SHARD = "{experiment}/{family}/seed-{seed}"
DATA = "data/{experiment}/{data}.safetensors"
RUNS = f"runs/{SHARD}.safetensors"
METRICS = f"metrics/{SHARD}.parquet"
TILE = "{study}/{comparison}/{tile}"
PAIRS = f"comparisons/{TILE}.parquet"
TABLE = "{study}/tables/{figure}.parquet"
PDF = "{study}/figures/{figure}.pdf"
PNG = "{study}/figures/{figure}.png"
CLAIMS = "{study}/claims/claims.parquet"
CLAIMS_PAGE = "{study}/claims/claims.md"
REPORT = "{study}/report.html"
OVERVIEW = "fig00"
"""The figure of a study's claims. If it takes several pages, a letter follows: fig00b is the
second."""
MULTIVERSE = "multiverse"
"""The figure of a study's claims in all settings of its choices."""
MULTIVERSE_PDF, MULTIVERSE_PNG, MULTIVERSE_PAGE, MULTIVERSE_TABLE = (
    f"{{study}}/figures/{MULTIVERSE}.{suffix}" for suffix in ("pdf", "png", "md", "parquet")
)
"""The picture, its numbers as a page, and the verdict of each claim in each setting. One job makes
them."""
OVERVIEW_PDF = "{study}/figures/{overview}.pdf"
OVERVIEW_PNG = "{study}/figures/{overview}.png"
STORE = "store"
"""The folder of all files, in the folder of the results."""
PARTS = "parts"
"""The folder, next to the versions of a file, with what jobs have made of a new one so far."""
SHARED = ("data", "runs", "metrics", "comparisons")
"""The folders of what all studies share."""
OF_STUDY = ("tables", "figures", "claims")
"""The folders of what belongs to one study, in the folder of its name."""

WILDCARDS = {
    "experiment": r"[a-z]+",
    "data": r"[a-z0-9_].*",
    "family": r"[a-z0-9_][a-z0-9_-]*",
    "seed": r"\d+",
    "study": r"[a-z]\w*",
    "figure": rf"(?!{OVERVIEW}|{MULTIVERSE}\b)[A-Za-z]\w*",
    "overview": rf"{OVERVIEW}[b-z]?",
    "comparison": r"[a-z0-9_][a-z0-9_-]*",
    "tile": r"[a-z0-9_][a-z0-9_-]*",
}
"""What the parts of a name may be, as regular expressions."""
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


def stored(name: str | Path, identity: str) -> str:
    """Return the place below the store of the version with this identity of a file.

    >>> stored("structure/figures/fig02.pdf", "3f9ac1d2e4b5a697")
    'structure/figures/fig02/3f9ac1d2e4b5a697.pdf'
    """
    place, dot, suffix = str(name).rpartition(".")
    return f"{place}/{identity}{dot}{suffix}"


def store_of(folder: str) -> Path:
    """Return the store of a folder of results. All configs share one store.

    >>> store_of("results").as_posix(), store_of("results/own/mine").as_posix()
    ('results/store', 'results/store')
    """
    results = Path(folder)
    return (results.parents[1] if results.parent.name == "own" else results) / STORE


def block(seed: int, most: int) -> range:
    """Return the seeds that a job makes together with this one: the first four, then twice as many
    each time, and at most `most`. Only the seed decides, so that more seeds change no block.

    >>> [block(seed, 16) for seed in (3, 4, 15, 33)]
    [range(0, 4), range(4, 8), range(8, 16), range(32, 48)]
    >>> block(5, 1)
    range(5, 6)
    """
    size = min(4 if seed < 4 else 1 << (seed.bit_length() - 1), most)
    first = seed // size * size
    return range(first, first + size)
