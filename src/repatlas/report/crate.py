"""crate: write a finished run as a Workflow Run RO-Crate, a folder for an archive.

The folder `crate` of the results has the figures, tables and claims, the config, the rules, and
`ro-crate-metadata.json`, which describes them for programs. `index.json` has the size and the
SHA-256 of all files that the run made, also of the networks, which the folder does not contain.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.named import ROOT
from repatlas.operations.bundle import entry_of, is_fresh, link_file
from repatlas.operations.expected import Expected, expected_files
from repatlas.operations.options import parser_of, read_plan, read_values
from repatlas.operations.sources import INDEX, Index
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.report.crate_metadata import CONFIG, METADATA, metadata


def main(arguments: list[str]) -> None:
    parser = parser_of("crate", __doc__)
    text = "the SPDX identifier of the licence of these results, as in CC-BY-4.0"
    parser.add_argument("--license", default="MIT", help=text)
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    expected = expected_files(plan)
    shown = [path for path in expected if _is_shown(path.relative_to(plan.results))]
    made = {path: wanted for path, wanted in expected.items() if is_fresh(wanted)}
    if not shown:
        raise Refused("found no figure in the config, allowed: a config with one or more")
    if lacking := [path for path in shown if path not in made]:
        raise Refused(f"{lacking[0]}: is missing: draw the figures first, by `make figures`")
    folder = Path(plan.results, "crate")
    shutil.rmtree(folder, ignore_errors=True)
    for path in shown:
        link_file(made[path].path, folder / path.relative_to(plan.results))
    _add_rules(folder)
    values = json.dumps(read_values(options).values, indent=1)
    (folder / CONFIG).write_text(values, encoding="utf-8")
    number = _add_index(folder, plan, made)
    found = metadata(plan, expected, made, folder, options.license)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    (folder / METADATA).write_text(f"{text}\n", encoding="utf-8")
    print(f"{folder}: {len(shown)} files of results, and the digests of {number}")


def _is_shown(place: Path) -> bool:
    return place.parts[1] in layout.OF_STUDY


def _add_rules(folder: Path) -> None:
    """Copy the files of the workflow into a crate: links would lead into the clone."""
    above = ROOT.parents[1]
    for path in [above / "Snakefile", *sorted(above.glob("workflow/rules/*.smk"))]:
        place = folder / path.relative_to(above)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)


def _add_index(folder: Path, plan: Plan, made: Mapping[Path, Expected]) -> int:
    """Write the index of a bundle into a crate, and return the number of its files."""
    paths = sorted(wanted.path for wanted in made.values())
    files = {path.relative_to(plan.store).as_posix(): entry_of(path) for path in paths}
    text = Index(files=files).model_dump_json(indent=1)
    (folder / INDEX).write_text(text, encoding="utf-8")
    return len(files)
