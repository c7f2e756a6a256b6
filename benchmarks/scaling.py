"""How training grows with processes and networks."""

import json
import os
import resource
import subprocess
import sys
import time

from measuring import markdown

STEPS = 100
OF_EACH = 64
"""Networks of each process, where several train at the same time"""
NETWORKS = (10, 100, 1000, 10_000)


def report(smoke: bool = False) -> str:
    """Return the section on scaling, in Markdown."""
    numbers, of_each = ((10,), 2) if smoke else (NETWORKS, OF_EACH)
    return "\n\n".join(
        [
            "## Scaling",
            f"N = H = 120, B = 200, tanh, {STEPS} steps, one thread for each process, imports not"
            f" counted. A block holds 16 networks; each process trains {of_each}.",
            markdown(
                ["processes", "network-steps per second", "of one process"], _processes(of_each)
            ),
            "In one process, by number of networks; memory is the peak of the process,"
            " of which torch takes some 250 MB.",
            markdown(["networks", "network-steps per second", "memory, MB"], _networks(numbers)),
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
        # The train stage keeps them, too, until it stores them.
        trained = train_block(block, "tanh", "cpu", steps=[STEPS], **settings)
        stored.append(trained.parameters)
        total += time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([networks * STEPS / total, memory]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _train(int(sys.argv[1]))
    else:
        print(report())
