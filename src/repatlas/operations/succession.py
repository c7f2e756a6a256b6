"""A workflow takes the place of one that died, on this machine or on another."""

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from filelock import SoftFileLease, Timeout

from repatlas.artifacts.locks import LEASE_SECONDS, occupy
from repatlas.plan.plan import Plan


def claim(plan: Plan) -> bool:
    """Keep the results folder for this process until it ends. Return False if another workflow is
    at work in it, or if there is no result yet, which a dry run leaves so."""
    if not (plan.store.exists() or Path(plan.results).exists()):
        return False
    try:
        occupy(Path(plan.results))
    except RuntimeError:
        return False
    return True


def take_over(results: Path, say: Callable[[str], None]) -> None:
    """Does what `occupy` does, but gives an owner on another machine, a login node that went down,
    say, the time to show whether it lives."""
    try:
        occupy(results)
    except RuntimeError:
        lock = SoftFileLease(results / "workflow.lock", lease_duration=LEASE_SECONDS)
        owner = lock.owner
        # The name may go on with that of a container.
        if not owner or owner.hostname.split("?")[0] == socket.gethostname():
            raise
        say(
            f"A workflow on {owner.hostname} (process {owner.pid}) has claimed {results}: waiting"
            f" {LEASE_SECONDS} s to see whether it is alive"
        )
        try:
            lock.acquire(timeout=LEASE_SECONDS * 1.5)
        except Timeout:
            raise RuntimeError(
                f"another workflow (process {owner.pid} on {owner.hostname}) is at work in"
                f" {results}: wait for it to end, or stop it"
            ) from None
        lock.release()
        occupy(results)


def start_again(results: Path) -> None:
    """Start this process again, under the same number, with the claim given back."""
    (results / "workflow.lock").unlink()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
