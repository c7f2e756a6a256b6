"""Where files lie below a folder of results: the one grammar of their names.

A shard is an experiment, a family of networks and a seed. Its networks belong to no figure, so
figures share them.
"""

SHARD = "{experiment}/{family}/seed-{seed}"
DATA = "data/{experiment}/{data}.safetensors"
RUNS = f"runs/{SHARD}.safetensors"
METRICS = f"metrics/{SHARD}.parquet"
TABLE = "tables/{figure}.parquet"
PDF = "figures/{figure}.pdf"
PNG = "figures/{figure}.png"
CLAIMS = "claims/claims.parquet"
CLAIMS_PAGE = "claims/claims.md"
FOLDERS = ("data", "runs", "metrics", "tables", "figures", "claims")
"""All folders that hold results."""

WILDCARDS = {
    "experiment": r"[a-z]+",
    "data": r"[a-z].+",
    "family": r"[a-z][a-z0-9_-]+",
    "seed": r"\d+",
    "figure": r"fig\w+",
}
"""What the parts of a name may be, as regular expressions."""


def done(stage: str) -> str:
    """The file that Snakemake touches when a shard's job of this stage has ended."""
    return f"done/{stage}/{SHARD}"
