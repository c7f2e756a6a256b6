"""Trains networks that name images: perceptrons many at a time, convolutional ones one by one."""

from collections.abc import Callable, Iterator

from repatlas.artifacts.files import Arrays
from repatlas.experiments.classification import convolutions, perceptrons
from repatlas.runs import Run, Wanted

USES_TORCH = True
"""True: trained with torch, on a GPU if there is one. False: trained with numpy on one CPU core."""
TRAINS = {"mlp": perceptrons.train, "small_cnn": convolutions.train}


def train(
    missing: dict[str, Wanted],
    begun: dict[str, Run],
    data: Arrays,
    seed: int,
    device: str,
    log: Callable[[str], None],
) -> Iterator[dict[str, Run]]:
    """Train each network on; yield runs as they stand, now and then."""
    (kind,) = {wanted.spec.network.kind for wanted in missing.values()}  # a family has one type
    yield from TRAINS[kind](missing, begun, data, seed, device, log)
