"""Environments for tests with some of the packages that the tests' own environment has."""

from email.parser import Parser
from importlib.metadata import distribution
from zipfile import ZipFile

from packaging.requirements import Requirement


def required(wheel, extra):
    """The names of the packages that a wheel says it needs, with an extra."""
    with ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith(".dist-info/METADATA"))
        lines = Parser().parsestr(file.read(name).decode()).get_all("Requires-Dist")
    return [each.name for each in map(Requirement, lines) if in_use(each, extra)]


def in_use(requirement, extra=""):
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def closure(names):
    """These packages and all that they need, as the tests' environment has them."""
    found = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower()
        if name not in found:
            found.add(name)
            lines = map(Requirement, distribution(name).requires or ())
            waiting += [each.name for each in lines if in_use(each)]
    return found


def link(names, folder):
    """Put these packages into a folder of packages, without copying them."""
    for needed in map(distribution, names):
        for part in {file.parts[0] for file in needed.files} - {"..", "__pycache__"}:
            (folder / part).symlink_to(needed.locate_file(part))
