"""Whether the files on the disk are what the config and the code imply, and if not, why.

Nothing of Snakemake's records is needed: each file says in its header what it was made from.
"""

import json
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from repatlas.artifacts.access import NO_FILE, why_closed
from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import (
    METRICS_SCHEMA,
    NETWORK_PAIRS_SCHEMA,
    PAIRS_SCHEMA,
    Arrays,
    Unreadable,
    read_header,
    read_table,
)
from repatlas.artifacts.pages import read_page
from repatlas.artifacts.provenance import code_of
from repatlas.artifacts.recipes.job import Job
from repatlas.artifacts.recipes.typed import parsed
from repatlas.artifacts.versions import versions
from repatlas.claims.multiverse import MULTIVERSE_SCHEMA
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.named import named
from repatlas.operations.expected import Expected

KINDS = {
    "prepare": "data",
    "train": "runs",
    "measure": "metrics",
    "compare_networks": "pairs",
    "compare_files": "pairs",
    "tabulate": "table",
    "judge": "claims",
    "multiverse": "multiverse",
}
"""The types that the files of a stage have in their headers, except drawings."""
DRAWING = ("plot", "plot_claims")
"""The stages whose files are drawings."""


LATEST = 5
"""The versions of a file that a missing one is compared with."""
PLACE = ("study", "figure", "experiment", "family", "seed", "data", "comparison", "tile")
"""What of a job the name of its file tells."""


def upstream(expected: Mapping[Path, Expected], files: Iterable[Path]) -> dict[Path, Expected]:
    """Return these files and the files that they are made from, in the order of the stages."""
    waiting, found = list(files), set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += expected[path].inputs
    return {path: expected[path] for path in expected if path in found}


def state(wanted: Expected) -> tuple[str, str]:
    """Return the state of a file of the store, and the reason if it is not fresh: of a missing one,
    in what the nearest version differs. The file stays where it is. It is read as a whole."""
    path = wanted.path
    try:
        path.lstat()
        if not path.is_file():
            raise Unreadable(path, NO_FILE)
        found = read_whole(path, wanted)
        check_place(path, found, wanted)
    except Unreadable as error:
        return "damaged", f": {error.reason}"
    except (FileNotFoundError, NotADirectoryError):
        version = nearest(wanted)
        return "missing", f": {'; '.join(reasons(version, wanted))}" if version else ""
    except OSError as error:
        return "unreadable", f": {why_closed(path) or error.strerror or error}"
    if found["identity"] == wanted.identity:
        return "fresh", ""
    return "damaged", ": is not what its name says"


def nearest(wanted: Expected) -> dict | None:
    """Return the header of the version that has most in common with a missing file, among the
    latest; None if there is no version."""
    values, found = _values(json.loads(wanted.job)), []
    for path in versions(wanted.path)[:LATEST]:
        try:
            header = stated(path, wanted.stage)
        except Unreadable:
            continue
        found.append((len(values ^ _values(header["job"])), header))
    return min(found, key=itemgetter(0))[1] if found else None


def check_place(path: Path, found: dict, wanted: Expected) -> None:
    """Raise Unreadable if a file with this header belongs under another name, for example a copy
    from another seed or figure."""
    job = json.loads(wanted.job)
    for name in PLACE:
        if name in found["job"] and found["job"][name] != job.get(name):
            raise Unreadable(path, f"is of {name} {found['job'][name]}, not {job.get(name)}")
    if found["identity"] == wanted.identity and found["job"] != job:
        raise Unreadable(path, "has the identity of the file that is wanted and the job of another")


def job_of(wanted: Expected) -> Job:
    """Return the typed job of a file."""
    return parsed(wanted.stage, wanted.job)


def reasons(found: dict, wanted: Expected) -> list[str]:
    """Return the reasons why a file with this header is out of date."""
    job = json.loads(wanted.job)
    before, after = _values(found["job"]), _values(job)
    texts = []
    if gone := before - after:
        texts.append("no more " + ", ".join(sorted(gone)))
    if new := after - before:
        texts.append("now " + ", ".join(sorted(new)))
    if found["job"]["code"] != job["code"]:
        modules_now = code_of(*sorted({*job_of(wanted).modules()}))
        both = found["modules"].keys() & modules_now.keys()
        # With other values other modules are named, which nobody has edited.
        names = sorted(both if texts else found["modules"].keys() | modules_now.keys())
        edited = [n for n in names if found["modules"].get(n) != modules_now.get(n)]
        code = f"code was {found['job']['code']}, is {job['code']}"
        if edited or not texts:
            texts.append(f"{code}; edited: {', '.join(edited)}" if edited else code)
    if not texts and found["job"] != job:
        texts.append("the same values in other combinations")
    return texts or ["made from other inputs"]


def _values(job: Any, path: str = "") -> set[str]:
    """Return the values in a job, each as path=value; the position in a list doesn't matter."""
    if isinstance(job, dict):
        parts = [_values(value, f"{path}.{key}") for key, value in job.items() if key != "code"]
        return set().union(*parts)
    if isinstance(job, list):
        return set().union(*(_values(value, path) for value in job))
    return {f"{path.removeprefix('.')}={job}"}


def stated(path: Path, stage: str) -> dict:
    """Return the header of a file. All bytes of drawings and pages are checked, and only the header
    of other files. Raises Unreadable."""
    if path.suffix == ".md":
        return read_page(path)
    if stage in DRAWING or path.suffix in (".pdf", ".png"):
        return read_drawing(path)
    return read_header(path, KINDS[stage])


def read_whole(path: Path, wanted: Expected) -> dict:
    """Return the header of a file, after all of it was read and checked. Raises Unreadable."""
    stage, study = wanted.stage, json.loads(wanted.job).get("study")
    match stage:
        case "plot" | "plot_claims":
            return read_drawing(path)
        case "multiverse" if path.suffix in (".pdf", ".png"):
            return read_drawing(path)
        case "multiverse" if path.suffix == ".parquet":
            return read_table(path, KINDS[stage], MULTIVERSE_SCHEMA)[0]
        case "judge" | "multiverse" if path.suffix == ".md":
            return read_page(path)
        case "judge":
            return read_table(path, KINDS[stage], CLAIMS_SCHEMA)[0]
        case "tabulate":
            columns = named(f"studies.{study}", "columns")
            return read_table(path, KINDS[stage], columns.TABLE_SCHEMA)[0]
        case "measure":
            return read_table(path, KINDS[stage], METRICS_SCHEMA)[0]
        case "compare_networks":
            return read_table(path, KINDS[stage], NETWORK_PAIRS_SCHEMA)[0]
        case "compare_files":
            return read_table(path, KINDS[stage], PAIRS_SCHEMA)[0]
        case "train" | "prepare":
            arrays = Arrays(path, KINDS[stage])
            arrays.check()
            return arrays.header
