"""200 networks of Figure 2, trained, measured and written, on two cores: the workflow against one
process for each network."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measuring import ROOT, copy_workflow, markdown, sweep_of, write_config

CORES = 2
DELTAS, SEEDS = 20, 5
SAMPLE = 8
"""Networks that the usual practice trains; its time for all is extrapolated from these."""


def report(smoke: bool = False) -> str:
    """Return the section on whole processes, in Markdown."""
    deltas, seeds = (1, 1) if smoke else (DELTAS, SEEDS)
    networks, sample = 2 * deltas * seeds, 2 if smoke else SAMPLE
    usual_of_sample, ours = _usual(sample), _workflow(deltas, seeds)
    usual = usual_of_sample * networks / sample
    rows = [
        ["usual: a process for each network (`usual.py`)", usual, usual / networks],
        ["ours: `snakemake --cores 2`", ours, ours / networks],
        ["times as fast", usual / ours, ""],
    ]
    return "\n\n".join(
        [
            "## End to end",
            f"{networks} networks of Figure 2 ({deltas} separabilities, two activations, {seeds}"
            " seeds, 2000 steps), trained, measured (alignment, parallelism, CCGP, decoding) and"
            f" written, on {CORES} cores with one thread for each process, the start of every"
            " process included; for the workflow also Snakemake. The"
            f" usual time is that of {sample} networks, {CORES} at a time"
            f" ({usual_of_sample:.1f} s), times {networks // sample}.",
            markdown(["", "seconds", "seconds for a network"], rows),
        ]
    )


def _usual(sample: int) -> float:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(CORES) as pool:
        commands = [
            [sys.executable, str(ROOT / "benchmarks/usual.py"), activation, str(delta), str(seed),
             f"{folder}/{activation}-{delta}-{seed}.csv"]
            for seed in range(max(1, sample // 4))
            for activation in ("tanh", "relu")
            for delta in (0.25, 0.75)
        ][:sample]  # fmt: skip
        start = time.perf_counter()
        for done in pool.map(lambda words: subprocess.run(words, env=environment), commands):
            done.check_returncode()
        return time.perf_counter() - start


def _workflow(deltas: int, seeds: int) -> float:
    sweep = sweep_of("separability") | {
        "steps": [2000],
        "seeds": seeds,
        "measures": ["alignment", "parallelism", "ccgp", "decoding"],
        "preview": {"seeds": 1},
    }
    sweep["task"]["delta"] = [round(number / deltas, 2) for number in range(1, deltas + 1)]
    with tempfile.TemporaryDirectory() as folder:
        copy_workflow(Path(folder))
        write_config(Path(folder), sweep)
        start = time.perf_counter()
        subprocess.run(
            ["snakemake", "--cores", str(CORES), "--quiet", "all"],
            check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return time.perf_counter() - start


if __name__ == "__main__":
    print(report())
