"""why: what would be made again for a figure, or a sweep that no figure draws, and because of what.

From the headers of the files alone: which values of a job changed, which modules were edited. A
file that is only downstream of such a one isn't listed with a reason of its own.
"""

from pathlib import Path

from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import state, upstream
from repatlas.operations.options import parser_of, read_plan


def main(arguments: list[str]) -> None:
    parser = parser_of("why", __doc__)
    parser.add_argument("--figure", default="", help="or a sweep that no figure draws")
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    product = plan.product(options.figure, "FIGURE")
    files = upstream(expected_files(plan), plan.files(product))
    reasons: dict[str, list[Path]] = {}
    for path, wanted in files.items():
        name, reason = state(path, wanted)
        if name != "fresh":
            reasons.setdefault(f"{wanted.stage}: {name}{reason}", []).append(path)
    for reason, paths in reasons.items():
        places = str(paths[0]) if len(paths) == 1 else f"{len(paths)} files, {paths[0]} first"
        print(f"{reason}\n    {places}")
    if not reasons:
        print(f"nothing: {options.figure} and all {len(files)} files behind it are fresh")
