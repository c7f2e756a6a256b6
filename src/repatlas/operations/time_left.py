"""The time that a run still takes, by the cost model and by how the jobs so far kept to it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from repatlas.operations.allocation import seconds_of
from repatlas.operations.costs import fitted

TRUSTED = 60.0
"""Seconds of finished jobs after which these count as much as the cost model does."""


class TimeLeft:
    """The seconds until all jobs of a run have ended, as jobs start and end.

    A job that is not finished counts with the seconds that the model expects, times how much longer
    than expected the finished ones took, less what it has run already. One that has run longer than
    that is taken to run on for as long as it is late. What is left is shared among
    `workers`, the jobs that run at a time, and is never less than the longest job alone.
    """

    def __init__(self, expected: dict[str, float], workers: int, clock: Callable[[], float]):
        """Start the estimate. expected: seconds of each job, by a name of it."""
        self._expected, self._workers, self._clock = expected, workers, clock
        self._left = set(expected)
        self._started: dict[str, float] = {}
        self._took, self._should_have = TRUSTED, TRUSTED

    def start(self, job: str) -> None:
        """Record that a job has started, or a second attempt at it."""
        self._started[job] = self._clock()

    def end(self, job: str) -> float:
        """Record that a job has ended, and return the seconds that it took."""
        seconds = self._clock() - self._started.pop(job, self._clock())
        if job in self._left:
            self._left.remove(job)
            self._took += seconds
            self._should_have += self._expected[job]
        return seconds

    def seconds(self) -> float:
        """Return the seconds until the last job ends; 0 when all have."""
        now, slower = self._clock(), self._took / self._should_have
        left = [
            abs(self._expected[job] * slower - (now - self._started.get(job, now)))
            for job in self._left
        ]
        return max([sum(left) / max(min(self._workers, len(left)), 1), *left], default=0.0)


def expected_seconds(
    jobs: dict[str, tuple[str, str, int]], folders: list[Path]
) -> dict[str, float]:
    """Return the seconds that jobs are expected to take, from the size of what they make.

    jobs: the stage, the text and the number of seeds of each job, by a name of it. folders: the
    results whose earlier jobs the cost model is fitted to. Each job counts as a whole, even if its
    file has a part of the networks. `TimeLeft` corrects the estimate with the first jobs that end.
    """
    model = cache(lambda experiment, stage: fitted(folders, experiment, stage))
    return {name: seconds_of(*job, cost=model) for name, job in jobs.items()}
