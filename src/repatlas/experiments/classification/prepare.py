"""The data of networks that name images: the two splits of a published data set."""

from collections.abc import Callable
from typing import Any

import numpy as np

from repatlas.images import prepared
from repatlas.images.prepared import OWN_DATA, depends_on, modules

__all__ = ["OWN_DATA", "depends_on", "modules", "prepare"]


def prepare(
    wanted: list[dict], seed: None, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any], str]:
    """Return the images and labels of each split, as `images/SPLIT/images` and
    `images/SPLIT/labels`. A network depends on both splits, since its curves have its accuracy on
    the test images."""
    arrays, header, line = prepared.prepare(wanted, seed, source, log)
    return {f"images/{name}": values for name, values in arrays.items()}, header, line
