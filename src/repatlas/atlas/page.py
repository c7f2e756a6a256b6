"""The atlas for a browser: one page, without a server, on networks between XOR and equidistant
inputs."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from repatlas.artifacts.files import whole_file
from repatlas.atlas.loaded import Network, load
from repatlas.atlas.table import FIRST, LAST, results
from repatlas.geometry import centred_kernel
from repatlas.inference.intervals import median_interval
from repatlas.networks.activation import activation as activation_of

TEMPLATE = Path(__file__).with_name("page.html")
CHOSEN = ["activation", "delta", "noise_variance"]
"""What a reader sets."""


class Curve(NamedTuple):
    """A measure that the page draws."""

    name: str
    measure: str
    variant: str
    deviation: float | None
    low: float
    """The lower end of its axis; the upper is 1"""
    chance: float | None
    """The height of the line labelled chance; None: there is none"""


CURVES = (
    Curve("Target alignment", "target_alignment", "centres", None, 0.0, None),
    Curve("Input alignment", "input_alignment", "centres", None, 0.0, None),
    Curve("Parallelism score", "parallelism", "centres", None, -1.0, 0.0),
    Curve("CCGP, noise of deviation 3", "ccgp", "samples", 3.0, 0.0, 0.5),
)
BITS = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
AXES = np.column_stack([BITS, BITS.prod(axis=1)]) / 2
"""(4, 3): the two bits of the clusters and their product, which is the label; orthonormal."""


def write_page(path: str | Path = "atlas.html", folder: str | Path = "results") -> None:
    """Write a page on which a reader sets activation, separability and noise, and sees the hidden
    layer, four measures and their intervals.

    The page is one file of less than 1 MB that asks for nothing else. It holds stored networks of
    the task `separable`: those in the setting, and at the step, that most of them have. It leaves
    out separabilities without all activations and values of noise. Measures are medians over
    networks with exact 95 % intervals (median_interval), which need six networks.

    path: the page; a file with this path is replaced. folder: the results of a config, as for
    `networks`. Raises FileNotFoundError where nothing is stored or measured, and ValueError without
    networks of this task, or if no separability is left.
    """
    # Loaded here, because the rest of the atlas works without it.
    from jinja2 import Environment

    chosen = _grid(load(folder, task="separable"))
    template = Environment(autoescape=True).from_string(TEMPLATE.read_text(encoding="utf-8"))
    with whole_file(Path(path)) as temporary:
        temporary.write_text(template.render(data=_content(chosen, folder)), encoding="utf-8")


def _grid(stored: list[Network]) -> list[Network]:
    """Return the networks of the most common setting, for the separabilities that have all its
    activations and values of noise, by seed."""
    table = pd.DataFrame([network.about for network in stored])
    settings = [n for n in table if n not in {*FIRST, *LAST, *CHOSEN}] + ["step"]
    of_setting = table.groupby(settings, dropna=False)
    table = table.loc[max(of_setting.groups.values(), key=len)]
    cells = table[CHOSEN].drop_duplicates().groupby("delta").size()
    most = table["activation"].nunique() * table["noise_variance"].nunique()
    table = table[table["delta"].isin(cells[cells == most].index)]
    if table.empty:
        raise ValueError(
            "found no separability with networks of all activations and values of noise, expected"
            " one or more: such a grid is the sweep `noise` of structure"
        )
    return [stored[row] for row in table.sort_values(["seed", *CHOSEN]).index]


def _content(stored: list[Network], folder: str | Path) -> dict[str, Any]:
    """Return what the script of the page reads; cells are by activation, separability, noise."""
    # Imports Matplotlib, which takes longer than a table of networks.
    from repatlas.plots.palette import CLASS_COLOURS
    from repatlas.plots.style import ACTIVATION_NAMES

    table = pd.DataFrame([network.about for network in stored])
    table["shape"] = [_shape(network.layers[-1]) for network in stored]
    table = table.merge(_measured(table, folder), on=["run", "seed"], how="left")
    deltas, noises = (sorted(table[name].unique().tolist()) for name in CHOSEN[1:])
    activations = [name for name in ACTIVATION_NAMES if name in set(table["activation"])]
    found = dict(list(table.groupby(CHOSEN)))
    first = stored[0].about
    inputs = {network.about["delta"]: network.inputs for network in stored}
    return {
        "deltas": deltas,
        "noises": noises,
        "activations": [
            {
                "name": ACTIVATION_NAMES[name],
                "colour": activation_of(name).colour,
                "filled": name == "tanh",
            }
            for name in activations
        ],
        "classes": CLASS_COLOURS,
        "labels": (BITS.prod(axis=1) > 0).tolist(),
        "curves": [
            {
                "name": curve.name,
                "low": curve.low,
                "ticks": np.arange(curve.low, 1.01, 0.5).tolist(),
                "chance": curve.chance,
            }
            for curve in CURVES
        ],
        "settings": (
            f"{first['inputs']} inputs, one hidden layer of {first['width']} units, batches of"
            f" {first['batch']}, {first['step']:,} steps of {first['optimiser'].upper()}"
        ),
        "inputs": [_points(_shape(inputs[delta])) for delta in deltas],
        "cells": [[[_cell(found[a, d, v]) for v in noises] for d in deltas] for a in activations],
    }


def _measured(table: pd.DataFrame, folder: str | Path) -> pd.DataFrame:
    """Return run, seed and a column for each of CURVES."""
    wanted = pc.field("run").isin(table["run"].unique().tolist())
    wanted &= pc.field("step") == int(table["step"].iloc[0])
    columns = ["run", "seed", "measure", "variant", "deviation", "value"]
    rows = results(folder).to_table(columns, filter=wanted).to_pandas()
    wide = table[["run", "seed"]]
    for curve in CURVES:
        right = (rows["measure"] == curve.measure) & (rows["variant"] == curve.variant)
        if curve.deviation is not None:
            right &= rows["deviation"] == curve.deviation
        values = rows.loc[right, ["run", "seed", "value"]]
        wide = wide.merge(values.rename(columns={"value": curve.name}), "left", ["run", "seed"])
    return wide


def _cell(networks: pd.DataFrame) -> dict[str, Any]:
    """Return the mean geometry of networks of one setting, the geometry of each, and of each of
    CURVES the median and the ends of its interval."""
    intervals = [median_interval(networks[curve.name].to_numpy(float)) for curve in CURVES]
    shapes = networks["shape"].tolist()
    return {
        "points": _points(np.mean(shapes, axis=0)),
        "each": [_points(shape) for shape in shapes],
        "found": [[None if np.isnan(x) else round(x, 4) for x in each] for each in intervals],
    }


def _shape(patterns: np.ndarray) -> np.ndarray:
    """Return the centred kernel of four patterns, (4, 4), divided by its trace; 0 for four equal
    patterns."""
    kernel = centred_kernel(patterns)
    return kernel / (np.trace(kernel) or 1.0)


def _points(kernel: np.ndarray) -> list[list[float]]:
    """Return four points, (4, 3), with this centred kernel. Of all such points they are nearest to
    their places on the axes of AXES: a geometry without the label's axis is flat."""
    values, vectors = np.linalg.eigh(AXES.T @ kernel @ AXES)
    root = (vectors * np.sqrt(values.clip(0))) @ vectors.T
    points: list[list[float]] = (AXES @ root).round(3).tolist()
    return points
