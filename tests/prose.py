"""Find prose that is hard to read, and let no file get worse.

    python tests/prose.py            fail where a file has more findings than are stored
    python tests/prose.py PATH ...   print every finding of these files and folders
    python tests/prose.py --table    count the findings of each folder
    python tests/prose.py --write    store the numbers of today in tests/prose.json

The check reads docstrings, comments, messages of exceptions, and pages. Code blocks, doctests,
indented formulas and `literals` are left out, and so are lines with the words "prose: ok".
The rules are explained in docs/develop/plain-english.md and written in tests/plain. Codes:

    S1  a docstring or comment starts with a word that needs the name above it (Of, Those, As ...)
    P1  it starts with a pronoun without a noun (It, They, Its ...)
    D1  the first sentence of a function's docstring has no verb
    D2  a docstring of fewer than four words
    E1  a function changes files or processes, and the first sentence does not say so
    L1  a sentence of more than 30 words
    X1  an inverted phrase ("that of", "of which", "is to be" ...)
    W1  a word in an uncommon sense
    I1  a function or class whose name does not say what it does
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from plain.findings import Finding, check

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "tests/prose.json"
READ = ["src", "workflow", "config", "profiles", "docs", "tests", "benchmarks", ".ci", ".github"]
READ += ["README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"]
READ += ["Makefile", "Snakefile"]
SUFFIXES = {".py", ".smk", ".md", ".rst", ".yaml", ".yml"}
NAMES = {"Makefile", "Snakefile", "run"}
CODES = ("S1", "P1", "D2", "L1", "X1", "W1", "I1", "D1", "E1")
RATED = CODES[:7]
"""The codes that count for the rate per 1,000 words."""


def files(paths: list[Path]) -> Iterator[Path]:
    """Yield the files with prose among these paths and below these folders."""
    for path in paths:
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            inside = set(each.relative_to(ROOT).parts)
            is_prose = each.suffix in SUFFIXES or each.name in NAMES
            if each.is_file() and is_prose and not inside & {"__pycache__", "_build", ".venv"}:
                yield each


def worse(
    found: dict[str, dict[str, int]], stored: dict[str, dict[str, int]]
) -> Iterator[tuple[str, int, int]]:
    """Yield each file that has more findings than allowed, its findings, and how many are allowed.

    found, stored: the number of findings of each file, by folder. A file that is not stored may
    have as many as the files of its folder that are gone: it may be one of them, renamed.
    """
    for folder, counts in found.items():
        allowed = stored.get(folder, {})
        spare = sum(number for name, number in allowed.items() if name not in counts)
        for name, number in counts.items():
            if name in allowed:
                limit = allowed[name]
            else:
                limit = spare
                spare = max(0, spare - number)
            if number > limit:
                yield f"{folder}/{name}".removeprefix("./"), number, limit


def table(sizes: dict[str, Counter[str]]) -> str:
    """Return a table with the findings of each folder, by their code and per 1,000 words."""
    lines = [
        f"{'folder':28}{'texts':>7}{'words':>8}" + "".join(f"{c:>6}" for c in CODES) + " /1000"
    ]
    for folder in [*sorted(sizes), "all"]:
        row = sizes[folder] if folder in sizes else sum(sizes.values(), Counter())
        rate = 1000 * sum(row[code] for code in RATED) / max(row["words"], 1)
        counts = "".join(f"{row[code]:>6}" for code in CODES)
        lines.append(f"{folder:28}{row['texts']:>7}{row['words']:>8}{counts}{rate:>6.1f}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Check files, print findings or write their numbers, and return 1 if there are too many."""
    option = arguments[0] if arguments and arguments[0].startswith("--") else ""
    if option not in ("", "--table", "--write") or (option and arguments[1:]):
        sys.exit((__doc__ or "").split("\n\n")[1])
    named = [Path(each).resolve() for each in arguments] if not option else []
    if absent := [each for each in named if not each.exists()]:
        sys.exit(f"{absent[0]} does not exist")
    checked = {path: check(path) for path in files(named or [ROOT / each for each in READ])}
    if named:
        return int(any([show(path, found) for path, (found, _, _) in checked.items()]))
    counts: dict[str, dict[str, int]] = {}
    sizes: dict[str, Counter[str]] = {}
    for path, (found, texts, words) in checked.items():
        inside = path.relative_to(ROOT)
        counts.setdefault(inside.parent.as_posix(), {})[inside.name] = len(found)
        folder = "/".join(inside.parts[:-1][: 3 if inside.parts[0] == "src" else 2]) or "."
        size = Counter({"texts": texts, "words": words}) + Counter(each.code for each in found)
        sizes[folder] = sizes.get(folder, Counter()) + size
    if option == "--table":
        print(table(sizes))
        return 0
    if option == "--write":
        kept = {folder: {f: n for f, n in each.items() if n} for folder, each in counts.items()}
        STORE.write_text(json.dumps({f: n for f, n in kept.items() if n}, indent=1) + "\n")
        return 0
    too_many = list(worse(counts, json.loads(STORE.read_text())))
    for name, number, limit in too_many:
        show(ROOT / name, checked[ROOT / name][0])
        print(f"{name}: {number} findings, allowed: {limit}. See docs/develop/plain-english.md.")
    return int(bool(too_many))


def show(path: Path, found: list[Finding]) -> bool:
    """Print the findings of a file, one on a line, and return True if there are any."""
    name = path.relative_to(ROOT).as_posix()
    for each in found:
        print(f'{name}:{each.line}: {each.code} {each.reason}: "{each.sentence[:100]}"')
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
