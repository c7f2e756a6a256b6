"""A copy of this process reads a file first, where damage may crash a library or hang it."""

import multiprocessing
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from repatlas.record import Refused

CPU_SECONDS = 20
"""Processor time of a try, which waiting for a slow disk does not use."""
WALL_SECONDS = 600
"""Time of a try, should its process wait for something that never comes."""


def probe(path: Path, function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function in a copy of this process, and raise Refused if the copy is killed or does
    not end. Exceptions are ignored there: the same call raises them here, too.

    Nothing is tried where processes cannot be copied, as on Windows.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    copy = multiprocessing.get_context("fork").Process(target=_call, args=(function, *arguments))
    with warnings.catch_warnings():
        # Other threads may hold locks, none of which the copy takes.
        warnings.simplefilter("ignore", DeprecationWarning)
        copy.start()
    copy.join(WALL_SECONDS)
    if copy.exitcode is None:
        copy.kill()
        copy.join()
    if copy.exitcode:
        killed = -copy.exitcode in {number.value for number in signal.Signals}
        reason = signal.Signals(-copy.exitcode).name if killed else f"exit code {copy.exitcode}"
        raise Refused(
            f"{path}: damaged, its library crashes or never ends ({reason}): write or copy it again"
        )


def _call(function: Callable[..., Any], *arguments: Any) -> None:
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(Exception):
        function(*arguments)
