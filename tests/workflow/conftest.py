"""The real Snakemake on a small copy of the project, in a separate folder."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import psutil
import pytest
import yaml
from filelock import FileLock
from warm import WarmSnakemake

from repatlas.artifacts.files import Arrays
from repatlas.workflow.results import read_json

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "Makefile", "workflow", "profiles", "src", "envs")
SECONDS = 600
"""After which a command counts as hanging."""
MAKE_NOTHING = ("all", "reports", "structure", "total")
WARM_PATH = Path(__file__).with_name("warm_path")
"""Lets Snakemake start the scripts of jobs as forks."""
WARM = WarmSnakemake()


@pytest.fixture(scope="session", autouse=True)
def warm():
    yield
    WARM.stop()


@pytest.fixture(scope="session", autouse=True)
def interrupts():
    """A shell's background jobs ignore interrupts, and so does all that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Project:
    """A copy of the workflow and the package, with the config of tiny.yaml."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.results = folder / "results"
        self.config = folder / "config.yaml"
        # The copy's package, not the one that the environment has installed.
        self.environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{WARM_PATH}",
            # Where SLURM is installed, Snakemake asks it at every start, and it the name server.
            "SLURM_CONF": os.devnull,
            # Compiling would take longer than all jobs of tiny.yaml together.
            "NUMBA_DISABLE_JIT": "1",
        }
        # More than half of each job's time would go into compiling the package.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(self, *words: str, stdout=subprocess.PIPE, warm=False) -> subprocess.Popen:
        """Start a command in a separate process group, so that all of its processes can be
        ended. warm: its jobs are forked with their imports."""
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment | (self.variables_of_stages() if warm else {}),
            text=True,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def job_at_work(
        self, workflow: subprocess.Popen, stage: str, moment: Callable[[list[str]], bool]
    ) -> psutil.Process:
        """Return the process of a job of this Snakemake, once `moment` is true of its command."""
        for _ in range(30_000):
            time.sleep(0.01)
            assert workflow.poll() is None, workflow.stdout.read()
            for process in psutil.Process(workflow.pid).children(recursive=True):
                try:
                    words = process.cmdline()
                except psutil.Error:  # it has just ended
                    continue
                if any(word.endswith(".stage.py") for word in words) and moment(words):
                    return process
        raise TimeoutError(f"no {stage} job within five minutes")

    def variables_of_stages(self) -> dict[str, str]:
        """Return the variable that names the Python of the scripts of jobs."""
        return {"PYTHON_OF_STAGES": str(WARM.python_of_jobs)}

    def command(self, *words: str) -> subprocess.CompletedProcess:
        process = self.start(*words)
        try:
            output, _ = process.communicate(timeout=SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        return subprocess.CompletedProcess(words, process.returncode, output)

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess:
        words = (shutil.which("snakemake"), *arguments, "--cores", "2")
        with tempfile.NamedTemporaryFile("r") as log:
            environment = self.environment | self.variables_of_stages()
            code = WARM.run(words, self.folder, environment, log.name, SECONDS)
            return subprocess.CompletedProcess(words, code, log.read())

    def make(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run `make` in the present environment."""
        return self.command("make", "--old-file=env", *arguments)

    def use(self, name: str) -> None:
        """Replace the config by another one in the folder of this file."""
        shutil.copy(Path(__file__).with_name(f"{name}.yaml"), self.config)

    def run(self, *arguments: str) -> str:
        """Run Snakemake and return what it prints. Remove the logs of earlier training first."""
        for logs in self.folder.glob("results/**/logs/train*"):
            shutil.rmtree(logs)
        done = self.snakemake(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def fail(self, *arguments: str) -> str:
        """Run Snakemake, which must fail, and return what it prints."""
        done = self.snakemake(*arguments)
        assert done.returncode != 0, done.stdout
        return done.stdout

    def plan(self, *arguments: str) -> dict[str, int]:
        """Return how often each rule would run, except for rules that make nothing."""
        done = self.snakemake(*arguments, "--dry-run", "--quiet", "rules", "host")
        text = done.stdout
        assert done.returncode == 0, text
        jobs = {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", text, re.MULTILINE)}
        assert jobs or "Nothing to be done" in text, text
        return {rule: number for rule, number in jobs.items() if rule not in MAKE_NOTHING}

    def ask(self, *words: str) -> subprocess.CompletedProcess:
        return self.command(str(WARM.python_of_jobs), "-m", "repatlas", *words)

    def verify(self) -> tuple[int, str]:
        """Run `verify`, and return its exit code and last line: how many files are fresh, stale,
        damaged and so on. The output is shown if a test fails."""
        done = self.ask("verify")
        print(done.stdout)
        return done.returncode, re.search(r"^.*\d+ fresh.*$", done.stdout, re.M).group()

    def edit_config(self, change) -> None:
        """Change the values of config.yaml by a function, and write them."""
        values = yaml.safe_load(self.config.read_text())
        change(values)
        self.config.write_text(yaml.safe_dump(values, sort_keys=False))

    def edit_source(self, file: str, old: str, new: str) -> None:
        path = self.folder / "src/repatlas" / file
        text = path.read_text()
        assert old in text, f"{file} no longer has {old!r}"
        path.unlink()
        path.write_text(text.replace(old, new))

    def table(self, figure: str) -> pd.DataFrame:
        return pd.read_parquet(self.results / f"structure/tables/{figure}.parquet")

    def networks(self, figure: str) -> pd.DataFrame:
        """Return the rows of a figure's table that are about networks, without differences."""
        table = self.table(figure)
        return table[table["contrast"].isna()]

    def trained(self) -> pd.DataFrame:
        """Return the networks that the last run trained, by its logs."""
        networks = [
            spec["task"] | spec["network"] | {"seed": seed}
            for log in self.train_logs()
            for seed, spec in self._specs(log)
        ]
        columns = ["kind", "activation", "hidden_bias", "delta", "noise_variance", "seed"]
        return pd.DataFrame(networks, columns=columns)

    def train_logs(self) -> list[Path]:
        return sorted(self.folder.glob("results/**/logs/train/**/*.log"))

    def trained_specs(self) -> list[dict]:
        """Return the specs of the networks that the last run trained, each once for each seed."""
        return [spec for log in self.train_logs() for _, spec in self._specs(log)]

    def _specs(self, log: Path) -> list[tuple[int, dict]]:
        """Return the networks that a job trained, each with its seed."""
        listed = str(log).replace("/logs/train/", "/runs/")
        listed = Path(re.sub(r"\.[0-9a-f]{16}\.log$", ".json", listed))
        networks = read_json(listed)["content"]["networks"]
        found, seed = [], 0
        for line in log.read_text().splitlines():
            if of_seed := re.match(r"\d+ networks of seed (\d+):", line):
                seed = int(of_seed[1])
            elif block := re.fullmatch(r"block .*: ([0-9a-f ]+)", line):
                for key in block[1].split():
                    about = networks[f"{key}/{seed}"]
                    file = Arrays(self.folder / "results/store" / about["file"], "networks")
                    found.append((seed, file.header["runs"][about["identity"]]["spec"]))
        return found

    def contents(self, *folders: str) -> dict[str, bytes]:
        """Return the bytes of each file in these folders of the results."""
        return {
            str(path.relative_to(self.results)): path.read_bytes()
            for folder in folders
            for path in sorted((self.results / folder).rglob("*"))
            if path.is_file() and not path.name.startswith(".")
        }

    def clone(self, folder: Path) -> "Project":
        """Copy the folder, with the results, Snakemake's records and the times of all files. Files
        of the package are links to the same files: `edit_source` replaces one."""

        def copy(file: str, to: str) -> None:
            package = f"{self.folder}/src/"
            (os.link if file.startswith(package) else shutil.copy2)(file, to)

        shutil.copytree(self.folder, folder, symlinks=True, copy_function=copy)
        return Project(folder)

    def remove(self) -> None:
        shutil.rmtree(self.folder)


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Copies of projects that are made once for all processes of the tests. The first process that
    asks for a project makes it, in a new folder; other processes wait."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    copies = []

    def shared(name: str, make: Callable[[Path], object]) -> Project:
        original, made = (folder / "shared" / part for part in (name, f"{name}.made"))
        original.parent.mkdir(exist_ok=True)
        with FileLock(f"{original}.lock"):
            if not made.exists():
                make(original)
                made.touch()
        copies.append(Project(original).clone(tmp_path_factory.mktemp(name) / "project"))
        return copies[-1]

    yield shared
    for copy in copies:
        copy.remove()


@pytest.fixture(scope="session")
def results_of(shared, make_project):
    """Projects with all results, by the name of a config in this folder. For reading only."""

    def results_of(name: str) -> Project:
        def make(folder: Path) -> None:
            project = make_project(folder)
            project.use(name)
            project.run()

        return shared(name, make)

    return results_of


@pytest.fixture(scope="session")
def template(shared):
    """The workflow and the package, compiled."""

    def make(folder):
        folder.mkdir()
        for part in PARTS:
            source, copy = ROOT / part, folder / part
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.egg-info"))
            else:
                shutil.copy2(source, copy)
        shutil.copy2(Path(__file__).parent / "tiny.yaml", folder / "config.yaml")
        done = Project(folder).command(sys.executable, "-m", "compileall", "-q", "src")
        assert done.returncode == 0, done.stdout

    return shared("template", make)


@pytest.fixture(scope="session")
def make_project(template):
    """A project without results."""
    return template.clone


@pytest.fixture(scope="session")
def done(shared, make_project):
    """A project with all results. For reading only."""
    return shared("done", lambda folder: make_project(folder).run())


@pytest.fixture(scope="session")
def previewed(shared, done):
    """A finished project with a preview drawn after it. For reading only."""
    return shared("previewed", lambda folder: done.clone(folder).run("--config", "preview=true"))


@pytest.fixture
def project(done, tmp_path):
    """A project with all results, to change."""
    project = done.clone(tmp_path / "project")
    yield project
    project.remove()


@pytest.fixture
def fresh(make_project, tmp_path):
    """A project without results, to change."""
    project = make_project(tmp_path / "project")
    yield project
    project.remove()
