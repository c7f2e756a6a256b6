"""The settings of a network on images, as columns."""

from typing import Any

import pyarrow as pa

from repatlas.experiments.images.task import LABELS
from repatlas.images.content import CLASSES

COLUMNS = {
    "activation": pa.string(),
    "depth": pa.int32(),
    "clusters": pa.int32(),
    "targets": pa.int32(),
    "dataset": pa.string(),
    "architecture": pa.string(),
    "pairing": pa.string(),
    "images": pa.int32(),
    "published": pa.int32(),
    "test_images": pa.int32(),
    "test_published": pa.int32(),
}


def columns_of(spec: Any) -> dict[str, Any]:
    """Return the settings of a network, by column."""
    return {
        "activation": spec.network.activation,
        "depth": spec.network.depth,
        "clusters": CLASSES,
        "targets": LABELS,
        "dataset": spec.data_set,
        "architecture": spec.network.architecture,
        "pairing": spec.pairing,
    }


def columns_of_data(about: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return the numbers of images that networks are trained and tested on, and of published ones,
    by column. about: what the header of the data states."""
    found = {}
    for name, numbers in about.items():
        found |= {name: numbers["train"], f"test_{name}": numbers["test"]}
    return found
