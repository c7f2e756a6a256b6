"""The places of files below a folder of results: the one grammar of their names.

A shard is an experiment, a family of networks and a seed. Its networks belong to no study, so
studies share them. Tables, figures, claims and comparisons belong to one. A tile is the pairs of
two families of representations in files, or of a cohort of networks.
"""

import json
import re

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
OVERVIEW_PDF = "{study}/figures/{overview}.pdf"
OVERVIEW_PNG = "{study}/figures/{overview}.png"
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
    "figure": rf"(?!{OVERVIEW})[A-Za-z]\w*",
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


def done(stage: str) -> str:
    """The file that Snakemake touches when a job of this stage, of a shard or a tile, has ended."""
    return f"done/{stage}/{TILE if stage == 'compare' else SHARD}"
