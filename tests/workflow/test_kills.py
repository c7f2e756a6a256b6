"""Killed at any moment, in any way, and started again with the same command: nothing is lost."""

import os
import random
import re
import signal
import time

import psutil
import pytest

from repatlas.artifacts.files import Unreadable, read_header

FOLDERS = ("runs", "metrics", "tables", "figures")
KILLS = 40
LONG = 3000
"""Steps that keep a job busy for a second or two, over several flushes."""
SECONDS = 600
"""After which a workflow counts as hanging: with a job killed it goes on to its end."""
COMMAND = ("snakemake", "--cores", "2", "--set-resources", "train:flush_seconds=0")


def longer(config):
    config["sweeps"]["separability"]["steps"] = [10, 20, LONG]
    config["sweeps"]["unstructured"]["steps"] = [0, 10, LONG]


def kill_everything(workflow):
    os.killpg(workflow.pid, signal.SIGKILL)


def kill_snakemake_alone(workflow):
    """Its jobs live on beside those of the next Snakemake."""
    workflow.kill()


def terminate(workflow):
    workflow.terminate()


def interrupt(workflow):
    """As the terminal does it: the signal goes to all."""
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
    """Of each shard, the keys of the runs that are stored at the end of their training."""
    found = {}
    for file in (project.results / "runs").rglob("*.safetensors"):
        is_part = file.parent.suffix == ".parts"
        shard = file.parent.with_suffix("") if is_part else file.with_suffix("")
        try:
            runs = read_header(file, "runs")["runs"]
        except (Unreadable, OSError):  # it has just been replaced or removed
            continue
        last = {key: about["steps"][-1] for key, about in runs.items()}
        done = {key for key, step in last.items() if step == LONG}
        found.setdefault(str(shard.relative_to(project.results / "runs")), set()).update(done)
    return found


def trained_again(project, before):
    """The runs that the logs say were trained since, though they were stored at their end."""
    again = []
    for shard, done in before.items():
        log = project.results / "logs/train" / f"{shard}.log"
        text = log.read_text() if log.exists() else ""
        keys = " ".join(re.findall(r"^block .*: ([0-9a-f ]+)$", text, re.MULTILINE)).split()
        again += [f"{shard} {key}" for key in keys if key in done]
    return again


def differing(project, other):
    """The files that are not the same, byte by byte, or not in both."""
    mine, theirs = project.contents(*FOLDERS), other.contents(*FOLDERS)
    return [name for name in sorted(mine | theirs) if mine.get(name) != theirs.get(name)]


@pytest.mark.slow
def test_forty_kills_at_random_moments_change_no_table_and_cost_no_finished_network(
    fresh, done, tmp_path
):
    chance = random.Random(0)
    undisturbed = done.clone(tmp_path / "undisturbed")
    undisturbed.edit_config(longer)
    undisturbed.run()

    fresh.edit_config(longer)
    kills = dict.fromkeys((way.__name__ for way in WAYS), 0)
    while sum(kills.values()) < KILLS:
        before = finished_runs(fresh)
        for log in (fresh.results / "logs/train").rglob("*.log"):
            log.unlink()
        workflow = fresh.start(*COMMAND)
        way = chance.choice(WAYS)
        time.sleep(chance.uniform(1, 9))
        if workflow.poll() is None:
            way(workflow)
            kills[way.__name__] += 1
        workflow.communicate(timeout=SECONDS)
        assert trained_again(fresh, before) == []
        if fresh.plan() == {}:
            assert differing(fresh, undisturbed) == []
            for name in FOLDERS:  # and once more from the start
                for file in (fresh.results / name).rglob("*"):
                    if file.is_file():
                        file.unlink()

    done_now = fresh.command(*COMMAND)
    assert done_now.returncode == 0, done_now.stdout
    assert differing(fresh, undisturbed) == []
    assert fresh.verify()[0] == 0
    print(kills)
