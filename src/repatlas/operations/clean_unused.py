"""clean_unused: drop from the store what no config wants any more.

Each config, and each preview, has a list of what it wants in the store, which its last run wrote.
Every file that is dropped is printed first. While a workflow is at work nothing is dropped.
"""

import argparse
from pathlib import Path

from repatlas.artifacts.layout import STORE
from repatlas.artifacts.locks import occupy
from repatlas.operations.view import WANTED
from repatlas.record import Refused


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("-n", "--dry-run", action="store_true", help="print, and drop nothing")
    options = parser.parse_args(arguments)
    lists = list((options.results / STORE).glob(f"*{WANTED}"))
    if not lists:
        raise Refused(f"{options.results / STORE}: no list of what is wanted: run a config first")
    try:
        for folder in _folders_of_runs(options.results):
            occupy(folder)
    except RuntimeError as error:
        raise Refused(str(error)) from None
    size = 0
    for path in unused(options.results, lists):
        size += path.stat().st_size
        print(path)
        if not options.dry_run:
            path.unlink()
    print(f"{size / 1e6:.0f} MB {'to be dropped' if options.dry_run else 'dropped'}")


def unused(results: Path, lists: list[Path]) -> list[Path]:
    """Return the files of the store that none of these lists names."""
    store = results / STORE
    wanted = {store / line for each in lists for line in each.read_text("utf-8").splitlines()}
    return sorted({p for p in store.rglob("*") if p.is_file()} - wanted - {*lists})


def _folders_of_runs(results: Path) -> list[Path]:
    """Return the folders of all runs and previews there. Each has its lock."""
    folders = [results, *filter(Path.is_dir, results.glob("own/*"))]
    return [f for f in (*folders, *(each / "preview" for each in folders)) if f.is_dir()]
