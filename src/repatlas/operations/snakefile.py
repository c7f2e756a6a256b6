"""The Snakefile: of the clone, or the one that pip installed."""

import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from repatlas.named import ROOT
from repatlas.record import Refused

INSTALLED = "share/repatlas/Snakefile"


def snakefile() -> Path:
    """Return the path of the Snakefile, next to the folder `workflow`. Raises Refused."""
    clone = ROOT.parents[1] / "Snakefile"
    if (clone.parent / "workflow/Snakefile").is_file():
        return clone
    try:
        files = distribution("repatlas").files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if str(file).endswith(INSTALLED):
            return Path(os.path.abspath(file.locate()))
    raise Refused("the Snakefile of repatlas is missing: install repatlas again")
