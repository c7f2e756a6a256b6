"""The engine against the usual loop: microseconds for one step of one network, one thread."""

import time

import numpy as np
import torch
from measuring import alternate, markdown, medians
from threadpoolctl import threadpool_info

from repatlas.experiments.clusters.engine import Block
from repatlas.experiments.clusters.engine import train as train_with_torch
from repatlas.experiments.clusters.reference import train_reference
from repatlas.experiments.clusters.train import train_block
from repatlas.experiments.clusters.training import Training, training_conditions, training_noise
from repatlas.networks.mlp import Network, initial_parameters

RUNS = 16
"""Networks in a block, as the train stage has them on a CPU."""
USUAL_STEPS, STEPS = 200, 100
SGEMM = 2048
REPEATS = 5

SHALLOW = {"width": 120, "readout": "binary"}
MANY = {"width": 128, "readout": "normal", "initial": "normal"}
DEEP = {"width": 128, "readout": "trained", "initial": "linear"}
SGD, ADAM = {"learning_rate": 0.1}, {"optimiser": "adam", "learning_rate": 1e-3}
# Title, inputs, clusters, targets, batch, network, optimiser
CASES = [
    ("N = H = 120, B = 200, K = 1", 120, 4, 1, 200, SHALLOW, SGD),
    ("N = H = 120, B = 200, K = 1", 120, 4, 1, 200, SHALLOW, ADAM),
    ("N = 100, H = 128, B = 64, K = 5", 100, 32, 5, 64, MANY, SGD),
    ("N = 100, H = 128, B = 64, K = 5", 100, 32, 5, 64, MANY, ADAM),
    ("5 layers, all trained", 100, 32, 5, 64, DEEP | {"depth": 5}, ADAM),
    ("10 layers, all trained", 100, 32, 5, 64, DEEP | {"depth": 10}, ADAM),
]


def report(smoke: bool = False) -> str:
    """Return the section on training, in Markdown."""
    return "\n\n".join(
        [
            "## Training",
            "CPU microseconds for one step of one network, one thread. The usual loop is an"
            " `nn.Sequential`, autograd and an optimiser on a fixed set of 5000 samples, held as"
            " one tensor and indexed. Ours is the engine that jobs on a CPU use: numba, one network"
            f" at a time. Jobs on a GPU use torch, {RUNS} networks at once here. All have the same"
            f" data, noise and batches. Medians of {REPEATS}, in turns with a product of matrices"
            " of 2048 x 2048 in numpy; *of sgemm* is our rate divided by its rate.",
            _kernels(),
            _comparison(CASES[:1], 1) if smoke else _comparison(CASES),
        ]
    )


def make_case(activation, inputs, clusters, targets, batch, network, optimiser, runs=RUNS):
    """Return a block, its network and its training."""
    network = Network(activation=activation, **network)
    training = Training(batch=batch, **optimiser)
    rng = np.random.default_rng(0)
    labels = np.stack([rng.permutation(clusters) % 2 for _ in range(targets)], axis=1)
    block = Block(
        rng.standard_normal((runs, clusters, inputs)).astype(np.float32),
        np.repeat(labels[None], runs, axis=0).astype(np.float32),
        np.ones(runs, np.float32),
        training_conditions(0, training.samples, clusters),
        training_noise(0, training.samples, inputs),
        initial_parameters(0, network, inputs, targets),
    )
    return block, network, training


def gigaflops(inputs: int, targets: int, batch: int, network: Network) -> float:
    """Return floating-point operations of the matrix products of a step, in units of 10^9."""
    width, hidden = network.width, network.depth - 1
    products = 2 * width * inputs + 3 * hidden * width**2
    products += (3 if network.readout == "trained" else 2) * width * targets
    return 2e-9 * batch * products


def sgemm(size: int = SGEMM, of=np.asarray):
    """Return a function that multiplies two matrices. of: makes a matrix of the library that
    multiplies."""
    a, b = map(of, np.random.default_rng(0).standard_normal((2, size, size), np.float32))
    return lambda: a @ b


def _kernels() -> str:
    """Return which code for this processor the matrix library of numpy and scipy has chosen."""
    found = {each["architecture"] for each in threadpool_info() if "architecture" in each}
    return f"The kernels of OpenBLAS are for: {', '.join(sorted(found))}."


def _comparison(cases: list, repeats: int = REPEATS) -> str:
    rows = []
    for title, inputs, clusters, targets, batch, values, optimiser in cases:
        for activation in ("tanh", "relu"):
            block, network, training = make_case(
                activation, inputs, clusters, targets, batch, values, optimiser
            )
            flops = gigaflops(inputs, targets, batch, network)
            case = _case(block, network, training, flops, repeats)
            rows.append([title, training.optimiser, activation, *case])
    columns = ["case", "optimiser", "activation", "usual, us", "torch, us", "ours, us"]
    columns += ["times usual", "of sgemm"]
    return markdown(columns, rows)


def _case(block, network, training, flops, repeats) -> list[float]:
    usual_steps = max(USUAL_STEPS // network.depth, 40)
    steps = max(STEPS // network.depth, 20)
    settings = {"trained": network.trained, "training": training, "seed": 0, "steps": [steps]}
    found = medians(
        alternate(
            {
                "usual": lambda: train_reference(
                    block, 0, network.activation, network.trained, training, 0, usual_steps
                ),
                "torch": lambda: train_with_torch(block, network.activation, **settings),
                "ours": lambda: train_block(block, network.activation, "cpu", **settings),
                "sgemm": sgemm(),
            },
            repeats,
            clock=time.process_time,
        )
    )
    usual = found["usual"] / usual_steps
    torch_, ours = found["torch"] / steps / RUNS, found["ours"] / steps / RUNS
    peak = 2e-9 * SGEMM**3 / found["sgemm"]
    times = [1e6 * seconds for seconds in (usual, torch_, ours)]
    return [*times, usual / ours, flops / ours / peak]


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(report())
