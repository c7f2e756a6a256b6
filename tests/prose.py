"""Find prose that is hard to read.

    python tests/prose.py            fail if there is a finding
    python tests/prose.py PATH ...   read only these files and folders
    python tests/prose.py --table    count the findings of each folder

The check reads docstrings, comments, messages of exceptions, and pages. Code blocks, doctests,
indented formulas and `literals` are left out, and so are lines with the words "prose: ok".
The rules are explained in docs/develop/plain-english.md and written in tests/plain. Codes:

    S1  a docstring or comment starts with a word that needs the name above it (Of, Those, As ...)
    P1  it starts with a pronoun without a noun (It, They, Its ...)
    D1  the docstring of a function does not start with a verb
    D2  a docstring of fewer than four words
    E1  a function changes files or processes, and the first sentence does not say so
    L1  a sentence of more than 30 words
    X1  an inverted phrase ("that of", "of which", "is to be" ...)
    W1  a word in an uncommon sense
    I1  a function or class whose name does not say what it does
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from plain.findings import check

ROOT = Path(__file__).resolve().parents[1]
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
    """Check files and print what is found, or a table. Return 1 if there are findings."""
    is_table = arguments == ["--table"]
    named = [] if is_table else [Path(each).resolve() for each in arguments]
    if absent := [each for each in named if not each.exists()]:
        sys.exit(f"{absent[0]} does not exist")
    sizes: dict[str, Counter[str]] = {}
    for path in files(named or [ROOT / each for each in READ]):
        inside = path.relative_to(ROOT)
        found, texts, words = check(path)
        folder = "/".join(inside.parts[:-1][: 3 if inside.parts[0] == "src" else 2]) or "."
        size = Counter({"texts": texts, "words": words}) + Counter(each.code for each in found)
        sizes[folder] = sizes.get(folder, Counter()) + size
        for each in [] if is_table else found:
            print(f'{inside}:{each.line}: {each.code} {each.reason}: "{each.sentence[:100]}"')
    if is_table:
        print(table(sizes))
        return 0
    return int(any(size[code] for size in sizes.values() for code in CODES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
