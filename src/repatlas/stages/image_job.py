"""The networks that a job on images wants."""

from pathlib import Path
from typing import NamedTuple

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.experiments.images.grid import ImageGrid
from repatlas.experiments.images.spec import ImageSpec


class WantedImageRun(NamedTuple):
    spec: ImageSpec
    epochs: list[int]
    """Those of all grids that hold the network"""


def image_arrays(path: Path, split: str) -> Arrays:
    """The images of a split of a data set; those of the other one under its name are refused."""
    arrays = Arrays(path, "images")
    if (found := arrays.header.get("split")) != split:
        raise Unreadable(path, f"holds the {found} images, not the {split} images")
    return arrays


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
