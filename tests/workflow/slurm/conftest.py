"""Projects whose workflow runs on a SLURM cluster, one for each test."""

import os
import re
import signal
import subprocess

import pytest
from histories import STORED_AT_ONCE, networks_stored, write_config
from private_cluster import Cluster, me, missing


@pytest.fixture
def make_cluster():
    """Start a cluster; whatever the test does, it is gone afterwards."""
    if tools := missing():
        reason = f"SLURM is not installed here: no {', '.join(tools)}"
        if os.environ.get("REPATLAS_REQUIRE_SLURM"):
            pytest.fail(reason)
        pytest.skip(reason)
    started = []

    def make(user: str = me(), **options) -> Cluster:
        started.append(Cluster(user, **options))
        started[-1].start()
        return started[-1]

    yield make
    for cluster in started:
        if cluster.daemons:
            cluster.stop()


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()


SITE = """
default-resources:
  slurm_account: test
  slurm_partition: main
# On the node, a job waits there until the test lets it go on.
precommand: touch held; while [ -e hold ]; do sleep 0.1; done
"""
TABLE = "results/structure/tables/fig03.parquet"
"""The shortest way through all stages: one group."""
ALONE = {"fresh", "missing"}
"""What verify finds where this table alone was made."""
COMMAND = (
    f"snakemake {TABLE} --profile profiles/slurm --profile profiles/site --workflow-profile none"
    # Jobs of a second take seven to nine on a cluster.
    " --slurm-init-seconds-before-status-checks 11 --latency-wait 5"
).split()
COMMAND += STORED_AT_ONCE


class Submission:
    """A project whose workflow runs on a cluster."""

    def __init__(self, project, cluster: Cluster):
        self.project = project
        self.cluster = cluster
        path = f"{cluster.folder}/bin{os.pathsep}{project.environment['PATH']}"
        project.environment |= {"SLURM_CONF": cluster.environment["SLURM_CONF"], "PATH": path}
        site = project.folder / "profiles/site"
        site.mkdir()
        (site / "profile.yaml").write_text(SITE)
        self.running: list[subprocess.Popen] = []

    def hold(self) -> None:
        (self.project.folder / "hold").touch()

    def wait_for_held(self) -> str:
        """Wait for the job that is held on the node, and return its number."""
        self.cluster.wait_until((self.project.folder / "held").exists)
        return self.wait_for_job("RUNNING")

    def release(self) -> None:
        (self.project.folder / "hold").unlink()

    def start(self, *arguments: str) -> subprocess.Popen:
        self.running.append(self.project.start(*COMMAND, *arguments))
        return self.running[-1]

    def end(self, workflow: subprocess.Popen, seconds: float = 900) -> str:
        """Return the output of a workflow when it ends. Kill one that hangs, and fail the test."""
        try:
            return workflow.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(workflow.pid, signal.SIGKILL)
            output = workflow.communicate()[0]
            pytest.fail(f"hung for {seconds} s:\n{output}\n{self.cluster.run('squeue')}")

    def jobs(self, *states: str) -> list[str]:
        """Return the numbers of the jobs in these states."""
        return [number for number, state in self.cluster.queue() if state in states]

    def wait_for_job(self, *states: str) -> str:
        return self.cluster.wait_until(lambda: self.jobs(*states))[0]

    def wait_for_training(self) -> str:
        """Wait until a job's first networks are on the disk, and return its number."""
        self.cluster.wait_until(lambda: networks_stored(self.project.results))
        return self.wait_for_job("RUNNING")

    def field_of_job(self, number: str, field: str) -> str:
        """Return a field that SLURM shows for a job."""
        text = self.cluster.run("scontrol", "show", "job", number)
        return re.search(rf"\b{field}=(\S+)", text).group(1)

    def sent(self) -> list[str]:
        """Return the rules of all jobs that this cluster has had."""
        comments = self.cluster.run("squeue", "--states=all", "--noheader", "--format=%k")
        return sorted(re.findall(r"^rule_(\w+?)_wildcards", comments, re.MULTILINE))

    def same_table(self, local) -> bool:
        """Return True if both tables have the same bytes, and every file is what the config
        implies."""
        mine, other = ((project.folder / TABLE).read_bytes() for project in (self.project, local))
        return mine == other and {*re.findall("[a-z]+", self.project.verify()[1])} == ALONE

    def stop(self) -> None:
        """Kill what still runs, and print what no test has read: it says why a test waited."""
        for workflow in self.running:
            if workflow.poll() is None:
                os.killpg(workflow.pid, signal.SIGKILL)
            if not workflow.stdout.closed:
                print(workflow.communicate()[0])


@pytest.fixture
def submit():
    """Put a project on a cluster."""
    submissions = []

    def put(project, cluster: Cluster) -> Submission:
        submissions.append(Submission(project, cluster))
        return submissions[-1]

    yield put
    for submission in submissions:
        submission.stop()


@pytest.fixture
def long(fresh):
    """A project without results whose training takes long enough to see it, and to kill it."""
    write_config(fresh, "ten seconds")
    return fresh


@pytest.fixture(scope="session")
def short_done(shared, make_project):
    """What the shortest way makes on one machine. For reading only."""
    return shared("short", lambda folder: make_project(folder).run(TABLE))


@pytest.fixture(scope="session")
def long_done(shared, make_project):
    """What it makes on one machine. For reading only."""

    def make(folder):
        project = make_project(folder)
        write_config(project, "ten seconds")
        project.run(TABLE)

    return shared("ten-seconds", make)
