"""The data of networks on images: the two splits of a published data set, checked, as arrays.

They are mapped into memory where they are read. A whole data set is what was published, wherever
its files lie; of a cut one what the files hold is part of what the result depends on.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from repatlas.images.content import CLASSES, BadImages, Split, content_digests
from repatlas.images.download import download
from repatlas.images.published import PACKAGE, data_set
from repatlas.named import module_of

OWN_DATA = False
"""True if each seed has separate data."""


def modules(wanted: dict[str, Any]) -> list[str]:
    """Return the modules that a data set names."""
    return [module_of(PACKAGE, wanted["data_set"])]


def depends_on(wanted: dict, source: dict) -> dict[str, Any]:
    """Return the part of the user's files that the data depend on. Whole files have the published
    content. Files that were cut short may be longer or shorter another time."""
    if not source.get("subset"):
        return {"subset": False}
    cuttable = data_set(wanted["data_set"]).CUTTABLE
    return {"subset": True, "files": content_digests(Path(source["folder"]), cuttable)}


def prepare(
    wanted: list[dict], seed: None, source: dict, log: Callable[[str], None]
) -> tuple[dict[str, np.ndarray], dict[str, Any], str]:
    """Return the images and labels of each split, by split and name; how many there are; and a line
    for the log.

    source: the location of the files in the config: folder, url, download.
    """
    (about,) = wanted
    module = data_set(about["data_set"])
    folder = Path(source["folder"]) if source else None
    downloads = source and source["download"]
    if downloads and not any((folder / f).exists() for f in module.OTHER_FORMS):
        for name, (url, *content) in module.DOWNLOADS.items():
            if not (folder / name).exists():
                address = f"{(source['url'] or url).rstrip('/')}/{name}"
                download(address, folder / name, *content, log)
    splits = module.read(folder, about["subset"])
    if about["subset"] and content_digests(folder, module.CUTTABLE) != about["files"]:
        raise BadImages(f"{folder}: changed since it was planned: start the command again")
    for name, split in splits.items():
        _check_classes(folder, name, split)
    arrays, counts = {}, []
    for name, split in splits.items():
        arrays |= {f"{name}/images": split.images, f"{name}/labels": split.labels}
        published = module.SIZES[name]
        part = "" if len(split.labels) == published else f", a subset of {published}"
        counts.append(f"{len(split.labels)} {name} images{part}")
    header = {
        "data_set": about["data_set"],
        "images": {name: len(split.labels) for name, split in splits.items()},
        "published": module.SIZES,
    }
    return arrays, header, f"{about['data_set']}: {'; '.join(counts)}"


def _check_classes(folder: Path, name: str, split: Split) -> None:
    """Refuse images that lack a class, as a file that was cut short may. Measures use means over
    the images of each class."""
    counts = np.bincount(split.labels, minlength=CLASSES)
    if not counts.all():
        raise BadImages(
            f"{folder}: found {len(split.labels)} {name} images and none of class"
            f" {counts.argmin()}, allowed: some of each"
        )
