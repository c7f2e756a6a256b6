"""Figures drawn before and after a change, side by side, with what differs in texts and colours.

    python tests/protection/contact_sheet.py record RESULTS FOLDER
    python tests/protection/contact_sheet.py compare OLD NEW PAGE.html
    python tests/protection/contact_sheet.py check RESULTS
    python tests/protection/contact_sheet.py accept RESULTS

`record` draws every figure from its table in RESULTS, with the code of this checkout. It writes
the pictures and figures.json into FOLDER, and keeps other figures that are there. `compare` writes
a page of two such folders, and exits with 1 if a text, or the look that it stands for, differs.
`check` compares RESULTS with figures.json next to this file, and exits with 1 if anything differs.
`accept` writes the figures of RESULTS into this figures.json, after a change that was intended.
"""

import json
import sys
from base64 import b64encode
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))

from drawn_pages import page_of
from figure_records import Record, differences, fate, record_of, without_numbers

from repatlas.artifacts.files import read_table
from repatlas.figures.columns import with_all_columns
from repatlas.plots.style import applied

HERE = Path(__file__).resolve().parent
RECORD = "figures.json"
DPI = 150
HEAD = """<!DOCTYPE html><meta charset="utf-8"><title>Figures, old and new</title><style>
body { font: 15px sans-serif; margin: 2em } img { width: 49%; vertical-align: top }
.look { color: #b00020 }</style><p>Left: old. Right: new. Red: a text, or the look that it stands
for, differs.</p>"""


def record(results: Path, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    write_records(read_records(folder) | drawn_records(results, folder), folder / RECORD)
    return 0


def drawn_records(results: Path, folder: Path | None = None) -> dict[str, Record]:
    """Draw the figures of all tables. Writes the pictures into a folder, if there is one."""
    tables = sorted(results.glob("*/tables/*.parquet"))
    if not tables:
        sys.exit(f"{results}: has no STUDY/tables/FIGURE.parquet. Make results first.")
    with ProcessPoolExecutor() as pool:
        return dict(pool.map(partial(_draw, folder), tables))


def _draw(folder: Path | None, path: Path) -> tuple[str, Record]:
    study, name = path.parts[-3], path.stem
    header, table = read_table(path, "table")
    job = header["job"]
    page = page_of(
        study, job["draw"], with_all_columns(table).to_pandas(), step=job.get("step"), name=name
    )
    with applied(page.style):
        if folder:
            page.figure.savefig(folder / f"{study}-{name}.png", dpi=DPI)
        return f"{study}/{name}", record_of(page.figure)


def read_records(folder: Path) -> dict[str, Record]:
    path = folder / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_records(records: dict[str, Record], path: Path) -> None:
    """Write JSON with one line for each text and for each panel."""
    figures = []
    for name, parts in sorted(records.items()):
        lines = {
            key: ",\n ".join(json.dumps(each, ensure_ascii=False) for each in values)
            for key, values in parts.items()
        }
        body = ",\n".join(f'"{key}": [{text}]' for key, text in lines.items())
        figures.append(f'"{name}": {{\n{body}\n}}')
    path.write_text("{\n" + ",\n\n".join(figures) + "\n}\n", encoding="utf-8")


def compared(old: dict[str, Record], new: dict[str, Record]) -> dict[str, list[tuple[bool, str]]]:
    """Return the differences of each figure, by its name."""
    found = {}
    for name in sorted({*old, *new}):
        both = name in old and name in new
        gone = (True, f"the figure {fate(name in new)}")
        found[name] = [*differences(old[name], new[name])] if both else [gone]
    return found


def check(results: Path) -> int:
    new, old = drawn_records(results), read_records(HERE)
    old = {name: each for name, each in old.items() if _study(name) in map(_study, new)}
    sides = ({name: without_numbers(each) for name, each in side.items()} for side in (old, new))
    return bool(print_all(compared(*sides)))


def accept(results: Path) -> int:
    new, old = drawn_records(results), read_records(HERE)
    others = {name: each for name, each in old.items() if _study(name) not in map(_study, new)}
    write_records(others | new, HERE / RECORD)
    return 0


def _study(name: str) -> str:
    return name.split("/")[0]


def print_all(found: dict[str, list[tuple[bool, str]]]) -> int:
    """Print all differences, and return their number."""
    sentences = [f"{name}: {text}" for name, several in found.items() for _, text in several]
    print(*sentences, f"{len(found)} figures, {len(sentences)} differences", sep="\n")
    return len(sentences)


def compare(old: Path, new: Path, page: Path) -> int:
    found = compared(*map(read_records, (old, new)))
    parts = [HEAD]
    for name, several in sorted(found.items(), key=lambda each: not each[1]):
        pictures = (folder / f"{name.replace('/', '-')}.png" for folder in (old, new))
        parts += [f"<h2>{name}</h2>", *map(_picture, pictures), "<ul>"]
        parts += [f'<li class="{"look" * is_look}">{escape(text)}' for is_look, text in several]
        parts += ["</ul>" if several else "<li>no difference</ul>"]
    page.write_text("\n".join(parts), encoding="utf-8")
    print_all(found)
    return any(is_look for several in found.values() for is_look, _ in several)


def _picture(path: Path) -> str:
    """Return HTML that holds the picture itself, so that the page can be moved."""
    content = path.read_bytes() if path.exists() else b""
    return f'<img alt="no picture" src="data:image/png;base64,{b64encode(content).decode()}">'


if __name__ == "__main__":
    commands = {each.__name__: each for each in (record, compare, check, accept)}
    command = commands.get("".join(sys.argv[1:2]))
    if command is None or len(sys.argv) - 2 != command.__code__.co_argcount:
        sys.exit(__doc__)
    sys.exit(command(*map(Path, sys.argv[2:])))
