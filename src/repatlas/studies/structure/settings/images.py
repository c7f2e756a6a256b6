"""The rows of networks on images, with their settings as columns."""

from typing import Any

import pandas as pd

from repatlas.experiments.images.spec import ImageGrid, ImageSpec
from repatlas.experiments.images.task import LABELS
from repatlas.figures.rows import check_seeds, ending_at
from repatlas.images.content import CLASSES


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: ImageGrid, seeds: list[int]
) -> pd.DataFrame:
    """Return the rows of all networks and epochs of a sweep, of these seeds. files: header and rows
    of each.

    Raises Refused where a network lacks a seed.
    """
    found = []
    for spec in grid.specs():
        rows = _network_rows(files, spec, grid, seeds)
        check_seeds(pd.Series({spec.key: rows["seed"].nunique()}), len(seeds))
        found.append(rows)
    rows = pd.concat(found, ignore_index=True)
    return rows[~rows["measure"].str.endswith("participation_ratio")].drop(columns="by")


def _network_rows(
    files: list[tuple[dict, pd.DataFrame]], spec: ImageSpec, grid: ImageGrid, seeds: list[int]
) -> pd.DataFrame:
    parts = []
    for header, rows in files:
        chosen = (rows["run"] == spec.key) & rows["step"].isin(grid.epochs)
        chosen &= rows["seed"].isin(seeds)
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
