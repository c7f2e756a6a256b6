"""What the layers of a convolutional network make of images."""

import numpy as np
import torch

from repatlas.experiments.classification.spec import Spec
from repatlas.images.content import CLASSES
from repatlas.images.published import data_set
from repatlas.images.scaled import Images
from repatlas.images.training import load_parameters
from repatlas.networks.convolutional import build
from repatlas.networks.devices import chosen_device

AT_ONCE = 500
"""Images that a network is shown together."""


def representations(
    spec: Spec, seed: int, parameters: dict[str, np.ndarray], images: Images
) -> list[np.ndarray]:
    """Return (m, channels, height, width) or (m, n) float64 for the input and each layer.

    parameters: those at one step.
    """
    module = build(seed, spec.network.network, data_set(spec.data_set).SHAPE, CLASSES)
    load_parameters(module, {name: parameters[name] for name in module.state_dict()})
    chosen_device("cpu")  # with one thread, so that bits are the same each time
    module.eval()
    found = []
    with torch.no_grad():
        for first in range(0, len(images.images), AT_ONCE):
            inputs = torch.from_numpy(images.inputs(slice(first, first + AT_ONCE))).to(
                memory_format=torch.channels_last
            )
            layers = [inputs, *module.representations(inputs)]
            found.append([layer.double().numpy() for layer in layers])
    return [np.concatenate(of_layer) for of_layer in zip(*found, strict=True)]
