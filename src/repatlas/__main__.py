"""python -m repatlas STAGE ...: run one stage of the workflow, or a command of the user's.

If the first argument of a stage is `-`, more are read from standard input, each ended by a NUL, as
`xargs -0` takes them. A job may be longer than a command line. `--then` separates the arguments of
two files. The next file is made in the same process, even if one before it failed.

A refusal ends with one sentence on standard error and exit code 1. A bug ends with its traceback
and a sentence that says so, with what a bug report needs.
"""

import argparse
import atexit
import errno
import importlib
import os
import platform
import shlex
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from repatlas import __version__
from repatlas.artifacts.imports import import_by_text

import_by_text()

from repatlas.interrupts import end_in_a_line  # noqa: E402

end_in_a_line()  # before what takes a second to import

from repatlas.artifacts.access import why_closed  # noqa: E402
from repatlas.artifacts.recipes.job import THEN  # noqa: E402
from repatlas.record import Refused  # noqa: E402

JOBS = ("prepare", "train", "measure", "compare_networks", "compare_files", "tabulate", "plot")
JOBS += ("judge", "plot_claims", "multiverse")
COMMANDS = {
    **{name: f"stages.{name}" for name in JOBS},
    **{name: f"operations.{name}" for name in ("verify", "why", "partial")},
    "plan": "operations.plan_command",
    "publish": "report.publish",
    "write_report": "report.write",
    "clean_unused": "operations.clean_unused",
    "report": "command.report",
    "convert": "experiments.files.convert",
    "record": "operations.record",
}
"""The module of each, in this package."""
BY_HAND = {
    *("clean_unused", "convert", "partial", "plan", "publish", "record", "report", "verify"),
    "why",
}
"""The commands that a user starts. A rule of the workflow starts each of the others."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m repatlas", description=__doc__)
    parser.add_argument("stage", choices=COMMANDS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see STAGE --help")
    chosen = parser.parse_args()
    arguments = chosen.arguments
    if arguments[:1] == ["-"]:
        arguments = [*sys.stdin.read().split("\0")[:-1], *arguments[1:]]
    failed: list[SystemExit] = []
    for of_file in _split_by_file(arguments):
        try:
            run(chosen.stage, of_file)
        except SystemExit as error:
            failed.append(error)
    for error in failed[:-1]:
        print(error.code, file=sys.stderr, flush=True)
    if failed:
        raise failed[-1]


def _split_by_file(arguments: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for argument in arguments:
        if argument == THEN:
            parts.append([])
        else:
            parts[-1].append(argument)
    return parts


def run(name: str, arguments: list[str]) -> None:
    """Run a stage or a command of this module."""

    def stage() -> None:
        importlib.import_module(f"repatlas.{COMMANDS[name]}").main(arguments)

    in_words(name, stage, ["python", "-m", "repatlas", name, *arguments])


def in_words(name: str, call: Callable[[], None], command: Sequence[str]) -> None:
    """Call a function. What it refuses ends in a sentence, a bug with the command that met it."""
    try:
        call()
    except Refused as error:
        damaged = getattr(error, "path", None)
        _fail(name, f"{error}; {_set_aside(damaged)}" if damaged else str(error))
    except BrokenPipeError:  # its reader has ended, as in `repatlas plan | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or error
        closed = isinstance(error, PermissionError) and why_closed(Path(str(error.filename)))
        lost = isinstance(error, FileNotFoundError) and where.startswith(sys.prefix)
        remedy = ": run `make env`" if lost else f": it {closed}" if closed else ""
        _fail(name, f"{where}{reason}{remedy}")
    except ImportError as error:
        if (error.name or "").split(".")[0] == "repatlas":
            _report(name, command)
        _fail(name, f"{error}: install what is missing, or run `make env`")
    except Exception as error:
        if _lacks_memory(error):
            _fail(name, "not enough memory")
        _report(name, command)


def _lacks_memory(error: Exception) -> bool:
    """Return True for errors of memory. torch has a class for a GPU's memory, and none for the
    machine's."""
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "can't allocate memory" in str(error)
    )


def _set_aside(path) -> str:
    from repatlas.artifacts.files import set_aside

    return f"set aside as {set_aside(path).name}: start the same command again to make it again"


def _report(stage: str, command: Sequence[str]) -> None:
    traceback.print_exc()
    print(f"Command: {shlex.join(command)}", file=sys.stderr)
    versions = f"repatlas {__version__}, Python {platform.python_version()}, {platform.platform()}"
    sys.exit(
        f"repatlas {stage}: bug: this is a fault of repatlas and not of its input. To report it,"
        f" send the traceback and all lines after it ({versions})."
    )


def _fail(stage: str, sentence: str) -> None:
    sys.exit(f"repatlas {stage}: error: {sentence}")


def _end() -> NoReturn:
    """End this process, which has done its work, as multiprocessing ends its own.

    All is done that was registered for the end. But Python is not taken apart: this takes 0.3 s of
    a job that has loaded pandas, and 0.8 s of one that has loaded torch."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # its reader has ended
        os._exit(1)
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
    _end()
