"""What the stages of networks on images share: their networks, and where they are computed."""

from typing import NamedTuple

import torch

from repgeom.images.spec import ImageSpec
from repgeom.images.sweeps import ImageGrid


class WantedImageRun(NamedTuple):
    spec: ImageSpec
    epochs: list[int]
    """Those of all grids that hold the network"""


def wanted_image_runs(job: dict) -> dict[str, WantedImageRun]:
    """By key: each network of the job's family, once."""
    wanted: dict[str, WantedImageRun] = {}
    for values in job["grids"]:
        grid = ImageGrid.model_validate(values)
        for spec in grid.specs():
            if spec.family == job["family"]:
                known = wanted[spec.key].epochs if spec.key in wanted else []
                wanted[spec.key] = WantedImageRun(spec, sorted({*known, *grid.epochs}))
    return wanted


def chosen_device(name: str) -> str:
    """The device of a --device option, set to compute the same each time."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device: found 'cuda' on a machine without one, allowed: auto, cpu")
    if name == "cpu" or not torch.cuda.is_available():
        torch.set_num_threads(1)  # several add up in another order
        return "cpu"
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False  # it chooses by the clock
    torch.backends.cudnn.allow_tf32 = False
    return "cuda"
