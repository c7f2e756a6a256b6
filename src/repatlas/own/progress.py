"""A line on the screen that says what is computed, how far it is, and since when."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from types import SimpleNamespace
from typing import Any

FIRST, EVERY = 2.0, 0.5
"""Seconds until the line is written, since short calls need none, and from one to the next."""
_now: ContextVar[Any] = ContextVar("progress", default=None)


@contextmanager
def progress(name: str) -> Iterator[None]:
    """Show progress meanwhile, on stderr, if it is a terminal or a notebook. The line goes away."""
    is_watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not is_watched or _now.get() is not None:
        yield
        return
    shown = SimpleNamespace(name=name, what="", part="", scores=0, width=0)
    shown.started, shown.written = monotonic(), 0.0
    token = _now.set(shown)
    try:
        yield
    finally:
        _now.reset(token)
        if shown.width:
            sys.stderr.write("\r" + " " * shown.width + "\r")
            sys.stderr.flush()


def doing(what: str, number: int, of: int) -> None:
    """State what is computed now: the measure, and which of how many it is."""
    _write(what=f"{what} ({number} of {of} measures)", part="", scores=0)


def at_part(part: str) -> None:
    """State which part of a measure is computed now, such as the third pair of ten."""
    _write(part=f", {part}", scores=0)


def tick() -> None:
    """Count a score, of the data or of a draw of a null."""
    if (shown := _now.get()) is not None:
        _write(scores=shown.scores + 1)


def _write(**changed: Any) -> None:
    shown = _now.get()
    if shown is None:
        return
    vars(shown).update(changed)
    elapsed = monotonic() - shown.started
    if elapsed < FIRST or elapsed - shown.written < EVERY:
        return
    scores = f", {shown.scores} scores" if shown.scores else ""
    line = f"{shown.name}: {shown.what}{shown.part}{scores}, {elapsed:.0f} s"
    sys.stderr.write("\r" + line.ljust(shown.width))
    sys.stderr.flush()
    shown.written, shown.width = elapsed, len(line)
