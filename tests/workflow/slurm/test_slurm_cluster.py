"""The private cluster itself: who may start it, where it listens, and when it is skipped."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.slow
# Without a limit a job takes all memory of the node.
SBATCH = ("sbatch", "--mem=100")


def test_it_runs_jobs_with_a_gpu_each(make_cluster):
    cluster = make_cluster()
    assert devices_of_two_jobs(cluster) == {"0", "1"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may be another user as well")
def test_an_ordinary_user_may_start_it(make_cluster):
    cluster = make_cluster("nobody")
    assert devices_of_two_jobs(cluster) == {"0", "1"}
    users = {psutil.Process(daemon.pid).username() for daemon in cluster.daemons.values()}
    assert users == {"nobody"}


def devices_of_two_jobs(cluster):
    """Return the numbers of the GPUs that two jobs see, which run at the same time."""
    output = str(cluster.folder / "state/job-%j")
    for _ in range(2):
        script = "echo $CUDA_VISIBLE_DEVICES; sleep 2"
        cluster.run(*SBATCH, "--gpus=1", f"--output={output}", "--wrap", script)
    cluster.wait_until(lambda: not cluster.queue())
    return {file.read_text().strip() for file in (cluster.folder / "state").glob("job-*")}


def test_it_listens_on_loopback_alone(make_cluster):
    cluster = make_cluster()
    processes = [psutil.Process(daemon.pid) for daemon in cluster.daemons.values()]
    addresses = {c.laddr.ip for process in processes for c in process.net_connections()}
    assert addresses == {"127.0.0.1"}


def test_it_leaves_nothing_behind(make_cluster):
    cluster = make_cluster()
    cluster.run(*SBATCH, "--output=/dev/null", "--wrap", "sleep 60")
    cluster.wait_until(lambda: ["1", "RUNNING"] in cluster.queue())
    daemons = [psutil.Process(daemon.pid) for daemon in cluster.daemons.values()]
    cluster.stop()
    assert not any(process.is_running() for process in daemons)
    assert not cluster.folder.exists()


@pytest.mark.parametrize(
    ("variable", "outcome"), [({}, "1 skipped"), ({"REPATLAS_REQUIRE_SLURM": "1"}, "1 error")]
)
def test_without_slurm_it_is_skipped_or_where_it_must_be_there_an_error(variable, outcome):
    test = f"{__file__}::{test_it_listens_on_loopback_alone.__name__}"
    environment = {k: v for k, v in os.environ.items() if k != "REPATLAS_REQUIRE_SLURM"}
    environment |= {"PATH": str(Path(sys.executable).parent)} | variable
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert outcome in found.stdout, found.stdout
    assert "SLURM is not installed here: no sbatch, srun" in found.stdout
