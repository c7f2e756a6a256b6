"""Fixtures of tests of several modules: configs, results, and metrics made up by hand."""

import contextlib
import os
import shutil
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from filelock import FileLock
from hypothesis import settings
from stages import make

from repatlas.config.config import read_config
from repatlas.figures.role import Role
from repatlas.workflow.plan import Plan

REPOSITORY = Path(__file__).parents[2]

# The time of an example depends on the machine and on its load.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def repository():
    return REPOSITORY


@pytest.fixture
def config_values():
    """The values of the study `structure` and of config.yaml, as in one file, to be changed at
    will: nothing in it is shared."""
    return _unshared(_config_values())


@cache
def _config_values():
    shared, study = (
        yaml.safe_load((REPOSITORY / file).read_text(encoding="utf-8"))
        for file in ("config.yaml", "config/structure.yaml")
    )
    del shared["studies"]
    return shared | study


@pytest.fixture(scope="session")
def make_small_values():
    return _small_values


@pytest.fixture
def small_values():
    return _small_values()


def _small_values():
    """Return a config with every figure and every measure, whose networks train in a second."""
    decoded = ["accuracy", "alignment", "ccgp", "decoding", "parallelism"]
    unstructured = {"kind": "unstructured", "inputs": 10}
    separable = {"kind": "separable", "inputs": 12, "delta": [0.0, 0.5, 1.0]}
    network = {"activation": ["tanh", "relu"], "width": 8, "hidden_bias": "none"}
    common = {
        "training": {"batch": 20, "samples": 40},
        "steps": [0, 2, 5],
        "seeds": 2,
        "preview": {"seeds": 1},
    }
    values = {
        "sweeps": {
            "random": {"task": unstructured, "network": network, "measures": decoded},
            "random_paths": {
                "task": unstructured,
                "network": network,
                "measures": ["selectivity", "update", "kernel"],
            },
            "delta": {"task": separable, "network": network, "measures": decoded},
            "delta_paths": {
                "task": separable,
                "network": network,
                "measures": ["selectivity", "kernel"],
            },
            "noise": {
                "task": separable | {"noise_variance": [0.0, 1.0, 4.0]},
                "network": network,
                "measures": decoded,
            },
        },
        "figures": {
            "fig01": {"sweep": "random", "trajectories": "random_paths"},
            "fig02": {"sweep": "delta", "trajectories": "delta_paths", "step": 5},
            "fig03": {"sweep": "noise", "step": 5},
        },
        "decoders": {"train_samples": 40, "test_samples": 40},
    }
    for sweep in values["sweeps"].values():
        sweep |= common
    return _unshared(values)


@pytest.fixture
def any_role(monkeypatch):
    """Let figures take all networks, for example deep ones: for tests of stages that treat all
    networks alike."""
    monkeypatch.setattr(Role, "check", lambda *_: None)
    monkeypatch.setattr(Role, "check_axes", lambda *_: None)


@pytest.fixture
def deep_values(small_values, any_role):
    """Deep networks trained with Adam until their loss is low, with a state between the steps: an
    epoch has 2 of these."""
    for sweep in small_values["sweeps"].values():
        sweep["network"] |= {"depth": 2, "readout": "trained", "hidden_bias": "trained"}
        sweep["training"] |= {"optimiser": "adam", "learning_rate": 0.01, "stop_below": 0.68}
    return small_values


@pytest.fixture
def one_figure_values():
    """The small config with the figure alone that is drawn fastest, and of one seed."""
    return _one_figure(_small_values())


def _one_figure(values):
    sweep = values["sweeps"]["noise"] | {"seeds": 1}
    return values | {"sweeps": {"noise": sweep}, "figures": {"fig03": values["figures"]["fig03"]}}


@pytest.fixture(scope="session")
def make_all():
    return _make_all


def _make_all(values, figures=None):
    """Run every stage for these figures, or for all, as the workflow does, in this folder. Return
    the plan."""
    plan = Plan(read_config(values))
    pictures = [f"structure/figures/{name}.pdf" for name in figures or ()]
    make(plan, *(pictures or plan.results))
    return plan


@pytest.fixture(scope="session")
def make_tables():
    return _make_tables


def _make_tables(values, figures=None):
    """Run the stages up to the tables of these figures, or of all figures. Return the plan."""
    plan = Plan(read_config(values))
    names = figures or plan.studies["structure"].figures
    make(plan, *(f"structure/tables/{name}.parquet" for name in names))
    return plan


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with all results of the config with one figure. The first process of the tests that
    asks makes it, and the others wait. For reading only."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "one_figure"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            new = tmp_path_factory.mktemp("new")
            with contextlib.chdir(new):
                _make_all(_one_figure(_small_values()))
            shutil.copytree(new, folder, symlinks=True)
    return folder


@pytest.fixture
def results(made, tmp_path, monkeypatch):
    """A copy of these results, in the folder where the test runs."""
    shutil.copytree(made, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Path("results")


@pytest.fixture(scope="session")
def made_up_metrics():
    return _made_up_metrics


PANEL_ROWS = [
    ("alignment", "target_alignment", "centres", None),
    ("alignment", "target_alignment", "sample means", 1.0),
    ("alignment", "input_alignment", "centres", None),
    ("alignment", "participation_ratio", "centres", None),
    ("parallelism", "parallelism", "centres", None),
    ("ccgp", "ccgp", "samples", 1.0),
    ("rescaled_ccgp", "rescaled_ccgp", "samples", 1.0),
    ("ccgp", "ccgp", "samples", 3.0),
    ("decoding", "decoding_trained", "samples", 1.0),
    ("decoding", "decoding_trained", "samples", 3.0),
    ("decoding", "decoding_untrained", "samples", 1.0),
    ("decoding", "decoding_untrained", "samples", 3.0),
]
CENTRES = {"inter": [3, 3, -3, -3], "intra": [8, -8, 0, 0], "other intra": [0, 0, 8, -8]}

KERNEL = [[5, 1, -4, -2], [1, 3, -2, -2], [-4, -2, 5, 1], [-2, -2, 1, 3]]
"""A centred one."""


def _made_up_metrics(
    activations=("tanh", "relu"),
    deltas=(None,),
    variances=(1.0,),
    seeds=2,
    steps=(0, 5),
    selectivity=False,
    diverged=(),
):
    """Return the metrics of a sweep with the settings of each network, as tables are made from.

    `diverged` maps (activation, delta, variance, seed) to the step at which that network did."""
    diverged, rows = dict(diverged), []
    for activation, delta, variance, seed in product(activations, deltas, variances, range(seeds)):
        lost_at = diverged.get((activation, delta, variance, seed))
        common = {
            "run": f"{activation} {delta} {variance} {selectivity}",
            "activation": activation,
            "delta": delta,
            "noise_variance": variance,
            "clusters": 4,
            "targets": 1,
            "depth": 1,
            "seed": seed,
            "diverged_step": lost_at,
            "converged_step": None,
        }
        level = 0.3 + 0.2 * (activation == "tanh") + 0.1 * (delta or 0) + 0.05 * seed
        for step in steps:
            found = _selectivity_rows(step, seed) if selectivity else _panel_rows(level, step)
            if lost_at is not None and step >= lost_at:
                names = (
                    ["selectivity"]
                    if selectivity
                    else dict.fromkeys(measure for measure, *_ in PANEL_ROWS)
                )
                found = [{"measure": name, "variant": "diverged", "value": None} for name in names]
            rows += [
                common
                | {"step": step, "deviation": None, "neuron": None, "cluster": None}
                | {"other_cluster": None}
                | row
                for row in found
            ]
    table = pd.DataFrame(rows)
    numbers = ["delta", "deviation", "neuron", "cluster", "other_cluster", "value"]
    numbers += ["diverged_step", "converged_step"]
    return table.astype(dict.fromkeys(numbers, float))


def _panel_rows(level, step):
    return [
        {
            "measure": measure,
            "variant": variant,
            "deviation": deviation,
            "value": level + 0.01 * number + 0.01 * step,
        }
        for number, (_, measure, variant, deviation) in enumerate(PANEL_ROWS)
    ]


def _selectivity_rows(step, seed):
    weights = [
        {
            "measure": "weight",
            "variant": variant,
            "neuron": neuron,
            "value": 0.1 * neuron + 0.05 * step + (0.2 if variant == "inter" else -0.1),
        }
        for neuron in range(3)
        for variant in ("inter", "intra")
    ]
    centres = [
        {"measure": "centre", "variant": variant, "cluster": cluster, "value": value}
        for variant, values in CENTRES.items()
        for cluster, value in enumerate(values)
    ]
    fraction = {"measure": "inter_selective", "variant": "fraction", "value": 0.25 + 0.5 * seed}
    kernel = [
        {
            "measure": "kernel",
            "variant": "centres",
            "cluster": cluster,
            "other_cluster": other,
            "value": KERNEL[cluster][other] * (1 + step),
        }
        for cluster in range(4)
        for other in range(cluster, 4)
    ]
    return [*weights, *centres, *kernel, fraction]


def _unshared(values):
    """Copy values, so that a dictionary with an anchor in YAML becomes one for each use."""
    if isinstance(values, dict):
        return {key: _unshared(value) for key, value in values.items()}
    if isinstance(values, list):
        return [_unshared(value) for value in values]
    return values
