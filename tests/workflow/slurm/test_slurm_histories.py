"""A row of the table of histories that needs a cluster."""

import pytest
from histories import History, networks_trained

pytestmark = pytest.mark.slow


def test_a_job_that_hits_its_limit_in_training_trains_no_network_twice(
    long, long_done, cluster, submit
):
    h, submission = History(long), submit(long, cluster)
    workflow = submission.start()
    job = submission.wait_for_training()
    cluster.run("scontrol", "update", f"jobid={job}", "EndTime=now+1")
    cluster.wait_until(lambda: submission.field_of_job(job, "JobState") == "TIMEOUT")
    h.keep_logs()
    output = submission.end(workflow)
    assert workflow.returncode == 0, output
    assert f"SLURM-job '{job}' failed, SLURM status is: 'TIMEOUT'" in output
    assert submission.same_table(long_done)
    print(f"{networks_trained(long.results)} networks trained")
    assert networks_trained(long.results) == networks_trained(long_done.results)
