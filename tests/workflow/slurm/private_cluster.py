"""A private SLURM cluster: real daemons, in a temporary folder, on loopback."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = (
    *("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo"),
    # Snakemake's plugin asks these, too.
    *("sacct", "sacctmgr", "sshare"),
)
DAEMONS_IN = "/usr/sbin"
"""Not in everybody's PATH"""
SECONDS = 600
"""After which what should happen counts as not happening: ten times what a busy machine takes."""
SLURM_CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# A requeued job waits until its credentials have expired: 120 s by default.
AuthInfo=socket={folder}/munge/munge.sock,cred_expire=5
# Loopback only.
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
# Nothing of the machine's: no plug-ins, no control groups, no accounting.
PlugStackConfig=/dev/null
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
# The node may have other cores and memory than the machine.
SlurmdParameters=config_overrides
ReturnToService=2
# For how long squeue shows a job that has ended: as by default.
MinJobAge=300
# What no node can give is refused at once.
EnforcePartLimits=ALL
KillWait=2
SlurmdTimeout={node_timeout}
GresTypes=gpu
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cores}"
    " RealMemory=32000 Gres=gpu:2"
)
# A GPU must be a device for jobs to be told which is theirs; these two are everywhere.
GRES_CONF = """
AutoDetect=off
Name=gpu File=/dev/null
Name=gpu File=/dev/zero
"""
# A job step forgets the variable SLURM_CONF, and would look for the configuration elsewhere.
CLIENT = """#!/bin/sh
export SLURM_CONF="${{SLURM_CONF:-{folder}/slurm.conf}}"
exec {tool} "$@"
"""


class Cluster:
    """munged, slurmctld and a slurmd for each node, all children of this process, and the commands
    of a user. All nodes are this machine, each with `cores` cores."""

    def __init__(self, user: str, node_timeout: int = 300, nodes: int = 1, cores: int = 8):
        # Short, since the path of a socket may have 107 characters.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.user = user
        # Only root may be somebody else.
        group = pwd.getpwnam(user).pw_gid
        self.settings = {} if user == me() else {"user": user, "group": group}
        # Another user may not enter this process's folder.
        self.settings["cwd"] = self.folder
        self.daemons: dict[str, subprocess.Popen] = {}
        (self.folder / "bin").mkdir()
        (self.folder / "state").mkdir()
        (self.folder / "munge").mkdir()
        self.environment = os.environ | {
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}:{DAEMONS_IN}",
        }
        host = socket.gethostname().split(".")[0]
        self.nodes = [f"node{number}" for number in range(nodes)]
        lines = [
            NODE.format(name=name, host=host, port=free_port(), cores=cores) for name in self.nodes
        ]
        values = {
            "folder": self.folder,
            "user": user,
            "host": host,
            "ctld_port": free_port(),
            "node_timeout": node_timeout,
            "nodes": "\n".join(lines),
        }
        (self.folder / "slurm.conf").write_text(SLURM_CONF.format(**values))
        (self.folder / "gres.conf").write_text(GRES_CONF)
        (self.folder / "munge/munge.key").write_bytes(secrets.token_bytes(128))
        (self.folder / "munge/munge.key").chmod(0o600)
        for tool in CLIENTS:
            wrapper = self.folder / "bin" / tool
            wrapper.write_text(CLIENT.format(folder=self.folder, tool=shutil.which(tool)))
            wrapper.chmod(0o755)
        for path in (self.folder, *self.folder.rglob("*")):
            shutil.chown(path, user, group)
        # munged wants the folders above its socket to be open to all.
        self.folder.chmod(0o755)

    def start(self) -> None:
        munge = self.folder / "munge"
        files = (f"--key-file={munge}/munge.key", f"--socket={munge}/munge.sock")
        more = [f"--{name}-file={munge}/{name}" for name in ("pid", "seed", "log")]
        self.start_daemon("munged", "-F", *files, *more)
        self.wait_until(lambda: (munge / "munge.sock").exists())
        self.start_controller()
        for node in self.nodes:
            self.start_node(node)

    def start_controller(self) -> None:
        self.start_daemon("slurmctld", "-D")
        self.wait_until(lambda: "is UP" in self.run("scontrol", "ping"))

    def start_node(self, node: str) -> None:
        self.start_daemon("slurmd", "-D", "-N", node, called=node)
        self.wait_until(lambda: self.node_state(node) in ("idle", "mixed", "allocated"))

    def start_daemon(self, name: str, *options: str, called: str | None = None) -> None:
        with open(self.folder / f"{name}.out", "ab") as output:
            self.daemons[called or name] = subprocess.Popen(
                [name, *options],
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **self.settings,
            )

    def kill_daemon(self, name: str, how=signal.SIGKILL) -> None:
        daemon = self.daemons.pop(name)
        daemon.send_signal(how)
        daemon.wait(timeout=20)

    def kill_node(self, node: str) -> None:
        """Kill the slurmd of the only node and all its jobs at once, like a power failure."""
        self.kill_daemon(node)
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                environment = process.environ()
                if "SLURM_JOB_ID" in environment and str(self.folder) in environment["PATH"]:
                    parent = process.parent()
                    if parent.name() == "slurmstepd":
                        parent.kill()
                    process.kill()

    def stop(self) -> None:
        if all(daemon.poll() is None for daemon in self.daemons.values()):
            with suppress(subprocess.TimeoutExpired, TimeoutError):
                self.run("scancel", "--user", self.user)
                self.wait_until(lambda: not self.queue(), seconds=10)
        for name in list(self.daemons)[::-1]:
            daemon = self.daemons.pop(name)
            daemon.terminate()
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words: str) -> str:
        done = subprocess.run(
            words,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            **self.settings,
        )
        return done.stdout

    def queue(self, form: str = "%i %T") -> list[list[str]]:
        """Return the jobs that wait or run, each with the fields of the format."""
        lines = self.run("squeue", "--noheader", f"--format={form}").splitlines()
        return [line.split() for line in lines]

    def node_state(self, node: str) -> str:
        return self.run("sinfo", "--noheader", "--format=%T", "--nodes", node).strip()

    def wait_until(self, happens, seconds: float = SECONDS):
        """Return the first true result of `happens`. Fail when a daemon ends, or time runs out."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := happens():
                return found
            for name, daemon in self.daemons.items():
                if daemon.poll() is not None:
                    pytest.fail(f"{name} ended with {daemon.returncode}:\n{self.logs()}")
            time.sleep(0.1)
        raise TimeoutError(f"not within {seconds} s:\n{self.logs()}")

    def logs(self) -> str:
        files = [*self.folder.glob("*.log"), *self.folder.glob("*.out")]
        return "\n".join(f"== {file.name}\n{file.read_text()[-2000:]}" for file in files)


def me() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def missing() -> list[str]:
    path = f"{os.environ['PATH']}:{DAEMONS_IN}"
    tools = [tool for tool in DAEMONS + CLIENTS if shutil.which(tool, path=path) is None]
    plugin = "snakemake_executor_plugin_slurm"
    return tools + ([] if find_spec(plugin) else [plugin])
