"""What a user does in a folder, in the user's words, for the table of histories.

`networks_trained`, `MOMENTS` and `has_reached` alone know what jobs log, and `networks_stored`
where networks are. All else is what users see: config, code, commands, and files by their names.
"""

import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import yaml

STORED_AT_ONCE = ("--set-resources", "train:flush_seconds=0")
"""A killed job loses no network but the one at work."""
MOMENTS = {
    "training has begun": ("train", "to train"),
    "half is trained": ("train", "block 1 of 2"),
    "measuring has begun": ("measure", "rows of"),
}
"""The stage of each moment, and what its log then says."""


def networks_trained(results: Path) -> int:
    """Return how often a network was trained to its end. One that is trained again is counted
    again; one at work in a killed job is not."""
    number = 0
    for log in results.rglob("logs/train/**/*.log*"):
        text = log.read_text()
        for keys in re.findall(r"^block .*: ([0-9a-f ]+)$", text, re.M):
            number += len(keys.split())
        drawn = re.findall(r"^(\d+) of \d+ networks with drawn functions", text, re.M)
        number += int(drawn[-1]) if drawn else 0
    return number


def has_reached(results: Path, moment: str) -> bool:
    """Return whether a job of the latest command is at this moment of its work, or past it."""
    stage, text = MOMENTS[moment]
    return any(text in log.read_text() for log in results.rglob(f"logs/{stage}/**/*.log"))


def networks_stored(results: Path) -> list[Path]:
    return sorted((results / "store/networks").rglob("*.safetensors"))


LAST_STEP = {"long": 6000, "ten seconds": 100_000}


def write_config(project, name: str) -> None:
    here = Path(__file__).parent
    values = yaml.safe_load((here / "tiny.yaml").read_text())
    if name in ("noise", *LAST_STEP):  # Figure 3 alone: eight networks, in one job
        values["figures"] = {"fig03": values["figures"]["fig03"]}
        values["sweeps"] = {"noise": values["sweeps"]["noise"]}
    if name in LAST_STEP:  # training that one can kill
        values["sweeps"]["noise"]["steps"] = [10, 20, LAST_STEP[name]]
    values = yaml.safe_load((here / "histories.yaml").read_text()).get(name, values)
    project.config.write_text(yaml.safe_dump(values, sort_keys=False))


class History:
    """A user's folder, and what is done in it."""

    def __init__(self, project):
        self.project, self.commands = project, 0
        for log in project.results.rglob("logs/train/**/*.log*"):
            log.unlink()

    def file(self, name: str) -> Path:
        """Return a file of the results by the name that users know."""
        return self.project.results / name

    def run(self, *arguments: str) -> str:
        """Run Snakemake to a good end, and return what it prints."""
        said, code = self.run_or_refused(*arguments)
        assert code == 0, said
        return said

    def run_or_refused(self, *arguments: str) -> tuple[str, int]:
        """Run Snakemake, and return what it prints and its exit code."""
        self.keep_logs()
        done = self.project.snakemake(*arguments)
        return done.stdout, done.returncode

    def start(self, *arguments: str) -> subprocess.Popen:
        """Start Snakemake in the background."""
        self.keep_logs()
        words = ("snakemake", "--cores", "2", *STORED_AT_ONCE, *arguments)
        return self.project.start(*words, warm=True)

    def wait_until(self, moment: str, workflow: subprocess.Popen) -> None:
        while not has_reached(self.project.results, moment):
            if workflow.poll() is not None:
                raise RuntimeError(f"it ended before {moment}: {workflow.stdout.read()}")
            time.sleep(0.005)

    def keep_logs(self) -> None:
        """Rename logs, which the next command would overwrite. Running jobs write on in theirs."""
        self.commands += 1
        for stage in ("train", "measure"):
            for log in self.project.results.rglob(f"logs/{stage}/**/*.log"):
                log.rename(f"{log}.{self.commands}")

    def shown(self) -> dict[str, bytes]:
        """Return the bytes of all tables, figures and claims, by the names that users know."""
        studies = [path.parent.name for path in self.project.results.glob("*/tables")]
        parts = ("tables", "figures", "claims")
        return self.project.contents(*(f"{study}/{part}" for study in studies for part in parts))

    def tree(self) -> dict[str, str]:
        """Return each file of the folder, without caches, with where it leads, or the digest of
        its bytes."""
        found = {}
        for path in self.project.folder.rglob("*"):
            name = str(path.relative_to(self.project.folder))
            if not re.search(r"\.snakemake|__pycache__|\.digests\.json", name):
                if path.is_symlink():
                    found[name] = os.readlink(path)
                elif path.is_file():
                    found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found


def clean_run(project, folder: Path) -> None:
    """Copy a project to a new folder, remove all that was made there, and run Snakemake."""
    source = project.folder / "src"
    edited = [file for file in source.rglob("*.py") if file.stat().st_nlink == 1]  # no link to ours
    new = project.clone(folder)
    if "NUMBA_DISABLE_JIT" not in project.environment:
        new.environment.pop("NUMBA_DISABLE_JIT")
    for part in ("results", ".snakemake"):
        shutil.rmtree(folder / part, ignore_errors=True)
    made = [*(folder / "src").rglob("*.nb?")]  # what numba made, and Python
    for file in edited:
        cache = folder / "src" / file.relative_to(source).with_name("__pycache__")
        made += cache.glob(f"{file.stem}.*.pyc")
    for file in made:
        file.unlink()
    History(new).run()


def what_decides(project) -> str:
    """Return a digest of the config and code of a project."""
    found = [f"{'NUMBA_DISABLE_JIT' in project.environment}".encode()]
    for part in ("config.yaml", "src"):
        for path in sorted([project.folder / part, *(project.folder / part).rglob("*")]):
            if path.is_file() and path.parent.name != "__pycache__":
                found += [str(path.relative_to(project.folder)).encode(), path.read_bytes()]
    return hashlib.sha256(b"\0".join(found)).hexdigest()[:12]
