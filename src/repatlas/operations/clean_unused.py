"""clean_unused: drop from the store what no config wants any more.

Each config, and each preview, has a list of what it wants in the store, which its last run wrote.
Nothing is dropped while a workflow or a job is at work, or if a list is not whole, or lost.
"""

import argparse
from pathlib import Path

from repatlas.artifacts.layout import PARTS, STORE
from repatlas.artifacts.locks import JOB, exclusive, occupy
from repatlas.artifacts.versions import is_version
from repatlas.operations.wanted import WANTED, read_list
from repatlas.record import Refused


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("-n", "--dry-run", action="store_true", help="print, and drop nothing")
    parser.add_argument(
        "--unlisted", action="store_true", help="drop also what no list has ever named"
    )
    options = parser.parse_args(arguments)
    store = options.results / STORE
    try:
        for folder in _folders_of_runs(options.results):
            occupy(folder)
    except RuntimeError as error:
        raise Refused(str(error)) from None
    # Only now: a workflow that has just ended may have written its list.
    lists = [read_list(path) for path in sorted(store.glob(f"*{WANTED}"))]
    if not lists:
        raise Refused(f"{store}: no list of what is wanted: run a config first")
    for lock in () if options.dry_run else store.rglob(JOB):
        with exclusive(lock):
            pass
    dropped, unlisted = unused(store, lists)
    if unlisted and not options.unlisted:
        raise Refused(
            f"{unlisted[0]}: found {len(unlisted)} files like this one, which no list in {store}"
            " names. Their list may be lost: run their config again, which writes it. To drop"
            ' them, too: make clean-unused ARGS="--unlisted"'
        )
    size = 0
    for path in sorted([*dropped, *unlisted]):
        size += path.stat().st_size
        print(path)
        if not options.dry_run:
            path.unlink()
    print(f"{size / 1e6:.0f} MB {'to be dropped' if options.dry_run else 'dropped'}")


def unused(store: Path, lists: list[tuple[set[str], set[str]]]) -> tuple[list[Path], list[Path]]:
    """Return the files of the store that no config wants any more, and the files that no list
    names. These are versions of results, and parts of results that no config wants in any version.
    What else is there stays, for example files that were set aside."""
    wanted = {store / path for of_one, _ in lists for path in of_one}
    known = {store / path for of_one in lists for path in set.union(*of_one)}
    places, known_places = ({path.parent for path in paths} for paths in (wanted, known))
    dropped, unlisted = [], []
    for path in filter(Path.is_file, store.rglob("*")):
        if path.parent.name == PARTS and not path.name.startswith("."):
            place = path.parent.parent
            is_wanted, is_known = place in places, place in known_places
        elif is_version(path):
            is_wanted, is_known = path in wanted, path in known
        else:
            continue
        if not is_wanted:
            (dropped if is_known else unlisted).append(path)
    return dropped, unlisted


def _folders_of_runs(results: Path) -> list[Path]:
    """Return the folders of all runs and previews there. Each has its lock."""
    folders = [results, *filter(Path.is_dir, results.glob("own/*"))]
    return [f for f in (*folders, *(each / "preview" for each in folders)) if f.is_dir()]
