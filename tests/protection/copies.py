"""Copies of the project that tests run in, and the tests that kill a mutant there."""

import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

from mutating import Mutant

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("src/repatlas")
COMPILED = "compiling/", "geometry/", "experiments/clusters/", "experiments/drawn/", "networks/"
"""Folders with functions that numba compiles, and whose callers' machine code may have copies."""
MEMORY = 12 * 2**30
BATCHES = (4, 40), (12, 200), (math.inf, math.inf)
"""How many files, and tests, run first, then, and last: pytest imports all files at its start."""
ALIKE = 5
"""How many examples of a test run before the further examples of any test."""


def write_tree(tree: Path) -> bool:
    """Write a copy of the files of the project, or bring it up to date: it removes modules that are
    gone. Return whether code of the package has changed."""
    before = sources(tree)
    if not tree.exists():
        tree.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, tree], check=True)
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    files = {file for file in listed.split("\0") if file and (ROOT / file).is_file()}
    for file in files:
        old, new = tree / file, ROOT / file
        if not old.exists() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(new, old)
    for old in (*tree.glob("src/**/*.py"), *tree.glob("tests/**/*.py")):
        if str(old.relative_to(tree)) not in files:
            old.unlink()
    return sources(tree) != before


def sources(tree: Path) -> dict[str, bytes]:
    """Return the source of each module of the package, by its path below it."""
    folder = tree / SOURCE
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.py"))
    }


def environment(tree: Path) -> dict[str, str]:
    """Return the environment of tests that import the package of a copy."""
    left_out = {"PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS"}
    return {name: value for name, value in os.environ.items() if name not in left_out} | {
        "OMP_NUM_THREADS": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (tree / "src", Path(__file__).parent))),
    }


class Copy:
    """A copy of a tree, with one mutant at a time."""

    def __init__(self, tree: Path, folder: Path):
        shutil.rmtree(folder, ignore_errors=True)
        self.tree, self.folder = folder / "tree", folder
        self.source = self.tree / SOURCE
        # With times: compiled code stays up to date.
        shutil.copytree(tree, self.tree, symlinks=True)
        self.environment = environment(self.tree)

    def killer(self, mutant: Mutant, batches: list[list[str]], seconds: float) -> str | None:
        """Write a mutant, and return the first test that fails, or None. Then write the source and
        its time again, and remove what was compiled."""
        path = self.source / mutant.file
        source, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        cache = self.folder / "numba"
        if mutant.file.startswith(COMPILED):
            self.environment["NUMBA_CACHE_DIR"] = str(cache)
        # Python compares seconds and sizes alone.
        for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            bytecode.unlink()
        path.write_bytes(mutant.applied(source))
        try:
            return next(filter(None, (self.first_failure(each, seconds) for each in batches)), None)
        finally:
            for bytecode in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
                bytecode.unlink()
            path.write_bytes(source)
            os.utime(path, ns=times)
            shutil.rmtree(cache, ignore_errors=True)
            self.environment.pop("NUMBA_CACHE_DIR", None)

    def first_failure(self, tests: list[str], seconds: float) -> str | None:
        """Run tests up to the first failure, write their output, and kill what they leave running.
        Return the test that failed, or the signal that ended all (SIGXCPU after too much time), or
        "import" where pytest could not begin."""
        (self.folder / "tests").write_text("\n".join(tests), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
        command += ["--tb=line", f"--basetemp={self.folder / 'temporary'}"]
        limit = int(60 + 5 * seconds)

        def set_limits() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        process = subprocess.Popen(
            [*command, f"@{self.folder / 'tests'}"], cwd=self.tree, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, errors="replace", start_new_session=True, preexec_fn=set_limits,
        )  # fmt: skip
        try:
            output, _ = process.communicate(timeout=20 * limit)
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        (self.folder / "output").write_text(output)
        if process.returncode == 0:
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (\S+\.py::.*?)(?: - .*)?$", output, re.MULTILINE)
        if failed:
            return failed[1]
        if process.returncode < 0:
            return signal.Signals(-process.returncode).name
        # The mutant changes the examples of a test, or their names.
        whole = list(dict.fromkeys(test.split("[")[0] for test in tests))
        if whole != tests:
            return self.first_failure(whole, seconds)
        return "import" if process.returncode != 5 else None

    def slow(self, tests: list[str]) -> set[str]:
        """Return the tests that `make test` leaves out."""
        command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "slow", *tests]
        found = subprocess.run(
            command,
            cwd=self.tree,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return {test for test in tests if test in found.stdout.splitlines()}


def batches_of(tests: set[str], seconds: dict[str, float], limit: float) -> list[list[str]]:
    """Return tests in the order in which they run, up to a limit of seconds. Each batch is for one
    process. Quick tests come first, and a few examples of each test before its other examples."""
    rank, keys = Counter(), {}
    for test in sorted(tests, key=lambda each: (seconds[each], each)):
        name = test.split("[")[0]
        keys[test] = rank[name] // ALIKE, seconds[test], test
        rank[name] += 1
    total, waiting = 0.0, []
    for test in sorted(keys, key=keys.get):
        total += seconds[test]
        if total <= limit or not waiting:
            waiting.append(test)
    batches = []
    for most_files, most_tests in BATCHES:
        batch, files = [], set()
        for test in waiting:
            file = test.split("::")[0]
            if len(batch) < most_tests and (file in files or len(files) < most_files):
                batch.append(test)
                files.add(file)
        waiting = [test for test in waiting if test not in set(batch)]
        batches += [batch] if batch else []
    return batches
