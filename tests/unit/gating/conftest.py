"""The study in small: every sweep and figure of config/gating.yaml, with few units and epochs,
through the stages of the workflow in one process."""

import os
from pathlib import Path

import pandas as pd
import pytest
import yaml
from figure_tables import read_figure_table
from stages import make

from repatlas.config.config import read_config
from repatlas.config.sweeps import expanded
from repatlas.workflow.plan import Plan

CONFIG = Path(__file__).parents[3] / "config/gating.yaml"
EPOCHS = 40
STEPS = [0, 20, EPOCHS]
SMALL = {"width": 12, "units": 12, "common_units": 12, "taken_at": 5, "fitted_until": 10}
SMALL |= {"common_from": 0, "contexts_from": 20}


def small_grid(grid):
    """Return a grid with the axes of a sweep, except that two contexts and two deltas remain."""
    network = dict(grid["network"])
    kind = network["kind"]
    for name in ("width", "units"):
        if isinstance(network.get(name), list):
            network[name] = [SMALL[name] * i for i in (2, 4)]
        elif name in network:
            network[name] = SMALL[name]
    if kind == "recruited":
        network |= {"fitted_until": SMALL["fitted_until"], "units": 12}
    if kind == "gated_deep":
        names = ("common_units", "common_from", "contexts_from")
        network |= {name: SMALL[name] for name in names} | {"width": 42}
    if kind == "frozen":
        network |= {"taken_at": SMALL["taken_at"], "width": 12}
    if kind in ("relu", "linear", "tanh"):
        network.setdefault("width", 12)
    if kind in ("gated", "race", "closed_form", "mean_field"):
        network.setdefault("units", 12)
    task = dict(grid["task"])
    for name in ("contexts", "delta"):
        if isinstance(task.get(name), list):
            task[name] = task[name][:2] if name == "contexts" else [0.25, 1.0, 1.75, 2.5]
    more = {name for names in grid.get("more_measures", {}).values() for name in names}
    kept = {name: value for name, value in grid.items() if name in ("experiment", "training")}
    return kept | {
        "task": task,
        "network": network,
        "steps": STEPS,
        "seeds": min(grid["seeds"], 2),
        "measures": sorted({*grid["measures"], *more}),
    }


@pytest.fixture(scope="session")
def whole_values():
    return yaml.safe_load(CONFIG.read_text())


@pytest.fixture(scope="session")
def small_values(whole_values):
    """The config of the study in small."""
    sweeps = {}
    for name, sweep in whole_values["sweeps"].items():
        grids = [small_grid(grid) for grid in expanded(sweep)]
        # Widths that are one now would be the same networks twice.
        unlike = [grid for i, grid in enumerate(grids) if grid not in grids[:i]]
        of_kinds = [g for g in unlike if g["task"].get("contexts", 3) != 5]
        sweeps[name] = {"each": of_kinds, "experiment": "items", **_common(of_kinds[0])}
    decoders = {"train_samples": 64, "test_samples": 64}
    return whole_values | {"sweeps": sweeps, "decoders": decoders}


def _common(grid):
    return {name: grid[name] for name in ("steps", "seeds", "measures")}


class SmallRun:
    """The results of a plan, made by its stages one after the other."""

    def __init__(self, values, folder):
        before = Path.cwd()
        os.chdir(folder)
        try:
            self.plan = Plan(read_config(values), "results")
            make(self.plan, *self.plan.results)
        finally:
            os.chdir(before)
        self.folder = Path(folder)

    def table(self, figure):
        place = self.folder / f"results/gating/tables/{figure}.parquet"
        return read_figure_table(place)[1].to_pandas()

    def claims(self):
        return pd.read_parquet(self.folder / "results/gating/claims/claims.parquet")


@pytest.fixture(scope="session")
def small_run(small_values, tmp_path_factory):
    return SmallRun(small_values, tmp_path_factory.mktemp("gating"))
