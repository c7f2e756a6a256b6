"""bundle: write a folder from which others fetch results instead of computing them.

It has the files of the store that a config wants, under the same names, and an index with the size
and the SHA-256 of each. Networks are left out unless they are asked for. Every file is read and
checked first. A web server for files can serve the folder. It may hold the files of several
configs: what its index lists stays listed.
"""

import hashlib
import os
import shutil
from pathlib import Path

from repatlas.artifacts.files import whole_file
from repatlas.operations.expected import Expected, expected_files
from repatlas.operations.freshness import state
from repatlas.operations.options import parser_of, read_plan, with_figure_option
from repatlas.operations.sources import INDEX, Entry, Failed, Index, Source
from repatlas.record import Refused


def main(arguments: list[str]) -> None:
    parser = with_figure_option(parser_of("bundle", __doc__))
    text = "the folder to write; results/bundle if none is named"
    parser.add_argument("--into", type=Path, default=Path("results/bundle"), help=text)
    text = "also the networks and their data, which are large; no figure needs them"
    parser.add_argument("--networks", action="store_true", help=text)
    options = parser.parse_args(arguments)
    plan, folder = read_plan(options), options.into
    files, lacking, left_out = _listed(folder), 0, []
    for wanted in expected_files(plan).values():
        name = wanted.path.relative_to(plan.store).as_posix()
        if wanted.stage in ("prepare", "train") and not options.networks:
            left_out += [wanted.path] if wanted.path.is_file() else []
            continue
        if not is_fresh(wanted):
            lacking += 1
            continue
        link_file(wanted.path, folder / name)
        files[name] = entry_of(wanted.path)
    if not files:
        raise Refused(f"nothing has been made yet: {lacking} files are missing in {plan.results}")
    with whole_file(folder / INDEX) as temporary:
        index = Index(files=dict(sorted(files.items())))
        temporary.write_text(index.model_dump_json(indent=1), encoding="utf-8")
    size = sum(entry.size for entry in files.values())
    print(f"{folder}: {len(files)} files, {size / 1e6:,.0f} MB")
    if left_out:
        size = sum(path.stat().st_size for path in left_out)
        print(f"--networks adds {len(left_out)} files, {size / 1e6:,.0f} MB, which no figure needs")
    if lacking:
        print(f"{lacking} files that the config wants are not there, and so not in it")


def is_fresh(wanted: Expected) -> bool:
    """Return False for a file that is missing. A file that is there is read and checked as a whole.
    Raises Refused for a file that is not what it should be."""
    found, reason = state(wanted)
    if found not in ("fresh", "missing"):
        raise Refused(f"{wanted.path}: {found}{reason}: `make verify` tells more")
    return found == "fresh"


def entry_of(path: Path) -> Entry:
    """Return what an index says of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Entry(size=path.stat().st_size, sha256=digest)


def _listed(folder: Path) -> dict[str, Entry]:
    """Return what the index in a folder lists, or nothing if there is none."""
    if not (folder / INDEX).exists():
        return {}
    source = Source(str(folder))
    try:
        source.read_index()
    except Failed as error:
        raise Refused(f"{folder / INDEX}: {error}; name another folder") from None
    return source.files


def link_file(path: Path, to: Path) -> None:
    """Remove an older file (unlink), and link this one there. Copy it if the disk has no links."""
    if to.exists() and to.samefile(path):
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    to.unlink(missing_ok=True)
    try:
        os.link(path, to)
    except OSError:
        with whole_file(to) as temporary:
            shutil.copyfile(path, temporary)
