"""The lines of a run on the terminal: one for each job that has ended, with the time that is left.
The last lines list the figures, or state what went wrong.

Snakemake's own lines show no time, and the params of each job, which here are a page of JSON. They
are still in its log file, which this module leaves as it is. This handler comes with the Snakefile.
A plugin would have to be installed before Snakemake reads its profile, and a profile that names a
missing plugin ends in an error.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TextIO

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import ColorizingTextHandler, DefaultFormatter, logger
from snakemake_interface_logger_plugins.common import LogEvent

from repatlas.interrupts import INTERRUPTED
from repatlas.operations.time_left import TimeLeft

NOISE = (
    *("Select jobs to execute", "Execute ", "Touching output file", "Will exit after finishing"),
    *("Rules claiming more threads", "Provided resources", "Conda environments: ignored"),
)
"""How lines begin that say nothing to a user, many of them once for each job."""
COMMAND_FAILED = "returned non-zero exit status"
"""In a line with a job's whole command. What the job itself said follows."""
TRACEBACK = "Traceback (most recent call last):"
COMMAND = "Command: python -m repatlas "
"""In a traceback: the line with the job's params, for a report of the bug."""
SENTENCE = "repatlas "
"""How the last line of a job that makes a file begins if it failed by itself."""
CLEAR = "\r\x1b[K"
"""Takes away the terminal's last line."""
WIDTH = 20
"""Characters of the bar"""
BETWEEN = 1.0
"""Seconds between two looks at the clock, on a terminal."""


class Run(NamedTuple):
    """What is known of a run before its first job."""

    time_left: TimeLeft
    identity: Callable[[Path], str]
    """Returns the identity of a file, by which `time_left` knows the job that makes it"""
    targets: set[str]
    """Rules that run nothing: they only name the files that a command asks for"""


class Job(NamedTuple):
    text: str
    """What it does"""
    makes: Path
    """The first of the files that it makes"""


class Terminal(ColorizingTextHandler):
    """A handler for Snakemake's logger, instead of its handler for the terminal.

    If `stream` is a terminal, its last line shows how far the run is and how long it still takes.
    Otherwise only a line for each event is written.
    """

    def __init__(
        self,
        begin: Callable[[], Run],
        stream: TextIO,
        formatter: logging.Formatter,
        nocolor: bool = False,
        ending: Callable[[int], str] = lambda drawn: "",
    ):
        """begin: returns what is known of the run, called when it begins. ending: returns
        the last lines of a run that went well, given how many figures it drew."""
        super().__init__(nocolor=nocolor, stream=stream, formatter=formatter)
        self._begin, self._ending = begin, ending
        self._run: Run | None = None
        self._jobs: dict[int, Job] = {}
        """The jobs that have started, by their number"""
        self._total = self._ended = self._drawn = 0
        self._failed: dict[int, str] = {}
        """The message at the end for each job that failed and has not ended well since"""
        self._went_well = False
        self._closed = threading.Event()
        self._below = ""
        """The last line of the terminal, which the next one takes the place of"""

    def filter(self, record: logging.LogRecord) -> bool | logging.LogRecord:
        """Record the start of a job, also if the user wants no line for it."""
        if getattr(record, "event", None) == LogEvent.JOB_INFO and self._run and record.output:
            job = Job(record.rule_msg or record.rule_name, Path(record.output[0]))
            self._jobs[record.jobid] = job
            self._run.time_left.start(self._run.identity(job.makes))
        return super().filter(record)

    def emit(self, record: logging.LogRecord) -> None:
        """Write what a record says, if it says anything to a user."""
        try:
            if text := self._text(record):
                self._write(self.decorate(record, text))
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Write, at the end of a run, each job that failed, with its sentence, or the last
        words."""
        if not self._closed.is_set():
            self._closed.set()
            failed = "\n".join(self._failed.values())
            self._write(self._ending(self._drawn) if self._went_well else failed)
        super().close()

    def _text(self, record: logging.LogRecord) -> str:
        match event := getattr(record, "event", None):
            case LogEvent.WORKFLOW_STARTED | LogEvent.JOB_STARTED | LogEvent.JOB_INFO:
                return ""
            case LogEvent.PROGRESS:
                self._went_well |= record.done == record.total
                return ""
            case LogEvent.RUN_INFO:
                return self._start(self.format(record).rstrip(), record.stats)
            case LogEvent.JOB_FINISHED:
                return self._end(record.job_id)
            case LogEvent.JOB_ERROR:
                return self._fail(record)
        text = self.format(record)
        if event == LogEvent.ERROR and COMMAND_FAILED in text:
            return ""
        self._went_well |= text == NOTHING_TO_BE_DONE_MSG
        return "" if text.startswith(NOISE) else text

    def _start(self, table: str, numbers: dict[str, int]) -> str:
        """Return the table of jobs, and how long they will take. numbers: of jobs, by rule."""
        if self._run:  # Snakemake says it again at the end of a dry run
            return table
        self._run = self._begin()
        if self.is_tty:
            threading.Thread(target=self._tick, daemon=True).start()
        nothing = {"total", *self._run.targets}
        self._total = sum(number for rule, number in numbers.items() if rule not in nothing)
        return f"{table}\n\n{self._total} job{'s' * (self._total != 1)}, {self._left()}"

    def _end(self, number: int) -> str:
        self._failed.pop(number, None)
        if not self._run or number not in self._jobs:
            return ""
        job = self._jobs[number]
        self._ended += 1
        self._drawn += job.makes.suffix == ".pdf"
        seconds = self._run.time_left.end(self._run.identity(job.makes))
        left = "" if self.is_tty else f", {self._left()}"
        return f"{_now()} {job.text}: {seconds:.0f} s ({self._ended} of {self._total}{left})"

    def _fail(self, record: logging.LogRecord) -> str:
        """Return what a failed job printed, and keep its last sentence, which `close` writes
        again."""
        text = self._jobs[record.jobid].text if record.jobid in self._jobs else None
        logs = [path.partition(" (")[0] for path in record.log]
        *traceback, sentence = last_words(Path(logs[0])) if logs else [""]
        if sentence.endswith(INTERRUPTED):
            return f"{_now()} {text or record.rule_name}{INTERRUPTED}"
        if not sentence.startswith(SENTENCE) and record.output:
            sentence = f"It was killed, most likely. Its last words: {sentence or 'none'}"
        reasons = [record.rule_msg, sentence]
        self._failed[record.jobid] = "\n    ".join(
            [
                f"Error in rule {record.rule_name}{f' ({text})' if text else ''}:",
                *filter(None, reasons),
                *(f"log: {path}" for path in logs),
            ]
        )
        return "\n".join([*traceback, f"{_now()} {self._failed[record.jobid]}"])

    def _left(self) -> str:
        return in_words(self._run.time_left.seconds())

    def _tick(self) -> None:
        while not self._closed.wait(BETWEEN):
            with self.lock:
                self._write("")

    def _write(self, text: str) -> None:
        """Write the text, and below it on a terminal how far the run is."""
        clear = CLEAR if self._below else ""
        self._below = self._status()
        line = f"{text}{self.terminator}" if text else ""
        if shown := f"{clear}{line}{self._below}":
            try:
                self.stream.write(shown)
                self.flush()
            except (OSError, ValueError):  # nobody reads it any more
                self._closed.set()

    def _status(self) -> str:
        if not self.is_tty or not self._run or self._closed.is_set():
            return ""
        done = WIDTH * self._ended // max(self._total, 1)
        bar = f"[{'#' * done}{'.' * (WIDTH - done)}]"
        return f"{bar} {self._ended} of {self._total} jobs, {self._left()}"


def last_words(log: Path) -> list[str]:
    """Return the lines that a job printed last, by its log. They start at its traceback if it has
    one, without its command; otherwise they are the last line. The result is one line without
    words if the log has none."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    lines = [line for line in text.splitlines() if line.strip()]
    if TRACEBACK in lines:
        start = len(lines) - 1 - lines[::-1].index(TRACEBACK)
        return [line for line in lines[start:] if not line.startswith(COMMAND)]
    return lines[-1:] or [""]


def in_words(seconds: float) -> str:
    """Return how long a run still takes, with no more precision than is known."""
    minutes = seconds / 60
    if minutes < 1:
        return "less than a minute left"
    if minutes < 90:
        return f"about {minutes:.0f} min left"
    return f"about {minutes / 60:.1f} h left"


def _now() -> str:
    return time.strftime("%H:%M:%S")


def install_terminal_handler(
    begin: Callable[[], Run], ending: Callable[[int], str], dry_run: bool
) -> None:
    """Replace Snakemake's handler for the terminal by this one, with the same filters. A plugin
    that the user chose stays. A dry run keeps the old handler, but shows no params of jobs."""
    for handler in [h for h in logger.handlers if h.get_name() == "DefaultStreamHandler"]:
        handler.setFormatter(Short(handler.formatter.quiet, handler.formatter.show_failed_logs))
        if not dry_run:
            terminal = Terminal(begin, handler.stream, handler.formatter, handler.nocolor, ending)
            terminal.filters = handler.filters
            terminal.set_name(handler.get_name())
            logger.removeHandler(handler)
            logger.addHandler(terminal)


class Short(DefaultFormatter):
    """Snakemake's lines. If params have changed, the line states it without the params."""

    def format_job_info(self, msg: dict) -> str:
        reason, changed, _ = msg["reason"].partition("Params have changed since last execution")
        return super().format_job_info(msg | {"reason": reason + changed})
