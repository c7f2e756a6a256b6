"""Networks in their checkpoint files, and the arrays of users, by their identities."""

from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.named import named
from repatlas.runs import Parameters, run_arrays
from repatlas.workflow import code
from repatlas.workflow.results import read_json
from repatlas.workflow.stages import Job
from repatlas.workflow.store import NETWORKS, set_aside


class Network:
    """A network in its checkpoint file; of a user's array, its identity alone."""

    def __init__(self, identity: str, file: Arrays | None = None):
        self.identity, self.file = identity, file
        self.about = file.header["runs"][identity] if file else {"steps": [0]}

    @cached_property
    def _arrays(self) -> dict[str, np.ndarray]:
        return run_arrays(self.file, self.identity)

    def at(self, step: int) -> Parameters | None:
        """Return its parameters at a step."""
        if self.file is None:
            return None
        index = self.about["steps"].index(step)
        return Parameters(self.file, self.identity, self._arrays, index)

    def end(self, name: str, last: int) -> int | None:
        """Return the step at which it diverged or converged, if that is not after the last."""
        step = self.about.get(f"{name}_step")
        return step if step is not None and step <= last else None


def array_as_network(spec: Any, data: Any) -> Network:
    """Return what stands for a user's array. Its identity has the digest of its content, and not
    its path."""
    prepare = named(f"experiments.{spec.experiment}", "prepare")
    return Network(code.key("array", spec.key, prepare.basis(spec, data.header)))


def trained(job: Job) -> Callable[[str, int], Network]:
    """Return a function that opens a network of the job's lists, by its key and seed."""
    listed = {}
    for path in job.inputs("runs"):
        for name, about in read_json(path)["content"]["networks"].items():
            listed[name] = path, about

    @cache
    def opened(path: Path, place: str) -> Arrays:
        file = job.plan.store / place
        try:
            return Arrays(file, NETWORKS)
        except (FileNotFoundError, Unreadable) as error:
            # Without it the list is of no use, and the next run trains what is gone.
            gone = f"{error}; {set_aside(file)}; " if file.exists() else f"{file}: is gone; "
            raise Unreadable(path, f"{gone}so this list of networks is out of date") from None

    def network(key: str, seed: int) -> Network:
        path, about = listed[f"{key}/{seed}"]
        file = opened(path, about["file"])
        if about["identity"] not in file.header["runs"]:
            lacks = f"{file.path} has another network than {key} of seed {seed}"
            raise Unreadable(path, f"{lacks}, so this list of networks is out of date")
        return Network(about["identity"], file)

    return network
