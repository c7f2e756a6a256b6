"""Add a row to record.md: the core-seconds of a whole run, until a study has all its verdicts.

    python benchmarks/record.py STUDY FOLDER LOG

FOLDER is a clone of the project in which Snakemake made this study from nothing, and nothing else.
LOG says where the log of the run is kept. Run the command on the same machine, right after the run:
it measures how fast the machine multiplies matrices.
"""

import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from measuring import ROOT, cpu_model
from paper import SGEMM, STAGES, on_all_cores, spent_by

from repatlas.artifacts import layout
from repatlas.artifacts.files import read_table
from repatlas.claims.verdicts import CLAIMS_SCHEMA

RECORD = Path(__file__).parent / "record.md"
KEPT = re.compile(r"\b[1-9]\d* (kept|of them begun)|kept: [1-9]")
MADE = {Path("train"): "runs", Path("measure"): "metrics", Path("compare"): "comparisons"}
"""The folder of the files that each stage makes."""
VERDICTS = ["claim", "check", "verdict", "claim_verdict", "claim_corrected_verdict"]


def main(study: str, folder: Path, log: str) -> None:
    """Add the row to record.md, or end the program with the reason for none."""
    seconds = core_seconds(study, folder)
    rate = 2e-9 * SGEMM**3 / on_all_cores()
    machine = f"{cpu_model()}, {os.cpu_count()} cores"
    cells = [study, f"{seconds:,.0f}", f"{seconds / 60:.1f}", date.today(), machine]
    cells += [f"{rate:.0f}", commit_of(folder), log]
    row = "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |\n"
    with RECORD.open("a", encoding="utf-8") as file:
        file.write(row)
    print(row, end="")


def core_seconds(study: str, folder: Path) -> float:
    """Return the core-seconds of the jobs that train, measure and compare. Ends the program where a
    verdict is not the published one, or where not all jobs of the study were timed from nothing."""
    results = folder / "results"
    studies = sorted(path.parts[-3] for path in results.glob("*/claims/claims.parquet"))
    if studies != [study]:
        sys.exit(f"{results}: found claims of {studies}, expected of {study!r} alone")
    new = verdicts(results / layout.CLAIMS.format(study=study))
    published = verdicts(ROOT / "docs" / study / "claims.parquet")
    if differing := sorted(
        {row["claim"] for row in new + published if (row in new) != (row in published)}
    ):
        sys.exit(
            f"No row: verdicts differ from docs/{study}/claims.parquet: {', '.join(differing)}"
        )
    for stage, made in MADE.items():
        for file in sorted(path for path in (results / made).rglob("*.*") if path.is_file()):
            place = stage / file.relative_to(results / made).with_suffix("")
            if not _is_timed(results, place):
                sys.exit(f"{file}: has no time in {results / 'benchmarks' / stage}")
    for stage in ("train", "measure"):
        for path in sorted((results / "logs" / stage).rglob("*.log")):
            if KEPT.search(path.read_text(encoding="utf-8")):
                sys.exit(f"{path}: the job kept what an earlier one made, which is not counted")
    places = [p for stage in STAGES for p in (results / "benchmarks" / stage).glob("*")]
    if not places:
        sys.exit(f"{results / 'benchmarks'}: found no times of jobs")
    return sum(spent_by(results, place).cpu for place in places)


def _is_timed(results: Path, place: Path) -> bool:
    """Return True if the job of a file has a time. One job makes the files of several seeds."""
    told = f" of {place.name.replace('-', ' ')}:"
    folder = results / "benchmarks" / place.parent
    if (folder / f"{place.name}.tsv").exists():
        return True
    logs = [results / "logs" / place.with_name(f"{time.stem}.log") for time in folder.glob("*.tsv")]
    return any(told in log.read_text(encoding="utf-8") for log in logs if log.exists())


def verdicts(path: Path) -> list[dict]:
    """Return the verdict of each check of a table of claims, and of its claim."""
    header, table = read_table(path, "claims", CLAIMS_SCHEMA)
    if header["job"]["preview"]:
        sys.exit(f"{path}: is of a preview, expected a whole run")
    return table.select(VERDICTS).to_pylist()


def commit_of(folder: Path) -> str:
    """Return the commit of a clone. Ends the program where files differ from it."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    if git("status", "--porcelain", "--untracked-files=no"):
        sys.exit(f"{folder}: files differ from the commit")
    return git("rev-parse", "--short", "HEAD")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python benchmarks/record.py STUDY FOLDER LOG")
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
