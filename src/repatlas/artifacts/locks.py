"""Locks: one job at a time on a file, one workflow at a time in a results folder.

A lock is a file that its owner refreshes, so it needs no flock and works on a shared file system. A
dead owner is noticed at once on the same machine, by its process, and elsewhere when the file has
not been refreshed for LEASE_SECONDS. A lock that names no owner, since its owner was killed or the
power was cut before it was written, is removed when it is that old. Should two owners ever overlap,
nothing is torn: results are renamed into place whole, and both make the same.

filelock takes the lock of a dead owner by an exchange of two names (renameat2 with a flag). NFS,
Lustre and BeeGFS refuse this, and filelock then counts the lock as held. Here such a lock is
deleted, and another one is made.
"""

import atexit
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import SoftFileLease, Timeout

from repatlas.artifacts.processes import is_alive

JOB = "job.lock"
LEASE_SECONDS = 30
POLL_SECONDS = 1
"""Seconds between two looks at a lock that names no owner."""
TOLD_SECONDS = 60
"""Seconds between two messages of a job that waits."""
FIRST_NAMESPACE = 0xEFFFFFFC
"""The number that Linux gives to the processes outside containers."""
_SEEN: dict[str, tuple[tuple[int, ...], float]] = {}
"""What this process last saw of each lock that it may not have, and since when."""


@contextmanager
def exclusive(output: Path) -> Iterator[None]:
    """Wait until no other job works on a version of the same file, for example one that outlived
    its workflow. Say so on the terminal, too: it gets what a job prints, and the log gets its
    errors."""
    lock = _lock(output.parent / JOB)
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


def occupy(results: Path, seconds: float = 0) -> None:
    """Keep the results folder for this process until it ends. Raises RuntimeError if another
    workflow is at work in it, and still is after this number of seconds."""
    lock = _lock(results / "workflow.lock")
    told, until = False, time.monotonic() + seconds
    while not _acquired(lock, 0 if lock.owner and not seconds else POLL_SECONDS):
        if lock.owner and time.monotonic() >= until:
            raise RuntimeError(
                f"another workflow (process {lock.pid}) is at work in {results}:"
                " wait for it to end, or stop it"
            )
        if not told and not lock.owner:
            told = True
            print(
                f"The lock of {results} names no owner: waiting {LEASE_SECONDS} s for one",
                file=sys.stderr,
                flush=True,
            )
    atexit.register(lock.release)


def _acquired(lock: SoftFileLease, timeout: float) -> bool:
    _remove_without_owner(lock)
    for wait in (timeout, 0):
        try:
            lock.acquire(timeout=wait)
            return True
        except Timeout:
            if not _owner_is_dead(lock):
                return False
            lock.force_break()
    return False


def _owner_is_dead(lock: SoftFileLease) -> bool:
    """Return True if the owner of a lock was a process of this machine that has ended. Return True
    also if this process has watched the lock for longer than a lease, and nobody refreshed it."""
    owner, path = lock.owner, lock.lock_file
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    state, now = (found.st_ino, found.st_mtime_ns, found.st_ctime_ns), time.monotonic()
    if path not in _SEEN or _SEEN[path][0] != state:
        _SEEN[path] = state, now
    is_overdue = now - _SEEN[path][1] > LEASE_SECONDS + POLL_SECONDS
    has_ended = owner and owner.hostname == _this_machine() and not is_alive(owner.pid)
    # Read it again: another process may just have taken it.
    return bool(owner and (has_ended or is_overdue) and lock.owner == owner)


def _this_machine() -> str:
    """Return the name of this machine in locks. In a container filelock adds a number."""
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:  # not Linux
        namespace = FIRST_NAMESPACE
    suffix = "" if namespace == FIRST_NAMESPACE else f"?pidns-{namespace:x}"
    return f"{socket.gethostname()}{suffix}"


def is_overdue(lock: SoftFileLease) -> bool:
    """Return True if a lock was not refreshed lately, by the clocks of two machines."""
    try:
        return _age(Path(lock.lock_file)) > LEASE_SECONDS
    except FileNotFoundError:
        return False


def _remove_without_owner(lock: SoftFileLease) -> None:
    """Remove what is at the path of a lock, names no owner, and is older than a lease. (filelock
    takes an empty lock for the lock of a living owner who uses another release of it.)"""
    path = Path(lock.lock_file)
    try:
        age = _age(path)
        if path.is_dir():
            path.rename(path.with_name(f"{path.name}.aside-{time.time_ns()}"))
        elif age > LEASE_SECONDS and not lock.owner:
            path.unlink()
    except FileNotFoundError:
        pass  # released, or another one has just done so


def _age(path: Path) -> float:
    """Return the seconds since a lock was refreshed. By another clock it may be in the future."""
    return abs(time.time() - path.lstat().st_mtime)


def _who(lock: SoftFileLease) -> str:
    owner = lock.owner
    return f" (process {owner.pid} on {owner.hostname.split('?')[0]})" if owner else ""


def _lock(path: Path) -> SoftFileLease:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not bound to a thread: an exit handler may run in another one.
    return SoftFileLease(path, lease_duration=LEASE_SECONDS, thread_local=False)
