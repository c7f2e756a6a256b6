"""why: what would be made for a figure, or a sweep that no figure draws, and because of what.

From the headers of the files alone: which values of a job, or which modules, differ between a
missing file and the nearest version of it.
"""

from pathlib import Path

from repatlas.operations.expected import expected_files, missing
from repatlas.operations.freshness import why_missing
from repatlas.operations.options import parser_of, read_plan


def main(arguments: list[str]) -> None:
    parser = parser_of("why", __doc__)
    parser.add_argument("--figure", default="", help="or a sweep that no figure draws")
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    product = plan.product(options.figure, "FIGURE")
    reasons: dict[str, list[Path]] = {}
    for path, wanted in missing(expected_files(plan), plan.files(product)).items():
        reason = why_missing(wanted) or "no version of it yet"
        reasons.setdefault(f"{wanted.stage}: {reason}", []).append(path)
    for reason, paths in reasons.items():
        places = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0]} first"
        print(f"{reason}\n    {places}")
    if not reasons:
        print(f"nothing: {options.figure} is what the config and the code imply")
