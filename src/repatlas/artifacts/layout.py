"""The places of files below a folder of results: the one grammar of their names.

A shard is an experiment, a family of networks and a seed. Its networks belong to no study, so
studies share them. Tables, figures and claims belong to one.
"""

SHARD = "{experiment}/{family}/seed-{seed}"
DATA = "data/{experiment}/{data}.safetensors"
RUNS = f"runs/{SHARD}.safetensors"
METRICS = f"metrics/{SHARD}.parquet"
TABLE = "{study}/tables/{figure}.parquet"
PDF = "{study}/figures/{figure}.pdf"
PNG = "{study}/figures/{figure}.png"
CLAIMS = "{study}/claims/claims.parquet"
CLAIMS_PAGE = "{study}/claims/claims.md"
REPORT = "{study}/report.html"
SHARED = ("data", "runs", "metrics")
"""The folders of what all studies share."""
OF_STUDY = ("tables", "figures", "claims")
"""The folders of what belongs to one study, in the folder of its name."""

WILDCARDS = {
    "experiment": r"[a-z]+",
    "data": r"[a-z].+",
    "family": r"[a-z][a-z0-9_-]+",
    "seed": r"\d+",
    "study": r"[a-z]\w*",
    "figure": r"[A-Za-z]\w*",
}
"""What the parts of a name may be, as regular expressions."""


def done(stage: str) -> str:
    """The file that Snakemake touches when a shard's job of this stage has ended."""
    return f"done/{stage}/{SHARD}"
