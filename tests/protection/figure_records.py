"""What a drawn figure says: its texts, the looks that they stand for, and what its axes hold.

A record of a figure has its letters, its texts and its axes. A text is a list: text, colour, look,
and "legend" or "label". Axes are a dictionary of title, labels, ticks that are words, and `data`:
the number of artists of each colour and look.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from drawn_words import Drawn, letters_of
from looks_of_lines import DOTS, colour_of, is_data, look_of
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.figure import SubFigure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.offsetbox import DrawingArea, TextArea
from matplotlib.patches import Patch, Rectangle
from seen_colours import is_seen

from repatlas.plots.style import LETTER, TITLE

DASHES = {(): "-", (3.7, 1.6): "--", (1, 1.65): ":", (6.4, 1.6, 1, 1.6): "-."}
"""The names of dashes, by their lengths in units of the line's width."""
KINDS = {
    Rectangle: "bar", Patch: "shape", LineCollection: "interval", PathCollection: "points",
    PolyCollection: "band", ContourSet: "contour", object: "image",
}  # fmt: skip
NUMBER = re.compile(r"(= ?)?(?<![\w^])[-\N{MINUS SIGN}]?\d+(?:[.,]\d+)*")
"""Not the digits of a name or a power, such as x_1."""
LETTERS = {"Delta": "Δ", "delta": "δ", "lambda": "λ", "sigma": "\N{GREEK SMALL LETTER SIGMA}"}
Record = dict[str, list[Any]]


def plain(text: str) -> str:
    """Return a label without the signs of mathematical type."""
    text = re.sub(r"\\([A-Za-z]+)", lambda found: LETTERS.get(found[1], ""), text)
    return " ".join(re.sub(r"[$\\{}]", "", text).replace("^2", "²").split())


def record_of(figure: Any) -> Record:
    """Return the record of a figure that was laid out."""
    shown = {id(text) for text in Drawn(figure).texts}
    axes = [ax for ax in figure.axes if ax.get_visible()]
    axes += [inset for ax in axes for inset in ax.child_axes]
    parts = [figure, *figure.findobj(SubFigure), *axes]
    texts = {
        (plain(text.get_text()), to_hex(text.get_color()), "", "label")
        for part in parts
        for text in part.texts
        # The title and the line under a figure are sentences, which other tests read.
        if id(text) in shown and text.get_gid() not in (LETTER, TITLE) and text != figure._supxlabel
    }
    texts |= {entry for legend in figure.findobj(Legend) for entry in _entries(legend)}
    return {
        "letters": sorted(letters_of(figure)),
        "texts": [list(text) for text in sorted(texts)],
        "axes": [_record_of_axes(ax, shown) for ax in axes],
    }


def _entries(legend: Legend) -> Iterator[tuple[str, str, str, str]]:
    """Yield the title and the entries of a legend."""
    title = legend.get_title()
    if title.get_text() not in ("", "None"):
        yield plain(title.get_text()), to_hex(title.get_color()), "", "legend"
    boxes: list[Any] = [legend]
    while boxes:
        inner = boxes.pop().get_children()
        boxes += [each for each in inner if hasattr(each, "get_children")]
        handles = [each for each in inner if isinstance(each, DrawingArea)]
        words = [each for each in inner if isinstance(each, TextArea)]
        for handle, word in zip(handles, words, strict=False):  # the title has no handle
            looks = [look for each in handle.get_children() if (look := _look_of(each))]
            colour, look = (" + ".join(dict.fromkeys(each)) for each in zip(*looks, strict=True))
            yield plain(word.get_text()), colour, look, "legend"


def _record_of_axes(ax: Any, shown: set[int]) -> dict[str, Any]:
    def words_of(*texts: Any) -> list[str]:
        return [plain(text.get_text()) for text in texts if id(text) in shown]

    lines = [line for line in ax.lines if is_data(ax, line)]
    artists = [*lines, *ax.collections, *ax.patches, *ax.images]
    looks = Counter(" ".join(_look_of(each)) for each in artists)
    looks["guide"] = sum(bool(_look_of(line)) for line in ax.lines) - len(lines)
    record = {
        "title": " ".join(words_of(ax.title, ax._left_title, ax._right_title)),
        "x": " ".join(words_of(ax.xaxis.label)),
        "y": " ".join(words_of(ax.yaxis.label)),
        "x ticks": words_of(*ax.get_xticklabels()),
        "y ticks": words_of(*ax.get_yticklabels()),
        "data": [f"{number} {look}" for look, number in sorted(looks.items()) if number],
    }
    for ticks in ("x ticks", "y ticks"):
        if not any(map(str.isalpha, "".join(record[ticks]))):
            record[ticks] = []
    return {key: value for key, value in record.items() if value}


def _look_of(artist: Any) -> tuple[str, str] | None:
    """Return colour and look of an artist, or None for a line that draws nothing."""
    if isinstance(artist, Line2D):
        dashes, marker, fill, _ = look_of(artist)
        marker = marker.replace("none", "")  # an error bar's
        if dashes == DOTS and not marker:
            return None
        is_line = dashes != DOTS and len(artist.get_xdata()) > 1
        line = DASHES.get(dashes, f"dashes {dashes}") if is_line else ""
        colour = colour_of(artist)
        colour = colour if is_seen(colour) else artist.get_markerfacecolor()  # white edges
        return to_hex(colour), f"{line} {marker}{' open' * (fill == 'open')}".strip()
    kind = next(kind for each, kind in KINDS.items() if isinstance(artist, each))
    if not isinstance(artist, Patch) and artist.get_array() is not None:
        return artist.get_cmap().name, kind
    found = [artist.get_facecolor(), artist.get_edgecolor()]
    found = [[each] if isinstance(artist, Patch) else each for each in found]
    faces, edges = ({to_hex(each) for each in colours if each[3] > 0} for colours in found)
    colours = faces or edges
    return " ".join(colours) if len(colours) == 1 else f"{len(colours)} colours", kind


def without_numbers(record: Record) -> Record:
    """Return a record with # for numbers that were measured, whose last digits differ between
    types of CPU. Numbers of legends, of ticks, and after an equals sign are settings."""

    def blank(text: str) -> str:
        return NUMBER.sub(lambda found: found[0] if found[1] else "#", text)

    texts = {
        (blank(t) if where == "label" else t, *look, where) for t, *look, where in record["texts"]
    }
    words = ("title", "x", "y")
    axes = [ax | {key: blank(ax[key]) for key in words if key in ax} for ax in record["axes"]]
    return record | {"texts": [list(text) for text in sorted(texts)], "axes": axes}


def differences(old: Record, new: Record) -> Iterator[tuple[bool, str]]:
    """Yield each difference of two records, as a sentence, and whether a text or the look that it
    stands for differs. The place of a text, and what panels hold, may differ without that."""
    for letter in sorted({*old["letters"]} ^ {*new["letters"]}):
        yield True, f"letter {letter} {fate(letter in new['letters'])}"
    before, after = (_by_text(record["texts"]) for record in (old, new))
    for text in dict.fromkeys([*before, *after]):
        was, now = before.get(text, {}), after.get(text, {})
        if not was or not now:
            yield True, f"{_where(was or now)} {text!r} ({_looks(was or now)}) {fate(bool(now))}"
        elif was.keys() != now.keys() and not _only_moved(was, now):
            yield True, f"{_where(was)} {text!r} was {_looks(was)}, is {_looks(now)}"
        elif was != now:
            yield False, f"{text!r} ({_looks(was)}) moved from {_where(was)} to {_where(now)}"
    yield from _differences_of_axes(old["axes"], new["axes"])


def _by_text(texts: list[list[str]]) -> dict[str, dict[tuple[str, str], str]]:
    """Return by text, and by the colours and looks that it stands for, where it is."""
    found: dict[str, dict[tuple[str, str], str]] = {}
    for text, colour, look, where in texts:
        found.setdefault(text, {})[colour, look] = where
    return found


def _only_moved(was: dict, now: dict) -> bool:
    """Ignore looks, since a label has the colour of its line and no look."""
    return {*was.values()} != {*now.values()} and {c for c, _ in was} == {c for c, _ in now}


def _where(looks: dict) -> str:
    return " and ".join(sorted({*looks.values()}))


def _looks(looks: dict) -> str:
    return ", ".join(sorted(" ".join(each).strip() for each in looks))


def fate(is_there: bool) -> str:
    return "is new" if is_there else "is gone"


def _differences_of_axes(old: list[Any], new: list[Any]) -> Iterator[tuple[bool, str]]:
    """Compare each panel with the panel that is most like it. Equal changes are one sentence."""
    left = [*new]
    changed = [was for was in old if not (was in left and left.remove(was) is None)]
    if old != new and not changed and not left:
        yield False, "the panels are in another order"
    found: dict[tuple[bool, str], list[str]] = {}
    for was in changed:
        now = max(left, key=lambda each: _alike(was, each), default={})
        if not _alike(was, now):
            found.setdefault((True, " is gone"), []).append(_name(was))
            continue
        left.remove(now)
        for key in sorted({*was, *now} - {"data"}):
            if was.get(key) != now.get(key):
                change = f": {key} was {was.get(key)}, is {now.get(key)}"
                found.setdefault((True, change), []).append(_name(was))
        had, has = ({*each.get("data", [])} for each in (was, now))
        if had != has:
            lists = ("; ".join(sorted(each)) or "nothing" for each in (had - has, has - had))
            change = f": had {next(lists)}, has {next(lists)}"
            found.setdefault((False, change), []).append(_name(was))
    for each in left:
        found.setdefault((True, " is new"), []).append(_name(each))
    yield from ((is_look, f"panel {', '.join(names)}{c}") for (is_look, c), names in found.items())


def _alike(one: dict, other: dict) -> int:
    """Return the number of equal entries of two panels; a title counts for three."""
    return sum(1 + 2 * (key == "title") for key in one if one[key] == other.get(key))


def _name(axes: dict) -> str:
    named = [repr(axes[key]) for key in ("title", "y", "x") if key in axes]
    return named[0] if named else f"with {'; '.join(axes.get('data', ['nothing']))}"
