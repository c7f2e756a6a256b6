"""A workflow takes the place of one that died, here or elsewhere, and ends if it is told to."""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from filelock import SoftFileLease

from repatlas.artifacts.locks import LEASE_SECONDS, is_overdue, occupy
from repatlas.plan.plan import Plan


def claim(plan: Plan) -> bool:
    """Keep the results folder for this process until it ends. Return False if another workflow is
    at work in it, or if there is no result yet."""
    if not (plan.store.exists() or Path(plan.results).exists()):
        return False
    try:
        occupy(Path(plan.results))
    except RuntimeError:
        return False
    return True


def take_over(results: Path, say: Callable[[str], None]) -> None:
    """Claim the results folder, as `occupy` does. If the owner is on another machine, wait until it
    is clear whether that machine is alive: a login node may have gone down."""
    try:
        occupy(results)
    except RuntimeError:
        lock = SoftFileLease(results / "workflow.lock", lease_duration=LEASE_SECONDS)
        owner = lock.owner
        # The name of a container may follow the name of the machine.
        is_here = owner and owner.hostname.split("?")[0] == socket.gethostname()
        if not owner or (is_here and not is_overdue(lock)):
            raise
        say(
            f"A workflow on {owner.hostname} (process {owner.pid}) has claimed {results}: waiting"
            f" {LEASE_SECONDS} s to see whether it is alive"
        )
        try:
            occupy(results, LEASE_SECONDS * 1.5)
        except RuntimeError:
            raise RuntimeError(
                f"another workflow (process {owner.pid} on {owner.hostname}) is at work in"
                f" {results}: wait for it to end, or stop it"
            ) from None


def start_again(results: Path) -> None:
    """Delete the claim on the results, and start this process again under the same number."""
    (results / "workflow.lock").unlink()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def handle_sigterm_in_thread() -> None:
    """Let the present handler of SIGTERM run in a separate thread. Snakemake's takes a lock that
    the main thread, where Python calls it, often holds (JobScheduler.exit_gracefully, 9.27)."""
    handler = signal.getsignal(signal.SIGTERM)
    signal.signal(
        signal.SIGTERM, lambda *received: threading.Thread(target=handler, args=received).start()
    )
