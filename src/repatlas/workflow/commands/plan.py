"""plan: what a run would make: jobs, networks and core-minutes, of each study and stage.

A network counts once, where it is trained longest. Core-minutes are what networks of its kind took
on a core of an AMD EPYC: networks of another size, or a GPU, take another time. They are less where
an earlier version of a file has some of the rows.
"""

import math
from functools import cache
from pathlib import Path

from repatlas.workflow import store
from repatlas.workflow.commands import Network, asked, is_there, networks_of, stored_in
from repatlas.workflow.plan import Plan, Result
from repatlas.workflow.seconds import kind_of, seconds_of

LINE = "{:14}{:18}{:>6}{:>10}{:>14}"


def main(arguments: list[str]) -> None:
    plan, results = asked("plan", __doc__, arguments)
    left, unknown = _Left(plan), set()
    made = [each for each in results if not is_there(plan, each)]
    lines = {(_study(plan, each), each.stage): [] for each in made}
    for result in sorted(made, key=left.longest, reverse=True):
        networks = left.networks(result)
        seconds = seconds_of(result, [each.wanted for each in networks])
        if math.isnan(seconds):
            unknown |= {kind_of(each.wanted.spec) for each in networks} or {result.stage}
        lines[_study(plan, result), result.stage].append(
            (len(networks), 0 if math.isnan(seconds) else seconds)
        )
    print(LINE.format("study", "stage", "jobs", "networks", "core-minutes"))
    for (study, stage), jobs in sorted(lines.items(), key=lambda line: line[0][0]):
        networks, seconds = map(sum, zip(*jobs, strict=True))
        print(LINE.format(study, stage, len(jobs), networks or "", f"{seconds / 60:.1f}"))
    jobs = [each for of in lines.values() for each in of]
    networks = sum(each[0] for (_, stage), of in lines.items() for each in of if stage == "train")
    print(LINE.format("in all", "", len(jobs), networks, f"{sum(s for _, s in jobs) / 60:.1f}"))
    if unknown:
        print(f"not in these minutes, since never measured: {', '.join(sorted(unknown))}")


def _study(plan: Plan, result: Result) -> str:
    return next((s for s in plan.studies if s in Path(result.names[0]).parts[:2]), "all")


class _Left:
    """The networks that are left to train, and to measure, each counted once."""

    def __init__(self, plan: Plan):
        self.plan, self.stored, self.counted = plan, cache(stored_in), set()

    def longest(self, result: Result) -> int:
        """Return the last step of the networks of a result; 0 where it has none."""
        if result.stage not in ("train", "measure"):
            return 0
        return max((of.wanted.steps[-1] for of in networks_of(self.plan, result)), default=0)

    def networks(self, result: Result) -> list[Network]:
        """Return the networks that are left for the job of a result."""
        if result.stage not in ("train", "measure"):
            return []
        found = []
        for each in networks_of(self.plan, result):
            of = result.stage, each.folder, each.key
            if of not in self.counted and not (result.stage == "train" and self._is_trained(each)):
                found.append(each)
            self.counted.add(of)
        return found

    def _is_trained(self, network: Network) -> bool:
        steps = network.wanted.steps
        stored = self.stored(network.folder).get(network.identity, [])
        found = store.longest(stored, steps)
        return found is not None and found.is_finished(steps)
