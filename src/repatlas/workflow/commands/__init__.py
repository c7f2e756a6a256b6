"""The commands that a user starts, and what they share. They start no Snakemake.

They are about the results of a config, or about what Snakemake would make for a figure or a study.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.record import Refused
from repatlas.runs import Wanted
from repatlas.workflow import store
from repatlas.workflow.config import plan_of, read, unknown
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.stages.prepare import data_of_seed
from repatlas.workflow.stages.train import identity_of


def asked(name: str, about: str, arguments: Sequence[str]) -> tuple[Plan, list[Result]]:
    """Return the plan of a config, and the results that are asked for, each after its inputs.
    about: the docstring of the command. Raises Refused."""
    parser = argparse.ArgumentParser(f"repatlas {name}", description=about.splitlines()[0])
    text = "your config, and files that override its values; default: config.yaml"
    parser.add_argument("configs", nargs="*", type=Path, help=text)
    parser.add_argument("--preview", action="store_true", help="of the preview")
    parser.add_argument("--figure", metavar="STUDY/NAME", help="one figure, or one sweep")
    parser.add_argument("--study", help="one study")
    options = parser.parse_args(arguments)
    config = read(options.configs, {"preview": True} if options.preview else {})
    plan = plan_of(config)
    target = options.figure or options.study
    targets = plan.targets()
    if target is not None and target not in targets:
        raise Refused(unknown(target, plan, config["file"]))
    return plan, with_inputs(plan, targets[target or "all"])


def with_inputs(plan: Plan, names: Sequence[str] | dict[str, Any]) -> list[Result]:
    """Return the results with these names and all that come before them, each after its inputs."""
    waiting, found = [plan.results[name] for name in names], set()
    while waiting:
        if (each := waiting.pop()) not in found:
            found.add(each)
            waiting += [*chain(*each.inputs.values()), *each.after]
    return [each for each in dict.fromkeys(plan.results.values()) if each in found]


def is_there(plan: Plan, result: Result) -> bool:
    return all(store.is_there(plan.version(name)) for name in result.names)


class Network(NamedTuple):
    """A network that a list of networks must have."""

    key: str
    seed: int
    wanted: Wanted
    folder: Path
    """The folder of its checkpoint files"""
    identity: str | None
    """None as long as its data are not there"""


def networks_of(plan: Plan, result: Result) -> Iterator[Network]:
    """Yield the networks that a list of networks must have."""
    group, (of_data,), arrays = result.what, result.inputs["data"], None
    with suppress(Unreadable):  # a look renames nothing
        arrays = Arrays(plan.version(of_data.names[0]), "data") if is_there(plan, of_data) else None
    for seed in group.seeds:
        data = arrays and data_of_seed(arrays, seed)
        for key, run in group.networks(seed).items():
            folder = Path(plan.store, store.NETWORKS, group.experiment, run.spec.family)
            identity = identity_of(plan, run.spec, seed, data) if data else None
            yield Network(key, seed, run, folder / f"seed-{seed}", identity)


def stored_in(folder: Path) -> dict[str, list[store.Stored]]:
    """Return the networks of the checkpoint files in a folder, by their identities. Damaged files
    stay where they are."""
    found: dict[str, list[store.Stored]] = {}
    for path in sorted(folder.glob("[0-9a-f]*.safetensors")):
        try:
            runs = Arrays(path, store.NETWORKS).header["runs"]
        except (FileNotFoundError, Unreadable):
            continue
        for name, about in runs.items():
            found.setdefault(name, []).append(store.Stored(about, path))
    return found
