"""A workflow that dies goes on where it stood, and ends as if nothing had happened."""

import os
import signal
import sys
import time

import pytest
import yaml
from longer_training import longer

from repatlas.config.config import read_config
from repatlas.plan.plan import Plan


def as_it_trains(project):
    def moment(words):
        runs = project.folder / words[words.index("--name") + 1]
        log = str(runs.with_suffix(".log")).replace("/results/runs/", "/results/logs/train/")
        return "block 1 of" in open(log).read()

    return moment


def figure_2_alone(config):
    config["figures"] = {"fig02": config["figures"]["fig02"]}
    names = ("separability", "separability_trajectories")
    config["sweeps"] = {name: config["sweeps"][name] for name in names}


@pytest.mark.slow
def test_a_train_job_that_is_killed_is_made_up_for(fresh, undisturbed):
    fresh.edit_config(longer)
    fresh.edit_config(figure_2_alone)
    workflow = fresh.start("snakemake", "--cores", "1")
    fresh.job_at_work(workflow, "train", as_it_trains(fresh)).kill()
    output, _ = workflow.communicate(timeout=600)
    assert workflow.returncode != 0
    assert "Error in rule train" in output
    # The killed job left whole files, or none.
    before = fresh.contents("runs")

    fresh.run()
    assert fresh.contents("runs").items() >= before.items()
    assert fresh.table("fig02").equals(undisturbed.table("fig02"))
    assert fresh.plan() == {}
    assert fresh.verify()[0] == 0


@pytest.mark.slow
def test_a_workflow_that_is_killed_goes_on(project, done, undisturbed):
    project.edit_config(longer)
    workflow = project.start("snakemake", "--cores", "1")
    training = project.job_at_work(workflow, "train", as_it_trains(project))
    os.killpg(workflow.pid, signal.SIGKILL)
    workflow.communicate(timeout=600)
    training.wait(timeout=600)
    assert project.contents("store/runs").items() >= done.contents("store/runs").items()

    project.run()
    assert set(project.trained()["hidden_bias"]) == {"trained"}, "other sweeps' are kept"
    for folder in ("runs", "metrics", "structure/tables", "structure/figures"):
        assert project.contents(folder) == undisturbed.contents(folder), folder
    assert project.plan() == {}
    assert project.verify()[0] == 0


def job_of_other_code(project):
    """Return the job of a shard, planned with code that no longer exists."""
    plan = Plan(read_config(yaml.safe_load(project.config.read_text())))
    return plan.train_job(plan.shards[0]).model_copy(update={"code": "0"}).text


def test_a_job_whose_code_changed_since_it_was_planned_is_refused(fresh):
    words = ["--job", job_of_other_code(fresh), "--data", "t", "--output", "o"]
    refused = fresh.command("python", "-m", "repatlas", "train", *words)
    assert refused.returncode == 1
    [sentence] = refused.stdout.splitlines()
    assert sentence.startswith("repatlas train: error: the code of this stage changed")
    assert sentence.endswith("start the same command again")
    assert not (fresh.folder / "o").exists()


@pytest.mark.slow
def test_a_second_workflow_in_the_same_results_is_refused(fresh):
    workflow = fresh.start("snakemake", "--cores", "1")
    lock = fresh.results / "workflow.lock"
    while not lock.exists():
        assert workflow.poll() is None, workflow.stdout.read()
        time.sleep(0.05)
    refused = fresh.fail()
    assert f"another workflow (process {workflow.pid}) is at work in results" in refused
    assert "Traceback" not in refused
    assert fresh.plan() != {}, "a dry run is welcome"
    workflow.terminate()
    workflow.communicate(timeout=600)


@pytest.mark.slow
def test_whatever_job_dies_the_same_command_makes_up_for_it(project):
    """One job fails in each stage, also where the older files exist and look up to date."""
    dying = project.folder / "bin/python"
    dying.parent.mkdir()
    project.edit_source("experiments/clusters/tasks/separable.py", "np.sqrt(2)", "np.sqrt(2.0)")
    path = project.environment["PATH"]
    stages = ("prepare", "train", "measure", "tabulate", "plot")
    for number, stage in enumerate(stages):
        script = f'[ "$3" = {stage} ] && kill -9 $$\nexec {sys.executable} "$@"\n'
        dying.write_text(f"#!/bin/sh\n{script}")
        dying.chmod(0o755)
        project.environment["PATH"] = f"{dying.parent}{os.pathsep}{path}"
        project.fail()
        project.environment["PATH"] = path
        planned = project.plan()
        assert planned[stage] >= 1
        assert not planned.keys() & set(stages[:number]), "what died before was made up for"
    project.run()
    assert project.verify() == (0, "27 fresh, 0 damaged, 0 missing, 0 orphan")
