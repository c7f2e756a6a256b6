"""A copy of this process reads a file first, where damage may crash a library or hang it."""

import multiprocessing
import signal
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from repatlas.experiments.files.reading import reading
from repatlas.record import Refused

CPU_SECONDS = 20
"""Processor time of a try, which waiting for a slow disk does not use."""
WALL_SECONDS = 600
"""Time of a try, should its process wait for something that never comes."""


def probe(path: Path, function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function in a copy of this process, and raise Refused if it raises an exception there,
    if the copy is killed or if it does not end.

    Nothing is tried where processes cannot be copied, as on Windows.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    context = multiprocessing.get_context("fork")
    received, sent = context.Pipe(duplex=False)
    copy = context.Process(target=_call, args=(sent, path, function, *arguments))
    with warnings.catch_warnings():
        # Python warns of locks that other threads hold. The copy takes no such lock.
        warnings.simplefilter("ignore", DeprecationWarning)
        copy.start()
    copy.join(WALL_SECONDS)
    if copy.exitcode is None:
        copy.kill()
        copy.join()
    if received.poll():
        raise Refused(received.recv())
    if copy.exitcode:
        killed = -copy.exitcode in {number.value for number in signal.Signals}
        reason = signal.Signals(-copy.exitcode).name if killed else f"exit code {copy.exitcode}"
        raise Refused(
            f"{path}: damaged, its library crashes or never ends ({reason}): write or copy it again"
        )


def _call(sent: Connection, path: Path, function: Callable[..., Any], *arguments: Any) -> None:
    import resource  # not on Windows

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with reading(path):
            function(*arguments)
    except Refused as error:
        sent.send(str(error))
