"""200 networks of Figure 2, trained, measured and written, on two cores: the workflow against one
process for each network."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml
from measuring import ROOT, copy_workflow, markdown

CORES = 2
NETWORKS = 200
SAMPLE = 8
"""Networks that the usual practice trains; its time for all is extrapolated from these."""


def report() -> str:
    """The section on whole processes, in Markdown."""
    usual_of_sample, ours = _usual(), _workflow()
    usual = usual_of_sample * NETWORKS / SAMPLE
    rows = [
        ["usual: a process for each network (`usual.py`)", usual, usual / NETWORKS],
        ["ours: `snakemake --cores 2`", ours, ours / NETWORKS],
        ["times as fast", usual / ours, ""],
    ]
    return "\n\n".join(
        [
            "## End to end",
            f"{NETWORKS} networks of Figure 2 (20 separabilities, two activations, 5 seeds, 2000"
            f" steps), trained, measured (alignment, parallelism, CCGP, decoding) and written, on"
            f" {CORES} cores with one thread for each process, the start of every process included;"
            f" for the workflow also Snakemake, the table and the figure. The usual time is that of"
            f" {SAMPLE} networks, {CORES} at a time ({usual_of_sample:.1f} s), times"
            f" {NETWORKS // SAMPLE}.",
            markdown(["", "seconds", "seconds for a network"], rows),
        ]
    )


def _usual() -> float:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(CORES) as pool:
        commands = [
            [sys.executable, str(ROOT / "benchmarks/usual.py"), activation, str(delta), str(seed),
             f"{folder}/{activation}-{delta}-{seed}.csv"]
            for seed in range(SAMPLE // 4)
            for activation in ("tanh", "relu")
            for delta in (0.25, 0.75)
        ]  # fmt: skip
        start = time.perf_counter()
        for done in pool.map(lambda words: subprocess.run(words, env=environment), commands):
            done.check_returncode()
        return time.perf_counter() - start


def _workflow() -> float:
    # The sweep of Figure 2 alone, drawn as Figure 3 does it: Figure 2 wants another sweep as well.
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    sweep = config["sweeps"]["separability"] | {
        "steps": [2000],
        "seeds": 5,
        "measures": ["alignment", "parallelism", "ccgp", "decoding"],
        "preview": {"seeds": 1},
    }
    sweep["task"]["delta"] = [round(0.05 * number, 2) for number in range(1, 21)]
    config["sweeps"] = {"separability": sweep}
    config["figures"] = {"fig03": {"sweep": "separability", "step": 2000}}
    with tempfile.TemporaryDirectory() as folder:
        copy_workflow(Path(folder))
        (Path(folder) / "config.yaml").write_text(yaml.safe_dump(config))
        start = time.perf_counter()
        subprocess.run(
            ["snakemake", "--cores", str(CORES), "--quiet", "all"],
            check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return time.perf_counter() - start


if __name__ == "__main__":
    print(report())
