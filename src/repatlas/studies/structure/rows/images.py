"""The rows of networks on images, with their settings as columns (Figure 4C and its supplement)."""

from typing import Any

import pandas as pd

from repatlas.experiments.images.content import CLASSES
from repatlas.experiments.images.spec import ImageGrid, ImageSpec
from repatlas.experiments.images.task import LABELS
from repatlas.inference.contrasts import TANH_RELU, median_rows, tanh_minus_relu
from repatlas.inference.pooling import refuse_pooling
from repatlas.record import Refused
from repatlas.studies.structure.rows.panels import ending_at, whole


def image_rows(
    metrics: list[tuple[dict, pd.DataFrame]], grid: ImageGrid, seeds: int
) -> pd.DataFrame:
    """The rows of all networks and epochs of a sweep; metrics: header and rows of each file.

    Raises Refused where a network lacks a seed.
    """
    found = []
    for spec in grid.specs():
        rows = _network_rows(metrics, spec, grid, seeds)
        if (number := rows["seed"].nunique()) < seeds:
            raise Refused(f"the metrics lack network {spec.key}: {number} of its seeds")
        found.append(rows)
    rows = pd.concat(found, ignore_index=True)
    return rows[~rows["measure"].str.endswith("participation_ratio")].drop(columns="by")


def bar_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Panel C of Figure 4, before training and after: the last layer, and the differences between
    the activations there."""
    shown = last_layer(rows)
    return pd.concat([shown, effects(shown)], ignore_index=True)


def effects(rows: pd.DataFrame) -> pd.DataFrame:
    """tanh - ReLU for each architecture and data set, with its interval over seeds; a seed's value
    is its mean over pairings of classes."""
    by = ["dataset", "architecture", "images", "published", "test_images", "test_published"]
    by += ["clusters", "targets", "depth", "step", "measure", "variant", "layer"]
    refuse_pooling(whole(rows), [*by, "activation", "pairing"])
    values = whole(rows).groupby([*by, "activation", "seed"], dropna=False)["value"]
    of_seed = values.agg(lambda each: each.mean(skipna=False)).reset_index()
    return median_rows(tanh_minus_relu(of_seed, by), by).assign(contrast=TANH_RELU)


def last_layer(rows: pd.DataFrame) -> pd.DataFrame:
    """Of the rows that are about a layer those of the last, and those about none."""
    last = rows.groupby(["dataset", "architecture"])["layer"].transform("max")
    return rows[rows["layer"].isna() | (rows["layer"] == last)]


def _network_rows(metrics: list, spec: ImageSpec, grid: ImageGrid, seeds: int) -> pd.DataFrame:
    parts = []
    for header, rows in metrics:
        chosen = (rows["run"] == spec.key) & rows["step"].isin(grid.epochs)
        chosen &= rows["seed"] < seeds
        of_sweep = ending_at(rows[chosen], max(grid.epochs))
        parts.append(of_sweep.assign(**_settings(header, spec)))
    return pd.concat(parts, ignore_index=True)


def _settings(header: dict, spec: ImageSpec) -> dict[str, Any]:
    return {
        "activation": spec.network.activation,
        "depth": spec.network.depth,
        "clusters": CLASSES,
        "targets": LABELS,
        "dataset": spec.data_set,
        "architecture": spec.network.architecture,
        "pairing": spec.pairing,
        "images": header["about"]["images"]["train"],
        "published": header["about"]["published"]["train"],
        "test_images": header["about"]["images"]["test"],
        "test_published": header["about"]["published"]["test"],
    }
