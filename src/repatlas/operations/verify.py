"""verify: is every file in the results what the config and the code imply?

Needs nothing of Snakemake's records: each file says in its header what it was made from. Reads
every file whole, prints one line for each that isn't fresh, and the counts of

    fresh    what the config and the code imply
    damaged  not what was once written; set aside, to be made again
    missing  not made yet; in what the nearest version differs
    orphan   there under a name of the results, but nothing in the config implies it

and, where there are any, of those that are

    astray      fresh, but the name leads to something else; the next run leads it back
    unreadable  there, but closed to this user, or on a disk that fails

and fails unless all are fresh or orphans. Before the first run all are missing: that is one line.
"""

import os
import sys
from collections import Counter
from pathlib import Path

from repatlas.artifacts.files import set_aside
from repatlas.operations.expected import Expected, expected_files
from repatlas.operations.freshness import state
from repatlas.operations.options import parser_of, read_plan, with_figure_option
from repatlas.operations.view import names_in

STATES = ("fresh", "damaged", "missing", "orphan")


def main(arguments: list[str]) -> None:
    parser = with_figure_option(parser_of("verify", __doc__))
    plan = read_plan(parser.parse_args(arguments), reads_again=True)

    expected = expected_files(plan)
    orphans = sorted(names_in(Path(plan.results)) - expected.keys())
    found = [(path, *_found(path, file)) for path, file in sorted(expected.items())]
    found += [(path, "orphan", "") for path in orphans]
    if {name for _, name, _ in found} == {"missing"}:
        print(f"nothing has been made yet: {len(found)} files are missing in {plan.results}")
        sys.exit(1)
    for path, name, reason in found:
        if name != "fresh":
            print(f"{name:7} {path}{reason}")
    counts = Counter(name for _, name, _ in found)
    if counts["missing"]:
        print("`make figures` makes what something needs, with the same CONFIG and ARGS")
    told = [*STATES, *sorted({"astray", "unreadable"} & counts.keys())]
    print(", ".join(f"{counts[name]} {name}" for name in told))
    if counts.keys() - {"fresh", "orphan"}:
        sys.exit(1)


def _found(path: Path, wanted: Expected) -> tuple[str, str]:
    """Return the state of a file and of its name, and why. A damaged file is renamed, if the folder
    may be written: a missing file is recomputed."""
    name, reason = state(wanted)
    if name == "fresh" and os.path.lexists(path) and path.resolve() != wanted.path.resolve():
        return "astray", f": leads to {path.resolve()}"
    if name == "damaged":
        try:
            reason = f"{reason}; now {set_aside(wanted.path).name}"
        except OSError as error:
            reason = f"{reason}; not renamed: {error.strerror}"
    return name, reason
