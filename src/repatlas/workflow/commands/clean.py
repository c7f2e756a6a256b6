"""clean: delete from the store what no config needs any more.

Each argument is a config, or the files of one with commas between them; without any it is
config.yaml. Its preview counts, too, if it has results. All configs that have results here must be
named. What stays:

    results that the configs imply, and results that a name in the folder of results leads to
    checkpoint files that such a list of networks names
    the checkpoint file with the longest training of each network that the configs imply
    all that is younger than a day, since a running job may need it
    all that is not named by 16 hexadecimal digits: what is damaged, or not ours

Results of other code, for example of another branch, are deleted.
"""

import argparse
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from repatlas.artifacts.files import Unreadable
from repatlas.record import Refused
from repatlas.workflow import store
from repatlas.workflow.commands import networks_of, stored_in
from repatlas.workflow.config import plan_of, read
from repatlas.workflow.plan import Plan
from repatlas.workflow.results import read_json

DAY = 24 * 60 * 60


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser("repatlas clean", description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", default=["config.yaml"])
    parser.add_argument("-n", "--dry-run", action="store_true", help="delete nothing")
    options = parser.parse_args(arguments)
    files = [[Path(name) for name in config.split(",")] for config in options.configs]
    configs = [read(of, preview) for of in files for preview in ({}, {"preview": True})]
    folder = (plan := plan_of(configs[0])).store
    for own in (folder.parent, *folder.parent.glob("own/*")):
        has_run = any((own / logs).exists() for logs in ("logs", "preview/logs"))
        if has_run and own not in {Path(config["folder"]) for config in configs}:
            raise Refused(f"{own}: its config is not named: name it, or delete this folder first")
    plans = [plan, *map(plan_of, configs[1:])]
    kept, size = _kept(folder, [each for each in plans if each.folder.exists()]), 0
    for path in sorted(folder.rglob("*")):
        is_ours = store.IDENTITY.fullmatch(path.stem) and path.is_file() and not path.is_symlink()
        if is_ours and path.resolve() not in kept and path.stat().st_mtime < time.time() - DAY:
            print(path)
            size += path.stat().st_size
            if not options.dry_run:
                path.unlink()
                name = path.parent.relative_to(folder).as_posix() + path.suffix
                store.made(folder, name, path.stem).unlink(missing_ok=True)
    print(f"{size / 1e6:.1f} MB {'would be' if options.dry_run else 'were'} deleted")


def _kept(folder: Path, plans: list[Plan]) -> set[Path]:
    """Return the files of a store that stay."""
    links = [path for path in folder.parent.rglob("*") if path.is_symlink()]
    kept = {link.resolve() for link in links if folder not in link.parents}
    kept |= {plan.version(name).resolve() for plan in plans for name in plan.results}
    for path in [path for path in kept if path.suffix == ".json" and path.is_file()]:
        with suppress(Unreadable):
            networks = read_json(path)["content"]["networks"].values()
            kept |= {(folder / about["file"]).resolve() for about in networks}
    stored_there = cache(stored_in)
    lists = ((plan, r) for plan in plans for r in plan.results.values() if r.stage == "train")
    for network in (each for plan, result in lists for each in networks_of(plan, result)):
        stored = stored_there(network.folder)
        # Without their data nobody knows which network is which.
        every = [each for of in stored.values() for each in of] if not network.identity else []
        best = store.longest(stored.get(network.identity, []), network.wanted.steps)
        kept |= {each.path.resolve() for each in [*every, best] if each}
    return kept
