"""How training grows with processes and networks, and planning with shards."""

import gc
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import copy_workflow, markdown, sweep_of, write_config

STEPS = 100
OF_EACH = 64
"""Networks of each process, where several train at the same time"""
NETWORKS = (10, 100, 1000, 10_000)
GRIDS = {"separability": ("Figure 2", 42), "noise": ("Figure 3", 220)}
"""The sweeps of figures, and their networks of a seed."""
SEEDS = (
    *(("separability", seeds) for seeds in (10, 100, 1000, 23_810)),
    ("noise", 4546),
)
"""Sweeps and seeds. The last two are a million networks."""
PARTS = ("start, s", "ours, s", "Snakemake's, s")


def report(smoke: bool = False) -> str:
    """Return the section on scaling, in Markdown."""
    numbers, seeds, of_each = NETWORKS, SEEDS, OF_EACH
    if smoke:
        numbers, seeds, of_each = (10,), (("separability", 10), ("noise", 10)), 2
    return "\n\n".join(
        [
            "## Scaling",
            f"N = H = 120, B = 200, tanh, {STEPS} steps, one thread for each process, imports not"
            f" counted. A block holds 16 networks; each process trains {of_each}.",
            markdown(
                ["processes", "network-steps per second", "of one process"], _processes(of_each)
            ),
            "In one process, by number of networks in a shard; memory is the peak of the process,"
            " of which torch takes some 250 MB.",
            markdown(["networks", "network-steps per second", "memory, MB"], _networks(numbers)),
            "`snakemake -n` by number of shards (seeds of the grid of a figure). CPU is that of the"
            " process, as is memory. *Ours* is the part of it that reads the config, plans, and"
            " says what every file should be; *start* is Python and the import of Snakemake; the"
            " rest is Snakemake's graph of jobs, which asks our functions for their names.",
            markdown(
                ["grid", "shards", "jobs", "networks", "CPU, s", *PARTS, "memory, MB"],
                _shards(seeds),
            ),
        ]
    )


def _processes(networks):
    rates = {}
    for number in (1, 2, 4):
        if number <= os.cpu_count():
            jobs = [_start(networks) for _ in range(number)]
            rates[number] = sum(_rate(job)[0] for job in jobs)
    return [[number, rate, rate / rates[1]] for number, rate in rates.items()]


def _networks(numbers):
    return [[number, *_rate(_start(number))] for number in numbers]


def _start(networks: int) -> subprocess.Popen:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, __file__, str(networks)], stdout=subprocess.PIPE, env=environment
    )


def _rate(job: subprocess.Popen) -> tuple[float, float]:
    return tuple(json.loads(job.communicate()[0]))


def _train(networks: int) -> None:
    """Train in this process, and print network-steps per second and peak memory in MB."""
    from training import SGD, SHALLOW, make_case

    from repatlas.experiments.clusters.train import train_block

    total, stored = 0.0, []
    for first in range(0, networks, 16):
        runs = min(16, networks - first)
        block, network, training = make_case("tanh", 120, 4, 1, 200, SHALLOW, SGD, runs=runs)
        settings = {"trained": network.trained, "training": training, "seed": 0}
        if first == 0:
            train_block(block, "tanh", "cpu", steps=[5], **settings)
        start = time.perf_counter()
        # The train stage keeps them, too: it writes all networks of a shard at its end.
        trained = train_block(block, "tanh", "cpu", steps=[STEPS], **settings)
        stored.append(trained.parameters)
        total += time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([networks * STEPS / total, memory]))


def _shards(numbers):
    with tempfile.TemporaryDirectory() as folder:
        copy_workflow(Path(folder))
        for name, seeds in numbers:
            figure, networks = GRIDS[name]
            write_config(Path(folder), sweep_of(name) | {"seeds": seeds, "preview": {"seeds": 1}})
            process = subprocess.Popen(
                ["snakemake", "-n", "--quiet", "rules"],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            said = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            if status:
                raise RuntimeError(f"{' '.join(process.args)} failed: {said}")
            jobs = int(re.search(r"^total +(\d+)$", said, re.MULTILINE).group(1))
            cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
            start, ours = _parts(Path(folder))
            times = [cpu, start, ours, cpu - start - ours]
            yield [figure, seeds, jobs, networks * seeds, *times, memory]


def _parts(folder: Path) -> tuple[float, float]:
    """Return the CPU seconds of the start of a new process, and of this package's functions that
    the Snakefile calls before its rules."""
    command = [sys.executable, __file__, "plan"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    start, ours = json.loads(found.stdout)
    return start, ours


def _plan() -> None:
    import snakemake.cli  # noqa: F401

    gc.freeze()
    gc.set_threshold(1_000_000, 50, 50)  # as in workflow/rules/common.smk
    start = time.process_time()
    from repatlas.config.config import read_config
    from repatlas.config.load import load
    from repatlas.operations.expected import expected_files
    from repatlas.plan.plan import Plan

    loaded = load([Path("config.yaml")])
    plan = Plan(read_config(loaded.values, loaded.file, loaded.files), loaded.folder)
    [wanted.path for wanted in expected_files(plan).values()]
    print(json.dumps([start, time.process_time() - start]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["plan"]:
        _plan()
    elif len(sys.argv) > 1:
        _train(int(sys.argv[1]))
    else:
        print(report())
