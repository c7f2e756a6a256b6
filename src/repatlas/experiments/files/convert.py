"""python -m repatlas convert KIND SOURCE TARGET: results of another tool as files that a config can
name. TARGET is a folder, new or empty. Prints what a config says of it.
"""

import argparse
from pathlib import Path
from shutil import rmtree

from repatlas.experiments.files.conversion import Converted
from repatlas.named import named, names
from repatlas.record import Refused

PACKAGE = "experiments.files.conversions"


def main(arguments: list[str]) -> None:
    """Convert, and print the part of a config that reads the result."""
    parser = argparse.ArgumentParser(prog="python -m repatlas convert", description=__doc__)
    parser.add_argument("kind", choices=names(PACKAGE), help="the tool that wrote the source")
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args(arguments)
    print(convert(options.kind, options.source, options.target).text(options.target))


def convert(kind: str, source: Path, target: Path) -> Converted:
    """Write the files of a tool, at `source`, into the folder `target`, and remove the unfinished
    folder next to it. Raises Refused, also if `target` already has files."""
    if not source.exists():
        raise Refused(f"{source}: no such file or folder")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refused(f"{target}: already exists; name a new or an empty folder")
    unfinished = target.with_name(f".{target.name}.part")
    unfinished.mkdir(parents=True, exist_ok=True)
    try:
        found = named(PACKAGE, kind).convert(source, unfinished)
        unfinished.replace(target)
    finally:
        rmtree(unfinished, ignore_errors=True)
    return found
