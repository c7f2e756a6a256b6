"""A line on the screen that says what is computed, how far it is, and since when."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from time import monotonic
from typing import Any

FIRST, EVERY = 2.0, 0.5
"""Seconds until the line is written, since short calls need none, and from one to the next."""
_now: ContextVar[Any] = ContextVar("progress", default=None)


class _Progress:
    def __init__(self, name: str):
        self.name, self.doing, self.part, self.draws = name, "", "", 0
        self.started, self.written, self.width = monotonic(), 0.0, 0
        self.ended = Event()

    def keep_writing(self) -> None:
        """Write the line again and again, also while one product takes long."""
        while not self.ended.wait(EVERY):
            self.write()

    def write(self) -> None:
        elapsed = monotonic() - self.started
        if elapsed < FIRST or elapsed - self.written < EVERY:
            return
        self.written = elapsed
        draws = f", {self.draws} scores" if self.draws else ""
        line = f"{self.name}: {self.doing}{self.part}{draws}, {elapsed:.0f} s"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def clear(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def _is_watched() -> bool:
    """Return whether somebody sees what is written: in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def progress(name: str) -> Iterator[None]:
    """Show progress meanwhile, on stderr, if it is a terminal or a notebook. The line goes away."""
    if not _is_watched() or _now.get() is not None:
        yield
        return
    shown = _Progress(name)
    token = _now.set(shown)
    writer = Thread(target=shown.keep_writing, daemon=True)
    writer.start()
    try:
        yield
    finally:
        _now.reset(token)
        shown.ended.set()
        writer.join()
        shown.clear()


def doing(what: str, number: int, of: int) -> None:
    """State what is computed now: the measure, and which of how many it is."""
    shown = _now.get()
    if shown is not None:
        shown.doing, shown.draws = f"{what} ({number} of {of} measures)", 0
        shown.part = ""
        shown.write()


def at_part(part: str) -> None:
    """State which part of a measure is computed now, such as the third pair of ten."""
    shown = _now.get()
    if shown is not None:
        shown.part, shown.draws = f", {part}", 0
        shown.write()


def at_share(share: float) -> None:
    """State how large a share of the pairs of a measure is computed."""
    at_part(f"{share:.0%} of pairs")


def tick() -> None:
    """Count a score, of the data or of a draw of a null."""
    shown = _now.get()
    if shown is not None:
        shown.draws += 1
        shown.write()
