"""Runs the stage of a job."""

import sys

sys.path.insert(0, f"{snakemake.scriptdir}/../../src")  # noqa: F821

from repatlas.artifacts.imports import import_by_text

import_by_text()

from repatlas.workflow.failures import ending_in_words  # noqa: E402


def run() -> None:
    from repatlas.workflow.stages import run

    run(snakemake)  # noqa: F821


ending_in_words(snakemake.rule, run)  # noqa: F821
