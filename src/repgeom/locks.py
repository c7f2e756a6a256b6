"""Locks: one job at a time on a file, one workflow at a time in a results folder.

A lock is a file that its owner refreshes, so it needs no flock and works on a shared file system. A
dead owner is noticed at once on the same machine, by its process, and elsewhere when the file has
not been refreshed for LEASE_SECONDS. Should two owners ever overlap, nothing is torn: results are
renamed into place whole, and both make the same.
"""

import atexit
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import SoftFileLease, Timeout

LEASE_SECONDS = 30


@contextmanager
def exclusive(output: Path) -> Iterator[None]:
    """Wait until no other job works on the same file: one that outlived its workflow, say."""
    lock = _lock(output.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print(f"another job works on {output}: waiting for it to end", file=sys.stderr, flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def claim(results: Path) -> None:
    """Keep the results folder for this process until it ends. Raises RuntimeError if another
    workflow is at work in it."""
    lock = _lock(results / "workflow.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RuntimeError(
            f"another workflow (process {lock.pid}) is at work in {results}:"
            " wait for it to end, or stop it"
        ) from None
    atexit.register(lock.release)


def _lock(path: Path) -> SoftFileLease:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not bound to a thread: an exit handler may run in another one.
    return SoftFileLease(path, lease_duration=LEASE_SECONDS, thread_local=False)
