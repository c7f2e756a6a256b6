"""report: write the page of each study, and Snakemake's own report next to the results.

Its arguments are options of Snakemake. `make report` starts it.
"""

import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from snakemake.cli import parse_config
from snakemake.utils import update_config

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.operations.options import snakemake_options
from repatlas.plan.contents import Contents


def main(words: list[str]) -> None:
    """Write the pages, and then Snakemake's own report: `--report` runs no job."""
    _run("--forcerun", "write_report", *words)
    if archive := _archive(words):
        _run("--report", archive, *words)


def _run(*words: str) -> None:
    start = Path(__file__).with_name("start_snakemake.py")
    code = subprocess.run([sys.executable, str(start), "write_reports", *words]).returncode
    if code:
        sys.exit(code)


def _archive(words: list[str]) -> str | None:
    """Return the path of Snakemake's own report, in the folder of the results. Snakemake's parser
    reads the options, and the config is read as in workflow/rules/plan.smk. None for a dry run."""
    options = snakemake_options(words)
    if options.dryrun:
        return None
    configs = [path.absolute() for path in options.configfile]
    with chdir(options.directory or "."):
        loaded = load(configs)
        update_config(loaded.values, parse_config(options.config))
        config = read_config(loaded.values, loaded.file, loaded.files)
        return f"{Contents(config, loaded.folder).results}/report.zip"
