"""Several seeds of a family in one job, for a cluster, where a job's own start takes its time.

Snakemake knows the first seed of each batch, and its files, alone: a million networks are some
hundred jobs to it. The job makes the files of the other seeds before those of the first, so that
these are there when all are. Which seeds are together changes no file and no identity: the same
results serve every profile.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from repatlas.artifacts import layout
from repatlas.artifacts.jobs import THEN, trains
from repatlas.operations.allocation import units_of
from repatlas.operations.costs import shipped
from repatlas.operations.expected import Expected
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan

MINUTES = "REPATLAS_JOB_MINUTES"
"""The environment variable that tells the jobs on a cluster how long a job should take."""
OF_SHARDS = ("prepare", "train", "measure")
"""The stages whose jobs may hold several seeds."""


def job_minutes(wanted: float, main_process: bool) -> float:
    """How long a job should take, as the main process wants it; its jobs, which run the Snakefile
    again and have to find the same batches, have it from their environment."""
    if main_process:
        os.environ[MINUTES] = str(wanted)
    return float(os.environ.get(MINUTES, 0))


class Batches:
    """Which shards are made together.

    minutes: the time that a job takes at most, unless one seed takes more, by the cost model that
    comes with the experiments: one that is fitted to the jobs so far would cut other batches each
    time. At 0 each shard is a job of its own.
    """

    def __init__(self, plan: Plan, expected: Mapping[Path, Expected], minutes: float):
        self._plan, self._expected, self.minutes = plan, expected, minutes
        self._seeds: dict[tuple[str, str], int] = {}
        """How many are together, of each family"""
        self._others: dict[Shard, list[Shard]] = {}
        self._files: dict[Path, Path] = {}
        self._number: dict[Path, int] = {}
        self._of_data: dict[tuple[str, str], Shard] = {}
        for shard in plan.shards if minutes else ():
            first = self.first(shard)
            for path, known in zip(self._of(shard), self._of(first), strict=True):
                self._files[path] = known
                self._number[known] = self._number.get(known, 0) + 1
            if first != shard:
                self._others.setdefault(first, []).append(shard)
            elif plan.data[plan.data_place(shard)].seed is not None:
                self._of_data[plan.data_place(shard)] = shard

    def first(self, shard: Shard) -> Shard:
        """Return the shard whose job makes this one."""
        seeds = self._of_family(shard)
        return shard._replace(seed=shard.seed // seeds * seeds)

    def firsts(self, shards: Iterable[Shard]) -> list[Shard]:
        """Return the shards whose jobs make these, each once."""
        return list(dict.fromkeys(map(self.first, shards)))

    def others(self, first: Shard) -> list[Shard]:
        """Return the other shards that the job of this shard makes."""
        return self._others.get(first, [])

    def shard_of_data(self, experiment: str, data: str) -> Shard | None:
        """Return the shard with these data; None if several seeds share them."""
        return self._of_data.get((experiment, data))

    def seeds(self, path: Path) -> int:
        """Return how many seeds the job of a file makes."""
        return self._number.get(path, 1)

    def arguments(self, stage: str, first: Shard | None, options: list[str]) -> list[str]:
        """Return the arguments that tell a stage's command to make the other seeds of a job.
        options: the options that all seeds share."""
        others = self.others(first) if first else []
        return [word for s in others for word in (*self._arguments(stage, s), *options, THEN)]

    def _arguments(self, stage: str, shard: Shard) -> list[str]:
        experiment, place = self._plan.data_place(shard)
        data = self._path(layout.DATA, {"experiment": experiment, "data": place})
        runs, metrics = (self._path(p, shard.place) for p in (layout.RUNS, layout.METRICS))
        made = {"prepare": data, "train": runs, "measure": metrics}[stage]
        wanted = self._expected[made]
        words = ["--job", wanted.job, "--identity", wanted.identity, "--output", str(made)]
        if stage == "prepare":
            return [*words, "--source", json.dumps(self._plan.source(experiment, place))]
        words += ["--data", str(data), "--twin", str(self._twin(made))]
        if stage == "measure":
            words += ["--runs", *([str(runs)] if runs in self._expected else [])]
        return words

    def _path(self, place: str, names: dict) -> Path:
        return Path(self._plan.results, place.format(**names))

    def _twin(self, path: Path) -> Path:
        return Path(self._plan.twin, path.relative_to(self._plan.results))

    def file(self, path: Path) -> Path:
        """Return the file that Snakemake knows of the job that makes this one."""
        return self._files.get(path, path)

    def unknown(self, wrong: set[Path]) -> set[Path]:
        """Return the files that must be recomputed but that Snakemake does not know. A file that
        is wrong (missing, or not what it should be) is recomputed, as in Snakemake, only if
        something needs it: a target, or a file that is itself recomputed."""
        used = {source for wanted in self._expected.values() for source in wanted.inputs}
        needed = {
            path
            for path, wanted in self._expected.items()
            if path not in used or wanted.stage not in OF_SHARDS
        }
        found = set()
        for path in reversed(list(self._expected)):
            if path in wrong and path in needed:
                needed.update(self._expected[path].inputs)
                if self.file(path) != path:
                    found.add(path)
        return found

    def _of_family(self, shard: Shard) -> int:
        family = shard.experiment, shard.family
        if not self.minutes:
            return 1
        if family not in self._seeds:
            longest = max(self._cost(stage, shard) for stage in OF_SHARDS[1:])
            self._seeds[family] = max(int(60 * self.minutes / longest), 1)
        return self._seeds[family]

    def _cost(self, stage: str, shard: Shard) -> float:
        """Return the seconds that another seed adds to a job."""
        if stage == "train" and not trains(shard.experiment):
            return 0.0
        place = layout.RUNS if stage == "train" else layout.METRICS
        text = self._expected[self._path(place, shard.place)].job
        return shipped(shard.experiment, stage).per_unit * units_of(stage, text)

    def _of(self, shard: Shard) -> list[Path]:
        """Return only the files of a shard."""
        experiment, data = self._plan.data_place(shard)
        found = [self._path(layout.METRICS, shard.place)]
        if trains(experiment):
            found.append(self._path(layout.RUNS, shard.place))
        if self._plan.data[experiment, data].seed is not None:
            found.append(self._path(layout.DATA, {"experiment": experiment, "data": data}))
        return found
