"""What the workflow requests from SLURM itself, in addition to Snakemake's plugin."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

LOOK_SECONDS = 10
"""Seconds between two looks at the queue: a cluster's controller has others to serve."""


class Job(NamedTuple):
    """A job in the queue."""

    number: str
    state: str
    name: str
    folder: str
    comment: str
    """The rule and its wildcards, as Snakemake writes them"""

    def __str__(self) -> str:
        return f"{self.number} ({self.state}, {self.comment})"


def await_jobs_of(prefix: str, say: Callable[[str], None]) -> bool:
    """Wait for jobs of an earlier workflow from this folder that are still in the queue. Their
    names start with `prefix`. Return True if there were any.

    They are waited for rather than cancelled, since they keep what they have trained and their
    place in the queue.
    """
    jobs = jobs_of(prefix, say)
    if not jobs:
        return False
    numbers = {job.number for job in jobs}
    say(
        f"An earlier workflow left jobs on the cluster: {', '.join(map(str, jobs))}. Waiting for"
        " them to end, so that nothing is trained twice. To go on without them:"
        f" scancel {' '.join(sorted(numbers))}"
    )
    while numbers & {job.number for job in jobs_of(prefix, say)}:
        time.sleep(LOOK_SECONDS)
    return True


def jobs_of(prefix: str, say: Callable[[str], None]) -> list[Job]:
    words = ["squeue", "--me", "--noheader", "--format=%i|%T|%j|%Z|%k"]
    while (found := subprocess.run(words, capture_output=True, text=True)).returncode:
        # For example, slurmctld restarts. Jobs may be in its queue, so wait until it answers.
        say(f"squeue: {found.stderr.strip()}; asking again")
        time.sleep(LOOK_SECONDS)
    jobs = [Job(*line.split("|", 4)) for line in found.stdout.splitlines()]
    return [j for j in jobs if j.name.startswith(prefix) and j.folder == str(Path.cwd())]


def disable_sacct_if_unavailable() -> None:
    """Stop the plugin (2.8.0) from asking a database that does not exist. While slurmctld doesn't
    answer, it asks sacct even if told to use squeue. Without a database it then forgets its jobs,
    and the workflow waits for ever.
    """
    if subprocess.run("sacct --noheader --name=none", shell=True, capture_output=True).returncode:
        # Needed on a cluster alone.
        import snakemake_executor_plugin_slurm as plugin

        ask = plugin.is_query_tool_available
        plugin.is_query_tool_available = lambda tool: tool != "sacct" and ask(tool)
