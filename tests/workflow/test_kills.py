"""Killed at any moment, in any way, and started again with the same command: nothing is lost."""

import os
import random
import re
import signal
import time
from functools import partial

import psutil
import pytest
from longer_training import LONG, longer

from repatlas.artifacts.files import Unreadable, read_header

FOLDERS = ("data", "runs", "metrics", "structure/tables", "structure/figures")
STAGES = ("prepare", "train", "measure", "tabulate", "plot")
SECONDS = 120
"""Without a word, after which a workflow counts as hanging."""
COMMAND = ("snakemake", "--cores", "2", "--set-resources", "train:flush_seconds=0")


def kill_everything(workflow):
    os.killpg(workflow.pid, signal.SIGKILL)


def kill_snakemake_alone(workflow):
    """Kill Snakemake; its jobs continue to run while the next Snakemake starts others."""
    workflow.kill()


def terminate(workflow):
    workflow.terminate()


def interrupt(workflow):
    """Send an interrupt to all processes of a workflow, as a terminal does."""
    os.killpg(workflow.pid, signal.SIGINT)


def kill_a_job(workflow):
    jobs = [p for p in descendants(workflow) if "repatlas" in words(p)]
    if jobs:
        random.choice(jobs).kill()


WAYS = [kill_everything, kill_snakemake_alone, terminate, interrupt, kill_a_job]


def descendants(workflow):
    try:
        return psutil.Process(workflow.pid).children(recursive=True)
    except psutil.Error:
        return []


def words(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def finished_runs(project):
    """Return for each shard the keys of the runs that are stored at the end of their training."""
    found = {}
    for file in (project.results / "store/runs").rglob("*.safetensors"):
        shard = file.parent.parent if file.parent.name == "parts" else file.parent
        try:
            runs = read_header(file, "runs")["runs"]
        except (Unreadable, OSError):  # it has just been replaced or removed
            continue
        last = {key: about["steps"][-1] for key, about in runs.items()}
        done = {key for key, step in last.items() if step == LONG}
        found.setdefault(str(shard.relative_to(project.results / "store/runs")), set()).update(done)
    return found


def trained_again(project, before):
    """Return the runs that were trained since, by the logs, though their end had been stored."""
    again = []
    for log in (project.results / "logs/train").rglob("*.log"):
        shard = ""
        for line in log.read_text().splitlines():
            if of_seed := re.match(r"\d+ networks of seed (\d+):", line):
                folder = log.parent.relative_to(project.results / "logs/train")
                shard = f"{folder}/seed-{of_seed[1]}"
            elif block := re.fullmatch(r"block .*: ([0-9a-f ]+)", line):
                done = before.get(shard, set())
                again += [f"{shard} {key}" for key in block[1].split() if key in done]
    return again


def differing(project, other):
    """Return the files that differ in a byte, or are missing in one project."""
    mine, theirs = project.contents(*FOLDERS), other.contents(*FOLDERS)
    return [name for name in sorted(mine | theirs) if mine.get(name) != theirs.get(name)]


class Watched:
    """A workflow whose silence is noticed, however slow the machine is."""

    def __init__(self, project):
        self.said = project.folder / "said"
        with self.said.open("w") as file:
            self.process = project.start(*COMMAND, stdout=file)

    def until(self, true):
        """Wait until something is true, or the workflow has ended."""
        heard, size = time.monotonic(), 0
        while self.process.poll() is None and not true():
            time.sleep(0.01)
            if (now := self.said.stat().st_size) != size:
                heard, size = time.monotonic(), now
            if time.monotonic() > heard + SECONDS:
                tree = "\n".join(" ".join(words(p)) for p in descendants(self.process))
                os.killpg(self.process.pid, signal.SIGKILL)
                pytest.fail(f"it hangs: {self.said.read_text()}\nIts processes:\n{tree}")

    def at_work(self, stage):
        found = [words(p)[1:4] for p in descendants(self.process)]
        return ["-m", "repatlas", stage] in found

    def end(self):
        self.until(lambda: False)
        return self.process.returncode


@pytest.mark.slow
def test_kills_in_each_way_and_each_stage_change_no_table_and_cost_no_finished_network(
    fresh, undisturbed
):
    """The workflow is killed in one stage after the other, each time in another way, and ends."""
    chance = random.Random(0)
    fresh.edit_config(longer)
    killed = set()
    for stage, way in zip(STAGES, WAYS, strict=True):
        before = finished_runs(fresh)
        for log in (fresh.results / "logs/train").rglob("*.log"):
            log.unlink()
        workflow = Watched(fresh)
        workflow.until(partial(workflow.at_work, stage))
        # What outlived the kill before may have made all of this stage.
        if workflow.process.poll() is None:
            time.sleep(chance.uniform(0, 1.5))
            way(workflow.process)
            killed |= {stage, way}
        workflow.end()
        assert trained_again(fresh, before) == [], (stage, way)
    workflow = Watched(fresh)
    assert workflow.end() == 0, workflow.said.read_text()
    assert differing(fresh, undisturbed) == []
    assert fresh.verify()[0] == 0
    # What outlived a kill may have done all of a stage, but not of two.
    assert len(killed) >= len(STAGES) + len(WAYS) - 2
