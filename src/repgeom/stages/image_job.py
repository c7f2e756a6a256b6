"""The networks that a job on images wants."""

from typing import NamedTuple

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
