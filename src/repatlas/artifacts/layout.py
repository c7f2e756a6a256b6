"""The places of files below a folder of results: the one grammar of their names.

A shard is an experiment, a family of networks and a seed. Its networks belong to no study, so
studies share them. Tables, figures, claims and comparisons belong to one. A tile is the pairs of
two families of representations in files, or of a cohort of networks.
"""

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
    "data": r"[a-z].+",
    "family": r"[a-z][a-z0-9_-]+",
    "seed": r"\d+",
    "study": r"[a-z]\w*",
    "figure": rf"(?!{OVERVIEW})[A-Za-z]\w*",
    "overview": rf"{OVERVIEW}[b-z]?",
    "comparison": r"[a-z]\w*(-[a-z]\w*)?",
    "tile": r"[a-z][a-z0-9_-]+",
}
"""What the parts of a name may be, as regular expressions."""


def done(stage: str) -> str:
    """The file that Snakemake touches when a job of this stage, of a shard or a tile, has ended."""
    return f"done/{stage}/{TILE if stage == 'compare' else SHARD}"
