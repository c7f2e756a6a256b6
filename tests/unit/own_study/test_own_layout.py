"""Every figure of a user's arrays has the layout of a page. The cases are several units and
settings, two sets without units, few items in one layer, long names, and the smallest width that a
config allows."""

import contextlib
import csv
from pathlib import Path

import numpy as np
import pytest
from drawn_pages import LEAST_WIDTH
from figure_tables import read_figure_table
from layout_faults import faults
from stages import make

from repatlas.config.config import COLOURS, read_config
from repatlas.named import named
from repatlas.plots.style import Style, applied, settle
from repatlas.report.captions import caption
from repatlas.workflow.plan import Plan

pytestmark = pytest.mark.slow
CONDITIONS = [("left", "blue"), ("left", "red"), ("right", "blue"), ("right", "red")]
MEASURES = ["alignment", "ccgp", "decoding", "dimensionality", "geometry", "parallelism"]
LONG = ["features.0", "encoder.layers.encoder_layer_11.mlp.0", "features.24"]
SIMILARITIES = ["alignment", "calibrated_neighbours"]  # the shortest title and the longest
FIGURES = ("over_layers", "over_settings", "nulls", "geometry", "pairs")


def write(name, seeds, epochs, layers, items):
    """Write a file for each seed, epoch and layer; it has rows of `items` items of each
    condition."""
    rng = np.random.default_rng(0)
    codes = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], items, axis=0)
    with Path(f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [[f"i{n}", *CONDITIONS[2 * a + b]] for n, (a, b) in enumerate(codes)]
        csv.writer(file).writerows([["item", "side", "colour"], *rows])
    for seed in range(seeds):
        for epoch in range(epochs):
            for layer in layers:
                values = codes @ rng.standard_normal((2, 8)) * (1 + epoch)
                path = Path(name, str(seed), str(10 * epoch), f"{layer}.npy")
                path.parent.mkdir(parents=True, exist_ok=True)
                np.save(path, values + rng.standard_normal((len(codes), 8)))


def representations(name, **more):
    return {
        "arrays": f"{name}/{{seed}}/{{epoch}}/{{layer}}.npy",
        "rows": f"{name}.csv",
        "item": "item",
        "variables": {"side": ["left", "right"], "colour": ["blue", "red"]},
        "null_draws": 19,
        **more,
    }


def several_units():
    write("network", 6, 2, ["conv1", "conv2", "fc"], 6)
    return {"network": representations("network", unit="seed")}


def two_sets():
    write("network", 1, 3, ["conv1", "fc"], 6)
    write("brain", 1, 3, ["V1", "IT"], 6)
    return {name: representations(name) for name in ("network", "brain")}


def few_items():
    write("network", 1, 2, ["fc"], 2)
    return {"network": representations("network")}


def long_names():
    write("network", 2, 2, LONG, 4)
    return {"network": representations("network", unit="seed")}


SETS = {made.__name__: made for made in (several_units, two_sets, few_items, long_names)}


@pytest.fixture(scope="module", params=SETS)
def made(request, tmp_path_factory):
    """The plan of a study of own arrays, and the table of each of its figures."""
    with contextlib.chdir(tmp_path_factory.mktemp(request.param)):
        sets = SETS[request.param]()
        first, *_, last = [*sets, *sets]
        figures = {name: {"of": [*sets]} for name in FIGURES[:-1]}
        between = {"between": [first, last], "measures": SIMILARITIES}
        values = {
            "study": "own",
            "representations": sets,
            "measures": MEASURES,
            "compare": [between | {"permutations": 19}],
            "figures": figures | {"pairs": {"of": f"{first}-{last}"}},
        }
        plan = Plan(read_config(values, "mine.yaml"), "results")
        tables = {
            name: read_figure_table(make(plan, f"own/tables/{name}.parquet"))[1].to_pandas()
            for name in FIGURES
        }
    return plan, tables


@pytest.mark.parametrize("width", [5.5, LEAST_WIDTH])
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_fits_its_page(made, name, width):
    plan, tables = made
    style = Style(COLOURS, width, 7.0, False)
    with applied(style):
        figure = named("studies.own", name).draw(tables[name], style)
        assert settle(figure)
        said = " ".join(str(caption(plan.config, "own", name)).split())
        found = faults(figure, said)
        # Parallelism scores without the noise are ratios, which noise takes beyond 1.
        assert [fault for fault in found if fault.kind != "range"] == []
