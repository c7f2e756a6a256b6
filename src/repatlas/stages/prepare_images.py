"""prepare_images: read a published data set, check it, and store its two splits as arrays.

They are mapped into memory where they are read. A whole data set is what was published, wherever
its files lie; of a cut one what the files hold is part of what the result depends on.
"""

import argparse
from pathlib import Path

import numpy as np

from repatlas.artifacts.files import write_arrays
from repatlas.artifacts.provenance import origin
from repatlas.experiments.images.content import CLASSES, BadImages, Split, content_digests
from repatlas.experiments.images.download import download
from repatlas.experiments.images.known import DATA_SETS
from repatlas.stages.job import log, read_job


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--job", required=True, help="what the result depends on, as JSON")
    parser.add_argument("--folder", type=Path, help="with the published files")
    parser.add_argument("--url", help="of a folder from which to fetch what is missing")
    parser.add_argument("--download", action="store_true", help="fetch what is missing")
    parser.add_argument("--train", type=Path, required=True, help="output")
    parser.add_argument("--test", type=Path, required=True, help="output")
    options = parser.parse_args(arguments)
    job = read_job(options.job, "prepare_images")
    data_set = DATA_SETS[job["data_set"]]

    if options.download and not any((options.folder / f).exists() for f in data_set.OTHER_FORMS):
        for name, (url, *about) in data_set.DOWNLOADS.items():
            if not (options.folder / name).exists():
                address = f"{(options.url or url).rstrip('/')}/{name}"
                download(address, options.folder / name, *about, log)
    splits = data_set.read(options.folder, job["subset"])
    if job["subset"] and content_digests(options.folder, data_set.CUTTABLE) != job["files"]:
        raise BadImages(f"{options.folder}: changed since it was planned: start the command again")
    for name, split in splits.items():
        _check_classes(options.folder, name, split)
    for name, split in splits.items():
        published = data_set.SIZES[name]
        header = {
            **origin(options.job, "prepare_images", [name]),
            "data_set": job["data_set"],
            "split": name,
            "images": len(split.labels),
            "published": published,
        }
        arrays = {"images": split.images, "labels": split.labels}
        write_arrays(getattr(options, name), "images", header, arrays)
        part = "" if len(split.labels) == published else f", a subset of {published}"
        log(f"{job['data_set']}: {len(split.labels)} {name} images{part}")


def _check_classes(folder: Path, name: str, split: Split) -> None:
    """What is measured are means over the images of each class: a cut file may lack some."""
    counts = np.bincount(split.labels, minlength=CLASSES)
    if not counts.all():
        raise BadImages(
            f"{folder}: found {len(split.labels)} {name} images and none of class"
            f" {counts.argmin()}, allowed: some of each"
        )
