"""Whatever happens to jobs on a cluster, the tables come out as on one machine.

The two longest tests stand where two of five processes begin.
"""

import os
import signal
import time

import pytest

pytestmark = pytest.mark.slow


def test_the_plain_command_goes_on_after_a_controller_that_was_down(
    long, long_done, cluster, submit
):
    """Without a database of jobs the plugin may wait for ever."""
    submission = submit(long, cluster)
    workflow = submission.start()
    submission.wait_for_training()
    cluster.kill_daemon("slurmctld", signal.SIGTERM)
    # Down while the workflow looks for finished jobs, and for longer than SLURM's commands try.
    time.sleep(25)
    cluster.start_controller()
    os.killpg(workflow.pid, signal.SIGKILL)
    workflow.communicate()
    output = submission.end(again := submission.start())
    assert again.returncode == 0, output
    assert submission.same_table(long_done)


def test_jobs_wait_for_a_node_that_is_drained(fresh, short_done, cluster, submit):
    submission = submit(fresh, cluster)
    cluster.run("scontrol", "update", "nodename=ALL", "state=drain", "reason=test")
    workflow = submission.start()
    job = submission.wait_for_job("PENDING")
    cluster.wait_until(lambda: "DRAINED" in cluster.run("squeue", "--format=%R", "--jobs", job))
    cluster.run("scontrol", "update", "nodename=ALL", "state=resume")
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    assert submission.sent() == ["measure", "train"]
    assert submission.same_table(short_done)


def test_after_a_kill_the_next_workflow_works_beside_the_job_that_lives_on(
    long, long_done, cluster, submit
):
    submission = submit(long, cluster)
    killed = submission.start()
    job = submission.wait_for_training()
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert submission.jobs("RUNNING") == [job], "the job lives on"

    output = submission.end(successor := submission.start())
    assert successor.returncode == 0, output
    assert submission.sent() in (["measure", "train"], ["measure", "train", "train"])
    assert submission.same_table(long_done)


def test_an_interrupt_cancels_the_jobs_and_the_plain_command_goes_on(
    long, long_done, cluster, submit
):
    submission = submit(long, cluster)
    workflow = submission.start()
    job = submission.wait_for_training()
    os.killpg(workflow.pid, signal.SIGINT)
    output = submission.end(workflow)
    assert workflow.returncode == 1, output
    cluster.wait_until(lambda: not cluster.queue())
    assert submission.field_of_job(job, "JobState") == "CANCELLED"

    output = submission.end(again := submission.start())
    assert again.returncode == 0, output
    assert " begun)" in begun(long)
    assert submission.same_table(long_done)


def test_a_job_whose_node_fails_runs_again_when_there_is_one(long, long_done, make_cluster, submit):
    cluster = make_cluster(node_timeout=10)
    submission = submit(long, cluster)
    workflow = submission.start()
    job = submission.wait_for_training()
    cluster.kill_node(cluster.nodes[0])
    cluster.wait_until(lambda: cluster.node_state(cluster.nodes[0]).startswith("down"))
    cluster.start_node(cluster.nodes[0])
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    assert submission.field_of_job(job, "Restarts") == "1"
    # Snakemake sends it again, too, if it sees NODE_FAIL before SLURM has put the job back.
    assert submission.sent() in (["measure", "train"], ["measure", "train", "train"])
    assert submission.same_table(long_done)


def test_a_job_that_hits_its_limit_is_tried_again_with_more(fresh, short_done, cluster, submit):
    submission = submit(fresh, cluster)
    submission.hold()
    workflow = submission.start()
    first = submission.wait_for_held()
    limits = [submission.field_of_job(first, field) for field in ("TimeLimit", "MinMemoryNode")]
    assert limits == ["00:11:00", "1800M"]
    cluster.run("scontrol", "update", f"jobid={first}", "EndTime=now+1")
    cluster.wait_until(lambda: submission.field_of_job(first, "JobState") == "TIMEOUT")
    second = cluster.wait_until(lambda: submission.jobs("RUNNING", "PENDING"))[0]
    limits = [submission.field_of_job(second, field) for field in ("TimeLimit", "MinMemoryNode")]
    assert limits == ["00:22:00", "3600M"]
    submission.release()
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    assert f"SLURM-job '{first}' failed, SLURM status is: 'TIMEOUT'" in output
    assert submission.same_table(short_done)


def test_a_job_that_is_requeued_goes_on_with_its_training(long, long_done, cluster, submit):
    submission = submit(long, cluster)
    workflow = submission.start()
    job = submission.wait_for_training()
    cluster.run("scontrol", "requeue", job)
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    assert submission.field_of_job(job, "Restarts") == "1"
    assert " begun)" in begun(long)
    assert submission.same_table(long_done)


def test_a_job_that_is_cancelled_is_named_and_the_plain_command_makes_up_for_it(
    fresh, short_done, cluster, submit
):
    submission = submit(fresh, cluster)
    submission.hold()
    workflow = submission.start("--retries", "0")
    job = submission.wait_for_held()
    cluster.run("scancel", job)
    submission.release()
    output = submission.end(workflow)
    assert workflow.returncode == 1
    assert f"SLURM-job '{job}' failed, SLURM status is: 'CANCELLED'" in output

    output = submission.end(again := submission.start())
    assert again.returncode == 0, output
    assert submission.sent() == ["measure", "train", "train"]
    assert submission.same_table(short_done)


def begun(project):
    """Return the first line of the training log: the numbers of found and begun networks."""
    [log] = project.train_logs()
    return log.read_text().splitlines()[0]
