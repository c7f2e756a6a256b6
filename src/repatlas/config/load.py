"""The files of a config: config.yaml or a file of yours, the files of the studies that it names,
and files that override these."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from repatlas.config.config import ConfigError, by_study
from repatlas.config.file import read_values, results_of
from repatlas.config.sweeps import merged
from repatlas.named import names


class Loaded(NamedTuple):
    folder: str
    """The folder of the results"""
    values: dict[str, Any]
    file: str
    """The names of the files with the shared settings"""
    files: dict[str, str]
    """The names of the files with the values of each study, if these are separate files"""


def load(chosen: Sequence[Path]) -> Loaded:
    """Return the values of the config. `chosen` are the absolute paths from the command line. Later
    files override the first, key by key. Lists are replaced as a whole, except comparisons, which
    are replaced by name. Raises Refused."""
    folder, first = results_of(chosen)
    values, more, files = read_values(first), chosen[1:], {}
    if "studies" in values:
        values, files = _with_studies(values, first)
    values = by_study(values, first.name)
    over = [path.name for path in more]
    for path in more:
        values = _laid_over(values, by_study(read_values(path), path.name))
    together = {study: " with ".join([file, *over]) for study, file in files.items()}
    name = " with ".join([first.name, *over])
    return Loaded(folder, values, name, together)


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """Return the values of one file, merged into the values of earlier files. Comparisons of the
    same name are replaced, and others are added."""
    values = merged(below, above)
    for name, study in above.get("studies", {}).items():
        of_both = [each.get("compare") for each in (below.get("studies", {}).get(name, {}), study)]
        # What is no list of comparisons is refused as it stands.
        if all(isinstance(each, list) and all(map(_is_named, each)) for each in of_both):
            known, new = ({_name(each): each for each in of_one} for of_one in of_both)
            values["studies"][name]["compare"] = [*(known | new).values()]
    return values


def _is_named(comparison: Any) -> bool:
    return isinstance(comparison, dict) and isinstance(comparison.get("between"), list)


def _name(comparison: dict[str, Any]) -> str:
    return str(comparison.get("name") or "-".join(map(str, comparison["between"])))


def _with_studies(values: dict[str, Any], file: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values, with the values of each study from its file, in the folder `config` next
    to this file."""
    found = values["studies"]
    if (
        not isinstance(found, list)
        or not found
        or not set(map(str, found)) <= set(names("studies"))
    ):
        allowed = ", ".join(names("studies"))
        raise ConfigError(f"{file.name}: studies: found {found!r}, allowed: a list of {allowed}")
    files = {study: Path("config", f"{study}.yaml") for study in found}
    studies = {}
    for study, path in files.items():
        own = by_study(read_values(file.parent / path), str(path))
        if extra := sorted(own.keys() - {"studies"}):
            raise ConfigError(
                f"{path}: found {extra[0]!r}, which all studies share: move it to {file}"
            )
        [(name, of_study)] = own["studies"].items()
        if name != study:
            raise ConfigError(f"{path}: study: found {name!r}, allowed: {study}")
        studies[study] = of_study
    return values | {"studies": studies}, {study: str(path) for study, path in files.items()}
