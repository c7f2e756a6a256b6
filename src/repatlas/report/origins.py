"""The origins of results, by what their files say of themselves."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts import layout
from repatlas.artifacts.recipes.networks import trains
from repatlas.operations.expected import Expected, expected_files
from repatlas.operations.freshness import job_of, stated, upstream
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan


class Stage(NamedTuple):
    name: str
    codes: list[str]
    """The fingerprints in its files; there are several if each figure has a separate module."""
    accepted: bool
    """Whether the config accepts results of other code than there is now."""


class Origins(NamedTuple):
    stages: list[Stage]
    """The stages, in the order of the workflow"""
    networks: int
    """How many networks the figures and the sweeps without one need"""
    devices: dict[str, int]
    """How many of them were trained on which"""
    versions: list[tuple[str, dict[str, int]]]
    """How many of them were trained with which version of each package"""


def origins(plan: Plan, study: str) -> Origins:
    """Return the origins of the files behind the figures and sweeps of a study."""
    products = [product for product in plan.products if product.study == study]
    files = [path for product in products for path in plan.files(product)]
    files += [path for page in plan.overviews(study) for path in plan.pictures(page)]
    every = expected_files(plan)
    expected = upstream(every, files)
    headers = {path: stated(wanted.path, wanted.stage) for path, wanted in expected.items()}
    stages = [
        _stage(plan, name, {path: w for path, w in expected.items() if w.stage == name}, headers)
        for name in dict.fromkeys(wanted.stage for wanted in expected.values())
    ]
    needed = set().union(*map(plan.networks, products))
    trained = [
        headers[_file_of(plan, shard)]["runs"][key]
        for shard, key in needed
        if trains(shard.experiment)
    ]
    packages = dict.fromkeys(name for about in trained for name in about["versions"])
    return Origins(
        stages,
        len(needed),
        _counted(about["device"] for about in trained),
        [(name, _counted(a["versions"][name] for a in trained)) for name in sorted(packages)],
    )


def _file_of(plan: Plan, shard: Shard) -> Path:
    return Path(plan.results) / layout.RUNS.format(**shard.place)


def _stage(plan: Plan, name: str, files: dict[Path, Expected], headers: dict[Path, dict]) -> Stage:
    now = {job_of(wanted).with_code({}).code for wanted in files.values()}
    codes = sorted({headers[path]["job"]["code"] for path in files})
    return Stage(name, codes, not now.issuperset(codes))


def _counted(values: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(value or "not installed" for value in values)
    return dict(counts.most_common())
