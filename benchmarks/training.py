"""The engine against the usual loop: microseconds for one step of one network, one thread."""

import time
from itertools import chain, islice

import numpy as np
import torch
from measuring import alternate, markdown, medians
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.utils.data import DataLoader, TensorDataset

from repatlas.experiments.clusters.engine import Block, train
from repatlas.experiments.clusters.reference import (
    OPTIMISERS,
    reference_data,
    reference_network,
    train_reference,
)
from repatlas.experiments.clusters.training import Training, training_conditions, training_noise
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.mlp import Network, initial_parameters

RUNS = 16
"""Networks in a block, as the train stage has them on a CPU."""
USUAL_STEPS, STEPS = 200, 100
SGEMM = 2048

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
            "Microseconds for one step of one network, one thread. The usual loop is an"
            " `nn.Sequential`, autograd and an optimiser on a fixed set of 5000 samples, held as"
            " one tensor and indexed (`experiments/clusters/reference.py`), or in a `DataLoader`,"
            f" as tutorials write it. Ours trains {RUNS} networks at once on the same data, noise"
            " and batches."
            " Medians of 5, in turns with a product of 2048 x 2048 matrices (sgemm). *At most, by"
            " sgemm*: how many times as fast as the usual loop the matrix products alone would be"
            " at the rate of sgemm, with nothing else to do.",
            _comparison(CASES[:1] if smoke else CASES),
            "### Where the time of a step goes",
            f"N = H = 120, B = 200, K = 1, SGD: each part alone, for {RUNS} networks, in us for one"
            " of them. The limit is the two large products at the rate of sgemm.",
            _breakdown(),
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


def sgemm(size: int = SGEMM):
    a = torch.randn(size, size)
    b = torch.randn(size, size)
    return lambda: a @ b


def _comparison(cases: list) -> str:
    rows = []
    product = sgemm()
    for title, inputs, clusters, targets, batch, values, optimiser in cases:
        for activation in ("tanh", "relu"):
            block, network, training = make_case(
                activation, inputs, clusters, targets, batch, values, optimiser
            )
            flops = gigaflops(inputs, targets, batch, network)
            case = _case(block, network, training, flops, product)
            rows.append([title, training.optimiser, activation, *case])
    columns = ["case", "optimiser", "activation", "`DataLoader`, us", "usual, us", "ours, us",
               "times `DataLoader`", "times usual", "at most, by sgemm", "ours, GFLOP/s",
               "of sgemm"]  # fmt: skip
    return markdown(columns, rows)


def _case(block, network, training, flops, product) -> list[float]:
    usual_steps = max(USUAL_STEPS // network.depth, 40)
    steps = max(STEPS // network.depth, 20)
    found = medians(
        alternate(
            {
                "loader": lambda: _train_with_loader(block, network, training, usual_steps),
                "usual": lambda: train_reference(
                    block, 0, network.activation, network.trained, training, 0, usual_steps
                ),
                "ours": lambda: train(
                    block, network.activation, network.trained, training, 0, [steps]
                ),
                "sgemm": product,
            }
        )
    )
    loader, usual = found["loader"] / usual_steps, found["usual"] / usual_steps
    ours, peak = found["ours"] / steps / RUNS, 2e-9 * SGEMM**3 / found["sgemm"]
    times = [1e6 * loader, 1e6 * usual, 1e6 * ours]
    return [*times, loader / ours, usual / ours, usual * peak / flops, flops / ours,
            flops / ours / peak]  # fmt: skip


def _train_with_loader(block, network, training, steps) -> None:
    """The usual loop as tutorials write it: a DataLoader puts the batches together."""
    inputs, targets = reference_data(block, 0)
    module = reference_network(block, network.activation, network.trained)
    learning = [parameter for parameter in module.parameters() if parameter.requires_grad]
    optimiser = OPTIMISERS[training.optimiser](learning, lr=training.learning_rate)
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=training.batch, shuffle=True)
    epochs = -(-steps // len(loader))
    for x, y in islice(chain.from_iterable(loader for _ in range(epochs)), steps):
        loss = binary_cross_entropy_with_logits(module(x), y, reduction="sum")
        optimiser.zero_grad()
        (loss / training.batch).backward()
        optimiser.step()


def _breakdown() -> str:
    inputs = width = 120
    batch, padded, samples = 200, 8, 5000
    x, noise = torch.randn(RUNS, batch, inputs), torch.randn(samples, inputs)
    centres, deviations = torch.randn(RUNS, 4, inputs), torch.ones(RUNS, 1, 1)
    weights, bias = torch.randn(RUNS, width, inputs) / 11, torch.zeros(RUNS, width, 1)
    hidden, gradient = torch.randn(RUNS, width, batch), torch.randn(RUNS, width, batch)
    readout, output = torch.randn(RUNS, padded, width), torch.randn(RUNS, padded, batch)
    order = torch.randint(samples, (batch,))
    condition = torch.randint(4, (batch,))

    def inputs_of_a_batch():
        torch.mul(noise.index_select(0, order), deviations, out=x)
        x.add_(centres.index_select(1, condition))

    def errors():
        output.sigmoid_().sub_(output).mul_(0.005)
        torch.amax(output.abs(), dim=(1, 2))

    def activation(name):
        def both():
            activation_of(name).forward(hidden, hidden)
            activation_of(name).backward_(gradient, hidden, hidden)

        return both

    parts = {
        "samples: noise and centres of the batch": inputs_of_a_batch,
        "forward product W x": lambda: torch.baddbmm(bias, weights, x.mT, out=hidden),
        "backward product into W": lambda: weights.baddbmm_(gradient, x, alpha=-1e-9),
        "readout, forward": lambda: torch.bmm(readout, hidden, out=output),
        "readout, backward": lambda: torch.bmm(readout.mT, output, out=gradient),
        "sum over the batch into b": lambda: bias.sub_(gradient.sum(2, keepdim=True), alpha=1e-9),
        "errors, look-out for divergence": errors,
        "tanh and its derivative": activation("tanh"),
        "ReLU and its derivative": activation("relu"),
    }
    with torch.no_grad():
        found = {name: 1e6 * _each(call) / RUNS for name, call in parts.items()}
    whole = {}
    for name in ("tanh", "relu"):
        block, network, training = make_case(name, inputs, 4, 1, batch, SHALLOW, SGD)
        seconds = medians(
            alternate({"": lambda b=block, n=network, t=training: train(
                b, n.activation, n.trained, t, 0, [STEPS])})
        )[""]  # fmt: skip
        whole[name] = 1e6 * seconds / STEPS / RUNS
    tanh = sum(found.values()) - found["ReLU and its derivative"]
    relu = sum(found.values()) - found["tanh and its derivative"]
    limit = 1e6 * 2e-9 * 2 * batch * width * inputs / (2e-9 * SGEMM**3 / _each(sgemm(), calls=5))
    rows = [*found.items()]
    rows += [("a whole step, tanh", whole["tanh"]), ("a whole step, ReLU", whole["relu"])]
    rows += [("whole less its parts (dispatch, Python), tanh", whole["tanh"] - tanh)]
    rows += [("whole less its parts (dispatch, Python), ReLU", whole["relu"] - relu)]
    rows += [("limit: the two large products at the rate of sgemm", limit)]
    return markdown(["part", "us"], rows)


def _each(call, calls: int = 50, repeats: int = 7) -> float:
    """Seconds of one call: the median over repeats of the mean over calls."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        seconds.append((time.perf_counter() - start) / calls)
    return float(np.median(seconds))


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(report())
