"""What is measured of a network on images that it was not trained on.

The class means take the part that cluster centres have in the other figures: each class is one
condition, with the mean over its held-out images as its pattern.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from repatlas.experiments.images.content import CLASSES
from repatlas.experiments.images.task import one_hot
from repatlas.experiments.images.training import Images
from repatlas.geometry import NotConverged, alignment_of_kernels, centred_kernel
from repatlas.geometry.paired import paired_ccgp, paired_parallelism_score
from repatlas.networks.convolutional import Layers

BATCH = 100
"""Images in one pass: ResNet-18 at full width takes 1 GB for those of STL-10."""


class Activity(NamedTuple):
    """What a network does with held-out images."""

    means: list[np.ndarray]
    """For each layer, (10, n): the mean of each class; the input comes first"""
    final: np.ndarray
    """(images, n): the last hidden layer"""
    accuracy: float


class ImageRow(NamedTuple):
    measure: str
    variant: str
    value: float
    layer: int | None = None
    """0 for the input, then as networks.convolutional.layer_names has them"""
    reason: str | None = None
    """Why the value is missing: for the log"""


def activity(module: Layers, images: Images, classes: np.ndarray) -> Activity:
    """classes: (images,), 0 .. 9; the network is used as it is in evaluation."""
    device = next(module.parameters()).device
    module.eval()
    sums: list[np.ndarray] = []
    final, hits = [], 0
    with torch.no_grad():
        for start in range(0, len(classes), BATCH):
            part = slice(start, start + BATCH)
            inputs = torch.from_numpy(images.inputs(part)).to(
                device, memory_format=torch.channels_last
            )
            layers = [inputs, *module.representations(inputs)]
            predicted = module.readout(layers[-1]).argmax(1).cpu().numpy()
            hits += int((predicted == images.labels[part]).sum())
            final.append(layers[-1].cpu().numpy())
            of_class = np.eye(CLASSES)[:, classes[part]]  # (10, batch)
            found = [of_class @ layer.flatten(1).double().cpu().numpy() for layer in layers]
            sums = [a + b for a, b in zip(sums, found, strict=True)] if sums else found
    counts = np.bincount(classes, minlength=CLASSES)[:, None]
    means = [each / counts for each in sums]
    return Activity(means, np.concatenate(final).astype(np.float64), hits / len(classes))


def measured(
    found: Activity, classes: np.ndarray, labels: np.ndarray, regularisation: float
) -> Iterator[ImageRow]:
    """labels: (10,), of each class. The last layer is that of Figure 4C."""
    kernels, targets = (
        [centred_kernel(means) for means in found.means],
        centred_kernel(one_hot(labels)),
    )
    inputs, last = kernels[0], len(kernels) - 1
    yield ImageRow("accuracy", "test", found.accuracy)
    yield ImageRow("input_output_alignment", "class means", alignment_of_kernels(inputs, targets))
    for layer, kernel in enumerate(kernels):
        for name, other in (("target_alignment", targets), ("input_alignment", inputs)):
            yield ImageRow(name, "class means", alignment_of_kernels(kernel, other), layer)
    score = paired_parallelism_score(found.means[-1], labels)
    yield ImageRow("parallelism", "class means", score, last)
    ccgp, reason = np.nan, None
    try:
        ccgp = paired_ccgp(found.final, classes, labels, regularisation)
    except NotConverged as error:
        reason = f"the decoder did not converge. {error}"
    yield ImageRow("ccgp", "classes held out", ccgp, last, reason)
