"""measure_images: geometry and accuracy of the networks of a shard, on held-out images."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from repatlas.artifacts.files import METRICS_SCHEMA, Unreadable, write_table
from repatlas.artifacts.runs import run_arrays
from repatlas.experiments.images.known import DATA_SETS
from repatlas.experiments.images.mapped import mapped
from repatlas.experiments.images.size import products
from repatlas.experiments.images.task import class_labels
from repatlas.experiments.images.training import Images, chosen_device, load_parameters, scale
from repatlas.measures.of_images import ImageRow, activity, measured
from repatlas.networks.convolutional import build
from repatlas.stages.image_job import image_arrays, wanted_image_runs
from repatlas.stages.job import WORK, log, made_from, read_job, shard_arrays, stage_parser

NAMES = (
    "accuracy",
    "input_output_alignment",
    "target_alignment",
    "input_alignment",
    "parallelism",
    "ccgp",
)
"""Of all measures, for a network that diverged."""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--train-images", type=Path, required=True, help="for their mean")
    parser.add_argument("--test-images", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    options = parser.parse_args(arguments)
    job = read_job(options.job, "measure_images")
    device = chosen_device(options.device)
    trained_on = image_arrays(options.train_images, "train")
    test = image_arrays(options.test_images, "test")
    runs = shard_arrays(options.runs, "runs", job)
    inputs = {file.path: file.header for file in (trained_on, test, runs)}
    about_all = made_from(options, "measure_images", inputs)
    if lacking := wanted_image_runs(job).keys() - runs.header["runs"].keys():
        raise Unreadable(options.runs, f"lacks network {min(lacking)}")

    seed, classes = job["seed"], test["labels"].astype(np.int64)
    pixels, scales = mapped(test, "images"), scale(mapped(trained_on, "images"))
    rows = []
    for key, run in wanted_image_runs(job).items():
        labels = class_labels(run.spec.pairing, seed)
        images = Images(pixels, labels[classes], *scales)
        module = build(seed, run.spec.network, DATA_SETS[run.spec.data_set].SHAPE)
        about, stored = runs.header["runs"][key], run_arrays(runs, key)
        diverged = about["diverged_step"]
        of_run = []
        for index, epoch in enumerate(about["steps"]):
            found = [ImageRow(name, "diverged", np.nan) for name in NAMES]
            if diverged is None or epoch < diverged:
                parameters = {n: v[index] for n, v in stored.items() if "state/" not in n}
                load_parameters(module, parameters)
                seen = activity(module.to(device), images, classes)
                if all(np.isfinite(values).all() for values in (*seen.means, seen.final)):
                    found = measured(seen, classes, labels, job["regularisation"])
                else:
                    # In the epoch's last step, or on these images: its losses were finite.
                    diverged = epoch
            found = list(found)
            for row in found:
                if row.reason:
                    log(f"network {key}, epoch {epoch}: {row.measure} is missing: {row.reason}")
            of_run += [
                row._asdict()
                | {"run": key, "seed": seed, "step": epoch}
                | {"value": row.value if np.isfinite(row.value) else None}
                for row in found
            ]
        rows += [row | {"diverged_step": diverged} for row in of_run]
        log(f"measured {run.spec.network.activation}, {run.spec.pairing} pairs")
    if device == "cpu":  # costs are those of a core
        passes = {run.spec: len(run.epochs) for run in wanted_image_runs(job).values()}
        log(f"{WORK}{products(passes) * len(pixels)}")
    header = {
        **about_all,
        "data_set": test.header["data_set"],
        **{
            name: {file.header["split"]: file.header[name] for file in (trained_on, test)}
            for name in ("images", "published")
        },
        "runs": {key: about["spec"] for key, about in runs.header["runs"].items()},
    }
    table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA)
    write_table(options.output, "metrics", header, table)
