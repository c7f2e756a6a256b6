"""Do the tests notice a fault in the code? Puts small faults into a copy of it, one at a time.

    python tests/protection/mutants.py map                 which test reaches which line (long)
    python tests/protection/mutants.py draw --number 150   draw faults, by the hash of the commit
    python tests/protection/mutants.py run                 run the tests that reach each fault
    python tests/protection/mutants.py rerun --number 60   run those again whose code is still there
    python tests/protection/mutants.py try LINE TEST ...   run these tests on a fault of the list
    python tests/protection/mutants.py check               do the tests pass without the faults?
    python tests/protection/mutants.py table               count the outcomes of each folder

Needs coverage.py: pip install coverage. The list is mutants.jsonl, a line for each fault. Outcomes:
"killed" by a test; "survived" all tests that reach it; "undecided", as these take more than
--seconds; "unreached" by any test. A reader of the code writes "equivalent" there, with a note, for
a fault that changes no result. The map and the copies are in --work.
"""

import argparse
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import Queue

from copies import ROOT, Copy, batches_of, environment, sources, write_tree
from mutating import Mutant, mutants
from reach import SETTINGS, Reach

LIST = Path(__file__).with_suffix(".jsonl")
KEPT = "file", "line", "function", "kind", "before", "after", "nth"
"""What the list has of a mutant."""
OUTCOMES = "killed", "survived", "equivalent", "undecided", "unreached"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("arguments", nargs="*", help="of try; of map: options of pytest, after --")
    parser.add_argument("--number", type=int, default=150)
    parser.add_argument("--seed", help="default: the hash of the commit")
    parser.add_argument("--seconds", type=float, default=60, help="of tests for each fault")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "mutants")
    options = parser.parse_args()
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    options.seed = options.seed or head
    options.work = options.work.resolve()
    options.tree, options.reach = options.work / "tree", options.work / "reach"
    COMMANDS[options.command](options)


def map_tests(options: argparse.Namespace) -> None:
    """Write which test reaches which line. Continues a map of the same code, removes another."""
    if write_tree(options.tree):
        shutil.rmtree(options.reach, ignore_errors=True)
    options.reach.mkdir(exist_ok=True)
    settings = options.reach / "settings.ini"
    settings.write_text(SETTINGS.format(tree=options.tree, folder=options.reach))
    folders = {"MUTANTS_TREE": str(options.tree), "MUTANTS_REACH": str(options.reach)}
    tests = options.arguments or ["-m", "not slow", "tests/unit"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "reach", "-n", str(options.jobs), *tests],
        check=False,
        cwd=options.tree,
        env=environment(options.tree) | {"COVERAGE_PROCESS_START": str(settings)} | folders,
    )


def draw(options: argparse.Namespace) -> None:
    """Write a new list."""
    files = sources(ROOT)
    drawn = drawn_from(files, options.number, options.seed)
    write_list([{key: asdict(each)[key] for key in KEPT} for each in drawn])


def drawn_from(files: dict[str, bytes], number: int, seed: str) -> list[Mutant]:
    """Return mutants. Folders get numbers by the square roots of their lines. In a folder, all
    statements are as likely, then the kinds of faults of a statement, then their places."""
    rng, drawn = random.Random(seed), []
    statements, sizes = defaultdict(list), Counter()
    for file, source in files.items():
        statements[folder_of(file)] += mutants(file, source)
        sizes[folder_of(file)] += source.count(b"\n")
    for folder, share in shares(sizes, number).items():
        order = iter(rng.sample(statements[folder], len(statements[folder])))
        while share:
            faults = next(order)
            kind = rng.choice(sorted({each.kind for each in faults}))
            mutant = rng.choice([each for each in faults if each.kind == kind])
            if mutant.is_valid(files[mutant.file]):
                drawn.append(mutant)
                share -= 1
    return sorted(drawn, key=lambda each: (each.file, each.start))


def folder_of(file: str) -> str:
    """Return the folder that a file counts for. Each study and each experiment is a folder."""
    first, *others = Path(file).parts[:-1] or (".",)
    return "/".join([first, *others[:1]]) if first in ("studies", "experiments") else first


def shares(sizes: dict[str, int], number: int) -> dict[str, int]:
    """Return how many of a number each folder gets, by the square roots of sizes."""
    roots = {folder: math.sqrt(size) for folder, size in sizes.items()}
    exact = {folder: number * root / sum(roots.values()) for folder, root in roots.items()}
    result = {folder: int(share) for folder, share in exact.items()}
    by_remainder = sorted(exact, key=lambda each: result[each] - exact[each])
    for folder in by_remainder[: number - sum(result.values())]:
        result[folder] += 1
    return result


def run(options: argparse.Namespace) -> None:
    """Run the tests that reach each mutant of the list without an outcome. Write each outcome."""
    rows = read_list()
    waiting = [row for row in rows if "outcome" not in row]
    examine(options, waiting, lambda: write_list(rows))


def rerun(options: argparse.Namespace) -> None:
    """Run some of the list again. Print those that a test killed before and none kills now."""
    rows = read_list()
    there = [row for row, found in zip(rows, find(rows, sources(ROOT)), strict=True) if found]
    again = random.Random(options.seed).sample(there, min(options.number, len(there)))
    print(f"The code of {len(there)} mutants of {len(rows)} is there; {len(again)} run again.")
    before = [dict(row) for row in again]
    examine(options, again, lambda: None)
    lost = [
        f"killed before by {old['killer']}, now {row['outcome']}: {describe(row)}"
        for row, old in zip(again, before, strict=True)
        if old["outcome"] == "killed" != row["outcome"]
    ]
    print(*lost, f"{len(lost)} are killed no longer.", sep="\n")
    sys.exit(bool(lost))


def try_tests(options: argparse.Namespace) -> None:
    """Run tests on one mutant of the list. Write it there if a test kills it."""
    number, *tests = options.arguments
    rows = read_list()
    row = rows[int(number) - 1]
    write_tree(options.tree)
    (mutant,) = find([row], sources(options.tree))
    copy = Copy(options.tree, options.work / "try")
    if failure := copy.first_failure(tests, 600):
        sys.exit(f"without the fault this fails: {failure}")
    killer = copy.killer(mutant, [tests], 600)
    print(describe(row), f"killer: {killer}", sep="\n")
    if killer:
        row |= {"outcome": "killed", "killer": killer}
        write_list(rows)


def check(options: argparse.Namespace) -> None:
    """Run all tests that killed a mutant, after a change without effect of each file. Write whether
    `make test` runs them."""
    write_tree(options.tree)
    copy, rows = Copy(options.tree, options.work / "check"), read_list()
    killed = [row for row in rows if row.get("outcome") == "killed"]
    for file in {row["file"] for row in killed}:
        with (copy.source / file).open("a") as text:
            text.write("\n_UNCHANGED = None\n")
    tests = sorted({row["killer"] for row in killed if "::" in row["killer"]})
    failure = copy.first_failure(tests, 600)
    slow = copy.slow(tests)
    for row in killed:
        row["make test"] = row["killer"] not in slow
    write_list(rows)
    print(f"{len(tests)} tests killed a mutant. Without one, this test fails: {failure}")
    sys.exit(failure is not None)


def print_table(options: argparse.Namespace) -> None:
    """Print the outcomes of each folder."""
    counts = defaultdict(Counter)
    for row in read_list():
        for folder in (folder_of(row["file"]), "all"):
            counts[folder][row.get("outcome")] += 1
    print(f"| folder | drawn | {' | '.join(OUTCOMES)} |", "|---" * 7 + "|", sep="\n")
    for folder in sorted(counts, key=lambda each: (each == "all", each)):
        numbers = counts[folder].total(), *(counts[folder][each] for each in OUTCOMES)
        print(f"| {folder} | {' | '.join(map(str, numbers))} |")


COMMANDS = {"map": map_tests, "draw": draw, "run": run, "rerun": rerun, "try": try_tests}
COMMANDS |= {"check": check, "table": print_table}


def read_list() -> list[dict]:
    return [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()]


def write_list(rows: list[dict]) -> None:
    new = LIST.with_suffix(".new")
    new.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    new.replace(LIST)


def describe(row: dict) -> str:
    return f"{row['file']}:{row['line']} {row['function']}: {row['before']} => {row['after']}"


def find(rows: list[dict], files: dict[str, bytes]) -> list[Mutant | None]:
    """Return the mutant of each row, from its file, or from the only file that has such code."""
    known = defaultdict(dict)
    for file, source in files.items():
        for each in (mutant for statement in mutants(file, source) for mutant in statement):
            known[each.identity][file] = each
    alike = [known[tuple(row[key] for key in KEPT[2:])] for row in rows]
    return [
        those.get(row["file"]) or (next(iter(those.values())) if len(those) == 1 else None)
        for row, those in zip(rows, alike, strict=True)
    ]


def examine(options: argparse.Namespace, rows: list[dict], write: Callable[[], None]) -> None:
    """Run tests on each mutant, in a copy of the project for each job. Add the outcomes to rows."""
    write_tree(options.tree)
    reach, copies = Reach(options.tree, options.reach), Queue()
    found = find(rows, sources(options.tree))
    reaching = [reach.tests_of(mutant) for mutant in found]
    for job in range(options.jobs):
        copies.put(Copy(options.tree, options.work / f"job-{job}"))

    def examine_one(row: dict, mutant: Mutant, reached: tuple[set[str], str]) -> None:
        tests, row["reached"] = reached
        batches = batches_of(tests, reach.seconds, options.seconds)
        row["tests"], row["of"] = sum(map(len, batches)), len(tests)
        copy, killer = copies.get(), row.get("killer")
        # A slow or a new test is not in the map.
        if killer and (killer in reach.seconds or not copy.first_failure([killer], 600)):
            batches.insert(0, [killer])
        row["killer"] = copy.killer(mutant, batches, options.seconds)
        copies.put(copy)
        survived = "undecided" if row["tests"] < row["of"] else "survived"
        row["outcome"] = "killed" if row["killer"] else survived if tests else "unreached"
        print(f"{row['outcome']}: {describe(row)}", flush=True)
        write()

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(examine_one, rows, found, reaching))


if __name__ == "__main__":
    main()
