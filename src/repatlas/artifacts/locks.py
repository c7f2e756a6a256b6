"""Locks: one job at a time on a file, one workflow at a time in a results folder.

A lock is a file that its owner refreshes, so it needs no flock and works on a shared file system. A
dead owner is noticed at once on the same machine, by its process, and elsewhere when the file has
not been refreshed for LEASE_SECONDS. A lock that names no owner, since its owner was killed or the
power was cut before it was written, is removed when it is that old. Should two owners ever overlap,
nothing is torn: results are renamed into place whole, and both make the same.
"""

import atexit
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import SoftFileLease, Timeout

LEASE_SECONDS = 30
POLL_SECONDS = 1
"""Seconds between two looks at a lock that names no owner."""
TOLD_SECONDS = 60
"""Seconds between two messages of a job that waits."""


@contextmanager
def exclusive(output: Path) -> Iterator[None]:
    """Wait until no other job works on a version of the same file, for example one that outlived
    its workflow. Say so on the terminal, too: it gets what a job prints, and the log gets its
    errors."""
    lock = _lock(output.parent / "job.lock")
    started = told = time.monotonic()
    if not _acquired(lock, 0):
        sentence = f"another job{_who(lock)} works on {output}: waiting for it to end"
        print(sentence, file=sys.stderr, flush=True)
        print(sentence, flush=True)
        while not _acquired(lock, POLL_SECONDS):
            if (now := time.monotonic()) - told > TOLD_SECONDS:
                print(f"{sentence}, for {now - started:.0f} s now", flush=True)
                told = now
    try:
        yield
    finally:
        lock.release()


def occupy(results: Path) -> None:
    """Keep the results folder for this process until it ends. Raises RuntimeError if another
    workflow is at work in it."""
    lock = _lock(results / "workflow.lock")
    told = False
    while not _acquired(lock, 0 if lock.owner else POLL_SECONDS):
        if lock.owner:
            raise RuntimeError(
                f"another workflow (process {lock.pid}) is at work in {results}:"
                " wait for it to end, or stop it"
            )
        if not told:
            told = True
            print(
                f"The lock of {results} names no owner: waiting {LEASE_SECONDS} s for one",
                file=sys.stderr,
                flush=True,
            )
    atexit.register(lock.release)


def _acquired(lock: SoftFileLease, timeout: float) -> bool:
    _remove_without_owner(lock)
    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        return False
    return True


def _remove_without_owner(lock: SoftFileLease) -> None:
    """Remove what is at the path of a lock, names no owner, and is older than a lease. (filelock
    takes an empty lock for the lock of a living owner who uses another release of it.)"""
    path = Path(lock.lock_file)
    try:
        age = abs(
            time.time() - path.lstat().st_mtime
        )  # from another clock, it may be in the future
        if path.is_dir():
            path.rename(path.with_name(f"{path.name}.aside-{time.time_ns()}"))
        elif age > LEASE_SECONDS and not lock.owner:
            path.unlink()
    except FileNotFoundError:
        pass  # released, or another one has just done so


def _who(lock: SoftFileLease) -> str:
    owner = lock.owner
    return f" (process {owner.pid} on {owner.hostname.split('?')[0]})" if owner else ""


def _lock(path: Path) -> SoftFileLease:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not bound to a thread: an exit handler may run in another one.
    return SoftFileLease(path, lease_duration=LEASE_SECONDS, thread_local=False)
