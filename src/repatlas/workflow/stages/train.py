"""Trains the networks of a group that no checkpoint file has yet.

The result lists the networks with their checkpoint files. A job that is killed has stored what it
trained, except in the last seconds. The next job continues from there.
"""

import time
from collections.abc import Iterable, Iterator
from random import SystemRandom
from typing import Any

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.named import named, only
from repatlas.networks.devices import chosen_device
from repatlas.record import canonical
from repatlas.runs import Run, Wanted
from repatlas.workflow import code, scopes
from repatlas.workflow.plan import Plan
from repatlas.workflow.results import write_json
from repatlas.workflow.stages import Job, log
from repatlas.workflow.stages.prepare import data_of_seed
from repatlas.workflow.store import Networks, set_aside

TOGETHER = {"images": 1}
"""Networks after which a job looks again at what others have stored; TOGETHER_ELSE otherwise."""
TOGETHER_ELSE = 64


def make(job: Job) -> None:
    """Train what is missing, and write which file has which network."""
    group = job.what
    job.declare(*scopes.training(group.experiment), *group.modules())
    (path,) = job.inputs("data")
    arrays = Arrays(path, "data")
    found = dict.fromkeys(f"{key}/{seed}" for seed in group.seeds for key in group.networks(seed))
    for seed in _in_any_order(group.seeds):
        data = data_of_seed(arrays, seed)
        families: dict[str, dict[str, Wanted]] = {}
        for key, run in group.networks(seed).items():
            families.setdefault(run.spec.family, {})[key] = run
        extra = job.plan.extra_steps(group, seed)
        for family, wanted in _in_any_order(families.items()):
            networks = Networks(job.plan.store, group.experiment, family, f"seed-{seed}")
            _OfFamily(job, networks, wanted, data, seed).train(extra)
            found |= _listed(job, networks, wanted, data, seed)
    write_json(job.output(".json"), job.header, {"networks": found})


def _in_any_order(values: Iterable) -> list:
    """Return values in random order, so that two jobs share a list."""
    return SystemRandom().sample([*values], len([*values]))


def identity_of(plan: Plan, spec: Any, seed: int, data: Any) -> str:
    """Return the identity of a network: of all that it depends on."""
    own = {n: d for n, d in data.header["digests"].items() if n.startswith(f"{spec.data}/")}
    by = plan.code(*scopes.training(spec.experiment), *spec.modules())
    return code.key("network", spec.experiment, canonical(spec), seed, by, own)


class _OfFamily:
    """The networks of a family and a seed."""

    def __init__(self, job: Job, networks: Networks, wanted: dict[str, Wanted], data, seed: int):
        self.job, self.networks, self.wanted = job, networks, wanted
        self.data, self.seed = data, seed
        plan = job.plan
        self.names = {key: identity_of(plan, run.spec, seed, data) for key, run in wanted.items()}
        self.unsaved: dict[str, Run] = {}

    def train(self, extra: dict[str, list[int]]) -> None:
        """Train the networks that are not finished, some at a time, and store them."""
        said = self._left()
        begun = sum(
            self.networks.find(self.names[k], run.steps) is not None for k, run in said.items()
        )
        more = f" ({begun} begun)" if begun else ""
        log(f"{len(self.wanted)} networks of seed {self.seed}: {len(said)} to train{more}")
        experiment = self.job.what.experiment
        size = TOGETHER.get(experiment, TOGETHER_ELSE)
        trainer = named(f"experiments.{experiment}", "train")
        device = chosen_device(self.job.device) if trainer.USES_TORCH else "cpu"
        keys = [*said]
        for first in _in_any_order(range(0, len(keys), size)):
            for line in self.networks.look():
                log(line)
            left = {k: run for k, run in self._left().items() if k in keys[first : first + size]}
            missing = {
                key: run._replace(steps=sorted({*run.steps, *extra.get(key, [])}), measures={})
                for key, run in left.items()
            }
            begun = {k: run for k, wanted in missing.items() if (run := self._begun(k, wanted))}
            # Another job has trained these, but may remove its file.
            for key in [k for k, run in begun.items() if {*left[k].steps} <= {*run.about["steps"]}]:
                self.unsaved[self.names[key]] = begun.pop(key)
                del missing[key]
            saved = time.perf_counter()
            found = trainer.train(missing, begun, self.data, self.seed, device, log)
            for runs in self._within(missing, found) if missing else ():
                self.unsaved |= {self.names[key]: run for key, run in runs.items()}
                if time.perf_counter() - saved > self.job.flush_seconds:
                    self._save(missing)
                    saved = time.perf_counter()
            self._save(missing)

    def _within(self, missing: dict[str, Wanted], found: Iterator) -> Iterator[dict[str, Run]]:
        """Yield what training yields, which may load only what these networks declare."""
        own = sorted({module for run in missing.values() for module in run.spec.modules()})
        declared = code.digests(*scopes.training(self.job.what.experiment), *own)
        while True:
            with only(declared):
                runs = next(found, None)
            if runs is None:
                return
            yield runs

    def _left(self) -> dict[str, Wanted]:
        return {
            key: run
            for key, run in self.wanted.items()
            if not (found := self.networks.find(self.names[key], run.steps))
            or not found.is_finished(run.steps)
            or found.at_work
        }

    def _begun(self, key: str, run: Wanted) -> Run | None:
        found = self.networks.find(self.names[key], run.steps)
        if found is None:
            return None
        try:
            return self.networks.read(self.names[key], found)
        except Unreadable as error:
            log(f"{error}; {set_aside(error.path)}")
            return None

    def _save(self, missing: dict[str, Wanted]) -> None:
        if self.unsaved:
            self.job.code.check()
            last = {self.names[key]: run.steps[-1] for key, run in missing.items()}
            at_work = {n for n, run in self.unsaved.items() if run.last_step < last.get(n, 0)}
            self.networks.write(self.unsaved, at_work)
            self.unsaved = {}


def _listed(job: Job, networks: Networks, wanted: dict, data, seed: int) -> dict[str, Any]:
    """Return where each network is."""
    found = {}
    for key, run in wanted.items():
        name = identity_of(job.plan, run.spec, seed, data)
        stored = networks.find(name, run.steps)
        place = stored.path.relative_to(job.plan.store).as_posix()
        found[f"{key}/{seed}"] = {"identity": name, "file": place}
    return found
