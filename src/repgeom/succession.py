"""What a workflow finds of one before it that died: its claim, and its jobs on the cluster."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from filelock import SoftFileLease, Timeout

from repgeom.locks import LEASE_SECONDS, claim

LOOK_SECONDS = 10
"""Between two looks at the queue: a cluster's controller has others to serve."""


class Job(NamedTuple):
    """A job in the cluster's queue."""

    number: str
    state: str
    name: str
    folder: str
    comment: str
    """Which rule, and of what: from Snakemake"""


def succeed(results: Path, jobs_of: str | None, say: Callable[[str], None]) -> None:
    """Claim the results folder; then wait for the jobs whose names start with `jobs_of`, that an
    earlier workflow sent from this folder and that are still in the queue, and start again.

    They are waited for rather than cancelled, since they keep what they have trained and their
    place in the queue; and the command starts again, since the plan was made without what they
    have made meanwhile. Raises RuntimeError if another workflow is at work in the folder.
    """
    claim_after_the_dead(results, say)
    if jobs_of and (jobs := left_behind(jobs_of)):
        say(
            f"An earlier workflow left {len(jobs)} jobs on the cluster:"
            f" {', '.join(f'{job.number} ({job.state}, {job.comment})' for job in jobs)}."
            " Waiting for them to end, so that nothing is trained twice; to start without them:"
            f" scancel {' '.join(job.number for job in jobs)}"
        )
        numbers = {job.number for job in jobs}
        while numbers & {job.number for job in left_behind(jobs_of)}:
            time.sleep(LOOK_SECONDS)
        say("They have ended: planning again with what they made.")
        start_again(results)


def claim_after_the_dead(results: Path, say: Callable[[str], None]) -> None:
    """As `claim`, but an owner on another machine gets the time to show whether it lives."""
    try:
        claim(results)
    except RuntimeError:
        lock = SoftFileLease(results / "workflow.lock", lease_duration=LEASE_SECONDS)
        machine = lock.owner.hostname.split("?")[0] if lock.owner else socket.gethostname()
        if machine == socket.gethostname():
            raise
        say(f"A workflow on {machine} had claimed {results}: looking whether it is alive")
        try:
            lock.acquire(timeout=LEASE_SECONDS + 5)
        except Timeout:
            raise RuntimeError(
                f"another workflow ({machine}, process {lock.pid}) is at work in {results}:"
                " wait for it to end, or stop it"
            ) from None
        lock.release()
        claim(results)


def left_behind(prefix: str) -> list[Job]:
    """The jobs in the queue that were sent from this folder under such a name."""
    form = "--format=%i|%T|%j|%Z|%k"
    words = ["squeue", "--me", "--noheader", form]
    while (found := subprocess.run(words, capture_output=True, text=True)).returncode:
        # The controller restarts, say. What is not known to have ended is waited for.
        time.sleep(LOOK_SECONDS)
    jobs = [Job(*line.split("|", 4)) for line in found.stdout.splitlines()]
    return [j for j in jobs if j.name.startswith(prefix) and j.folder == str(Path.cwd())]


def start_again(results: Path) -> None:
    """This process as it was started, with the claim given back."""
    (results / "workflow.lock").unlink()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
