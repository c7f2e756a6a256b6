"""A sweep on a cluster of two nodes that is slow, as are its files, and loses jobs: nothing is
lost, and nothing is computed twice.

REPATLAS_LOAD is the number of seeds; 9 if not given, in three groups. One job in three is lost, of
100 seeds and more one in ten.
"""

import math
import os
import re
import time
from collections import Counter

import pytest
from histories import write_config
from warm import WarmPython

from repatlas.workflow import groups

pytestmark = pytest.mark.slow

SEEDS = int(os.environ.get("REPATLAS_LOAD", "9"))
DELAYS = {"squeue": 1.0, "scancel": 1.0, "sbatch": 0.2}
"""Seconds that every question to the scheduler takes."""
REFUSED = 7
"""One in this number of calls of squeue fails, like with a scheduler that limits calls."""
KILLED = 3 if SEEDS < 100 else 10
"""One in this number of jobs is killed as it begins, the first time."""
SLOW = """#!/bin/sh
echo {tool} >> {calls}
sleep {delay}
if [ {tool} = squeue ] && [ $(( $(grep -c squeue {calls}) % {refused} )) -eq 0 ]; then
  echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2
  exit 1
fi
exec {wrapped} "$@"
"""
LOSE = """#!/bin/sh
# As a node does that runs out of memory.
[ $((SLURM_JOB_ID % {killed})) -ne 0 ] || {{ echo $SLURM_JOB_ID >> killed; kill -9 $PPID; }}
"""
# Every Python that finds the project's package runs this first. Snakemake runs the program on nodes
# that it believes to run in itself.
SLOW_FILES = """
import os
import sys
import time

sys.executable = {python!r}


def slowly(call):
    def answer(path, *arguments, **options):
        if "results" in str(path):
            time.sleep(0.005)
        return call(path, *arguments, **options)

    return answer


for name in ("stat", "lstat", "scandir", "replace"):
    setattr(os, name, slowly(getattr(os, name)))
"""
"""A file system that takes 5 ms to say whether a result is there."""


@pytest.fixture
def warm_nodes():
    """Snakemake starts twice for each job, and then the job's Python: seven seconds of a core, most
    of them imports. Here they are forked from a process that has these."""
    python = WarmPython("nodes", "snakemake", "repatlas")
    python.wait()
    yield python
    python.stop()


def slow_down(cluster):
    """Rename the commands that a workflow calls, write slow ones, and return the file of calls."""
    calls = cluster.folder / "state/calls"
    calls.touch(mode=0o666)
    for tool, delay in DELAYS.items():
        path = cluster.folder / "bin" / tool
        wrapped = path.rename(cluster.folder / "bin" / f"{tool}-itself")
        values = {"tool": tool, "calls": calls, "delay": delay, "refused": REFUSED}
        path.write_text(SLOW.format(wrapped=wrapped, **values))
        path.chmod(0o755)
    return calls


def trained(project):
    """Count the networks that each job trained, over all its tries, by its log."""
    found, seed = Counter(), ""
    for log in project.train_logs():
        for line in log.read_text().splitlines():
            if of_seed := re.match(r"\d+ networks of seed (\d+):", line):
                seed = of_seed[1]
            elif block := re.fullmatch(r"block .*: ([0-9a-f ]+)", line):
                found.update((seed, key) for key in block[1].split())
    return found


def test_a_slow_cluster_and_lost_jobs_change_nothing(
    make_project, tmp_path, make_cluster, submit, warm_nodes
):
    def seeds(config):
        config["sweeps"]["noise"]["seeds"] = SEEDS

    projects = [make_project(tmp_path / name) for name in ("here", "there")]
    for project in projects:
        write_config(project, "noise")
        project.edit_config(seeds)
    here, there = projects
    here.run("results/structure/tables/fig03.parquet")
    cluster = make_cluster(nodes=2, cores=2)
    submission = submit(there, cluster)
    site = there.folder / "profiles/site/profile.yaml"
    text = site.read_text()
    site.write_text(text[: text.index("# On the node")] + "precommand: sh lose.sh")
    (there.folder / "lose.sh").write_text(LOSE.format(killed=KILLED))
    slow_files = SLOW_FILES.format(python=str(warm_nodes.program))
    (there.folder / "src/sitecustomize.py").write_text(slow_files)
    there.environment["PATH"] = f"{warm_nodes.folder}{os.pathsep}{there.environment['PATH']}"
    calls = slow_down(cluster)
    started = time.monotonic()
    workflow = submission.start()
    output = submission.end(workflow, seconds=600 + 30 * SEEDS)
    seconds = time.monotonic() - started
    assert workflow.returncode == 0, output

    killed = (there.folder / "killed").read_text().split()
    asked = Counter(calls.read_text().split())
    jobs = 2 * math.ceil(SEEDS / groups.SEEDS)
    said = cluster.run("squeue-itself", "--states=all", "--noheader", "--format=%N")
    nodes = Counter(said.split())
    print(f"{jobs} jobs, {len(killed)} killed, {seconds:.0f} s; calls: {dict(asked)}; on: {nodes}")
    assert killed
    assert nodes.keys() == {*cluster.nodes}
    assert asked["sbatch"] == jobs + len(killed)
    # The workflow asks for all jobs at once, every 11 s at most, so longer runs ask more often.
    assert asked["squeue"] < 10 + seconds / 5
    assert submission.same_table(here)
    once = trained(there)
    assert set(once.values()) == {1}
    assert len(once) == sum(trained(here).values())
