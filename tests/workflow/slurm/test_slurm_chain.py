"""The whole workflow on a cluster, by the one command, and inside a single allocation."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TABLE = "results/structure/tables/fig03.parquet"
pytestmark = pytest.mark.slow
COLUMNS = "JobID:6,State:10,tres-per-job:14,MinMemory:8,TimeLimit:10,Reason:20,Comment:60"


def test_make_figures_on_a_cluster_with_gpus(fresh, done, cluster, submit):
    submission = submit(fresh, cluster)
    (fresh.folder / "Makefile").write_text((ROOT / "Makefile").read_text())
    gpu = fresh.folder / "profiles/gpu/profile.yaml"
    # The cluster's GPUs can be asked for, but not computed on.
    gpu.write_text(gpu.read_text().replace("device: cuda", "device: cpu"))
    submission.hold()
    arguments = "--slurm-init-seconds-before-status-checks 16 --latency-wait 5"
    make = ("make", "--old-file", "env", "figures", f"VENV={sys.prefix}")
    workflow = fresh.start(*make, "PROFILE=slurm gpu", f"ARGS={arguments}")
    submission.running.append(workflow)
    cluster.wait_until(lambda: len(submission.jobs("RUNNING")) == 2)
    queue = cluster.run("squeue", f"--Format={COLUMNS}")
    submission.release()
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    print(queue)
    # A GPU for each job, which trains a group: all seeds of one of the five sweeps.
    assert len(re.findall("RUNNING +gres:gpu:1 +12000M", queue)) == 2
    assert submission.sent() == ["measure"] * 5 + ["train"] * 5
    for folder in ("tasks", "metrics", "structure/tables", "structure/figures"):
        assert fresh.contents(folder) == done.contents(folder), folder
    assert fresh.verify()[0] == 0


def test_the_workflow_inside_one_allocation(fresh, done, cluster, submit):
    submission = submit(fresh, cluster)
    command = f"snakemake {TABLE} --cores $SLURM_CPUS_PER_TASK"
    options = ("--cpus-per-task=2", f"--chdir={fresh.folder}", "--output=log")
    exported = f"--export=ALL,NUMBA_DISABLE_JIT=1,PATH={fresh.environment['PATH']}"
    cluster.run("sbatch", *options, exported, "--wrap", command)
    cluster.wait_until(lambda: not cluster.queue())
    log = (fresh.folder / "log").read_text()
    assert "Provided cores: 2" in log
    assert submission.sent() == [], "no other job"
    assert submission.same_table(done), log
