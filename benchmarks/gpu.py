"""The engine on a GPU against the usual loop on the same GPU, and against its limits."""

import time

import torch
from measuring import markdown
from training import SGD, SHALLOW, gigaflops, make_case

from repatlas.experiments.clusters.engine import train
from repatlas.experiments.clusters.reference import OPTIMISERS, reference_data, reference_network
from repatlas.experiments.clusters.training import batches

STEPS = 1000
RUNS = (1, 16, 64, 256, 1024, 4096, 16384)


def report(smoke: bool = False) -> str:
    """Return the section on the GPU, in Markdown; "no GPU" where there is none."""
    if not torch.cuda.is_available():
        return "## GPU\n\nno GPU"
    usual = _usual()
    bandwidth, product = _bandwidth(), _product()
    rows = []
    for runs in RUNS[:1] if smoke else RUNS:
        for activation in ("tanh", "relu"):
            block, network, training = make_case(
                activation, 120, 4, 1, 200, SHALLOW, SGD, runs=runs
            )
            train(block, activation, network.trained, training, 0, [10], device="cuda")
            start = time.perf_counter()
            train(block, activation, network.trained, training, 0, [STEPS], device="cuda")
            rate = runs * STEPS / (time.perf_counter() - start)
            flops = gigaflops(120, 1, 200, network) * rate / product
            rows.append([runs, activation, rate, rate / usual, flops])
    return "\n\n".join(
        [
            "## GPU",
            f"{torch.cuda.get_device_name()}; N = H = 120, B = 200, SGD, single precision without"
            f" TF32; {STEPS} steps, with the copies to the GPU and back. The usual loop:"
            f" {usual:,.0f} steps per second. Copies: {bandwidth:,.0f} GB/s;"
            f" product of 4096 x 4096: {product:,.0f} GFLOP/s.",
            markdown(
                ["networks", "activation", "network-steps per second", "times the usual loop",
                 "of the product's rate"], rows,
            ),
        ]
    )  # fmt: skip


def _usual() -> float:
    block, network, training = make_case("tanh", 120, 4, 1, 200, SHALLOW, SGD, runs=1)
    inputs, targets = (tensor.cuda() for tensor in reference_data(block, 0))
    module = reference_network(block, "tanh", network.trained).cuda()
    learning = [parameter for parameter in module.parameters() if parameter.requires_grad]
    optimiser = OPTIMISERS["sgd"](learning, lr=training.learning_rate)
    loss_of = torch.nn.functional.binary_cross_entropy_with_logits
    for measured in (False, True):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for batch in batches(0, training, STEPS):
            samples = torch.from_numpy(batch).cuda()
            loss = loss_of(module(inputs[samples]), targets[samples], reduction="sum")
            optimiser.zero_grad()
            (loss / training.batch).backward()
            optimiser.step()
        torch.cuda.synchronize()
        if measured:
            return STEPS / (time.perf_counter() - start)


def _bandwidth() -> float:
    a = torch.empty(1 << 28, device="cuda")
    b = torch.empty_like(a)
    return 2 * a.nbytes / _seconds(lambda: b.copy_(a)) / 1e9


def _product() -> float:
    a, b = (torch.randn(4096, 4096, device="cuda") for _ in range(2))
    return 2e-9 * 4096**3 / _seconds(lambda: a @ b)


def _seconds(call, calls: int = 20) -> float:
    call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls


if __name__ == "__main__":
    print(report())
