"""Lists of what configs want in the store, so that `clean-unused` leaves it there.

Each config has a list, and each preview. Its name has a hash of the folder of the results and of
the config files, so no other config overwrites it. Its first line is the hash of the others: a list
that was cut, for example by a power cut, is noticed. A file that the config wanted earlier and
wants no more stands after the sign -. A file that no list names may belong to a list that is lost.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from repatlas.artifacts.layout import PARTS
from repatlas.config.file import USUAL
from repatlas.operations.expected import Expected
from repatlas.plan.plan import Plan
from repatlas.record import Refused, short_hash

WANTED = ".wanted"
"""The suffix of a list, in the store."""
EARLIER = "-"


def keep(plan: Plan, expected: Mapping[Path, Expected], configs: Sequence[Path]) -> None:
    """Write what this config wants. A part of a config is added to what the whole wants."""
    plan.store.mkdir(parents=True, exist_ok=True)
    place = plan.store / name_of(plan, configs)
    wanted = {str(each.path.relative_to(plan.store)) for each in expected.values()}
    try:
        before, earlier = read_list(place)
    except (FileNotFoundError, Refused):
        before, earlier = set(), set()
    if not plan.is_whole:
        wanted |= before
    earlier = {path for path in (earlier | before) - wanted if _has_left(plan.store / path)}
    lines = [*sorted(wanted), *(f"{EARLIER}{path}" for path in sorted(earlier))]
    text = "".join(f"{line}\n" for line in lines).encode()
    new = place.with_name(f".{place.name}.{os.getpid()}")
    new.write_bytes(f"{_digest(text)}\n".encode() + text)
    new.replace(place)


def name_of(plan: Plan, configs: Sequence[Path]) -> str:
    """Return the name of the list of a config: `all` for the default config next to the store."""
    home = plan.store.resolve().parent
    places = [os.path.relpath(os.path.realpath(path), home) for path in (plan.results, *configs)]
    if places == [".", f"../{USUAL}"]:
        return f"all{WANTED}"
    run = "-".join(Path(plan.results).relative_to(plan.store.parent).parts) or "all"
    return f"{run}-{short_hash(json.dumps(places))}{WANTED}"


def read_list(path: Path) -> tuple[set[str], set[str]]:
    """Return the places below the store of what a config wants, and of what it wanted earlier.
    Raises Refused for a list that is not whole."""
    stated, _, text = path.read_bytes().partition(b"\n")
    if stated.decode(errors="replace") != _digest(text):
        raise Refused(
            f"{path}: is not whole, or of an earlier release: run its config again, or delete this"
            " list if you have done so or have given up its config"
        )
    lines = text.decode().splitlines()
    earlier = {line.removeprefix(EARLIER) for line in lines if line.startswith(EARLIER)}
    return {line for line in lines if not line.startswith(EARLIER)}, earlier


def _has_left(path: Path) -> bool:
    """Return True if a file of the store is there, or what a killed job has made of it."""
    return path.exists() or (path.parent / PARTS).exists()


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]
