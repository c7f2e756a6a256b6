"""The identity of a network: everything that determines it, but for the seed."""

import hashlib
import json

from pydantic import BaseModel, model_validator
from pydantic_core import PydanticCustomError

from repatlas.experiments.clusters.tasks import AnyTask
from repatlas.experiments.clusters.training import Training
from repatlas.networks.mlp import READOUT_GROUPS, Network
from repatlas.record import Record

SPEC_VERSION = 1
"""Part of every key: raise it when the default of a hyper-parameter changes its meaning."""


class Spec(Record):
    """Task, network and training. A run is a spec with a seed; a checkpoint is a run at a step.

    The number of steps is not part of it: training has no schedule, so a network at step 200 is
    the same whether training stops there or goes on.
    """

    task: AnyTask
    network: Network
    training: Training = Training()

    @model_validator(mode="after")
    def _has_a_readout(self):
        readout, targets, width = self.network.readout, self.task.targets, self.network.width
        if targets != {"binary": 1, "groups": 2}.get(readout, targets):
            raise PydanticCustomError(
                "readout",
                "network.readout: found {readout} for {targets} targets, allowed: normal, trained",
                {"readout": repr(readout), "targets": targets},
            )
        if readout == "groups" and width % len(READOUT_GROUPS):
            raise PydanticCustomError(
                "width",
                "network.width: found {width}, allowed: multiples of 8 with readout 'groups'",
                {"width": width},
            )
        return self

    @property
    def key(self) -> str:
        """12 hexadecimal digits, from the non-default values alone: a new hyper-parameter with a
        neutral default changes no key."""
        return short_hash(canonical(self))

    @property
    def family(self) -> str:
        """Networks of one family share a task generator and all tensor shapes: one job trains
        them together. A readable name that ends in a hash of what it doesn't spell out."""
        task, network, training = self.task, self.network, self.training
        shapes = [task.clusters, training.samples, training.batch]
        name = f"{task.kind}-n{task.inputs}-h{network.width}"
        if (task.targets, network.depth) != (1, 1):
            shapes += [task.targets, network.depth]
            name += f"-p{task.clusters}-k{task.targets}-l{network.depth}"
        return f"{name}-{short_hash(json.dumps(shapes), digits=6)}"

    @property
    def products_per_step(self) -> int:
        """Of all layers, forward: what the time of a training step goes with."""
        width, depth = self.network.width, self.network.depth
        weights = width * (self.task.inputs + (depth - 1) * width + self.task.targets)
        return weights * self.training.batch


def geometry_key(task) -> str:
    """The key of a task's centres and labels, which the noise around them doesn't change."""
    return short_hash(canonical(task, exclude={"noise_variance"}))


def canonical(record: BaseModel, exclude: set[str] | None = None) -> str:
    """The one JSON text of a record: sorted keys, no default values, no spaces."""
    values = record.model_dump(mode="json", exclude_defaults=True, exclude=exclude)
    return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)


def short_hash(text: str, digits: int = 12) -> str:
    return hashlib.sha256(f"{SPEC_VERSION} {text}".encode()).hexdigest()[:digits]
