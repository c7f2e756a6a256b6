"""Ctrl-C ends a command in one line.

A command calls `end_in_a_line` before it imports anything large: people also interrupt what has
just started."""

import atexit
import os
import sys
from types import TracebackType


def end_in_a_line() -> None:
    """Let an interrupt end this process in one line, without a traceback, with exit code 130."""
    sys.excepthook = _end_if_interrupted


def _end_if_interrupted(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    print(" ".join(["repatlas", *sys.argv[1:2]]) + ": interrupted", file=sys.stderr, flush=True)
    # Python itself would now end by the signal, and wait for all threads before.
    atexit._run_exitfuncs()
    os._exit(130)
