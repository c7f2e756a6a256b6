"""A task, an activation and a measure are added as the README says: each is one new file, and of
all that there is nothing is made again."""

import re
import sys

import pandas as pd
import pytest

RING = '''
from typing import Literal

import numpy as np
from pydantic import Field

from repatlas.experiments.clusters.arrays import Task, TaskArrays
from repatlas.record import Number
from repatlas.streams import stream


class NoisyRing(Task):
    """Four centres on a circle, with alternating labels."""

    kind: Literal["noisy_ring"]
    inputs: int = Field(10, ge=3)
    radius: Number = Field(1.0, gt=0)
    turns: int = Field(1, ge=1)
    handed: Literal["left", "right"] = "left"
    clusters: int = Field(4, ge=4, le=4)
    targets: int = Field(1, ge=1, le=1)

    def draw(self, seed: int) -> TaskArrays:
        frame, _ = np.linalg.qr(stream(seed, "ring").standard_normal((self.inputs, 3)))
        circle = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        axes = np.stack([frame[:, 2], frame[:, 0], frame[:, 1]])
        labels = np.array([[1], [1], [0], [0]])
        return TaskArrays(self.radius * circle @ frame[:, :2].T, labels, axes)
'''


SILU = '''
"""The sigmoid linear unit, u / (1 + exp(-u))."""

from repatlas.networks.activation import Activation, aten, logistic, torch_module


def _backward_(gradient, u, output):
    aten().silu_backward.grad_input(gradient, u, grad_input=gradient)


ACTIVATION = Activation(
    value=lambda u: u * logistic(u),
    slope=lambda u: logistic(u) * (1 + u * (1 - logistic(u))),
    forward=lambda u, out: aten().silu.out(u, out=out),
    backward_=_backward_,
    module=torch_module("SiLU"),
    colour="#117733",
    needs_input=True,
)
'''

NORM = '''
"""Frobenius norm of the last layer's patterns."""

import numpy as np

from repatlas.representation import Patterns, Row

OF = "checkpoint"


def rows(seen: Patterns, settings):
    yield Row("norm", seen.variant, np.linalg.norm(seen.layers[-1]))
'''

READ = """
from pathlib import Path
import pyarrow.parquet as pq

for path in Path("results/metrics").rglob("new/*.parquet"):
    table = pq.read_table(path)
    for name in ("radius", "turns", "handed"):
        print(name, table.schema.field(name).type, *table[name].unique().to_pylist())
"""
NEW = {"prepare": 1, "train": 1, "measure": 1}
"""The jobs of a sweep that no figure draws."""


def add(project, file, text):
    """Write a new file of the package. No other file needs its name."""
    (project.folder / "src/repatlas" / file).write_text(text)
    assert project.plan() == {}, "nothing that there is was made by it"


def sweep_without_figure(project, **changes):
    """Add a sweep of one seed, like the sweep of Figure 1 except for these changes."""
    found = {}

    def change(config):
        of_figure_1 = config["sweeps"]["unstructured"]
        network = of_figure_1["network"] | changes.pop("network", {})
        found.update(of_figure_1 | {"seeds": 1, "steps": [0, 10], "network": network} | changes)
        config["sweeps"]["new"] = found

    project.edit_config(change)
    return found


@pytest.mark.slow
def test_a_task_is_a_file_and_its_parameters_are_columns_of_the_tables(project):
    add(project, "experiments/clusters/tasks/noisy_ring.py", RING)
    sweep_without_figure(project, task={"kind": "noisy_ring", "radius": 2.5})
    assert project.plan() == NEW
    project.run("--quiet", "all")
    assert {spec["task"]["kind"] for spec in project.trained_specs()} == {"noisy_ring"}
    said = project.command(sys.executable, "-c", READ).stdout
    assert said.splitlines() == ["radius double 2.5", "turns int64 1", "handed string left"]
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_an_activation_is_a_file(project):
    add(project, "networks/activations/silu.py", SILU)
    sweep_without_figure(project, network={"activation": "silu", "width": 12})
    assert project.plan() == NEW
    project.run("--quiet", "all")
    assert set(project.trained()["activation"]) == {"silu"}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_measure_is_a_file_and_measures_itself_alone(project, done):
    add(project, "measures/norm.py", NORM)
    project.edit_config(lambda config: config["sweeps"]["unstructured"]["measures"].append("norm"))
    assert project.plan() == {"measure": 1, "plot": 1, "judge": 1}
    project.run("--until", "measure")
    logs = project.results.glob("logs/measure/structure/unstructured/seeds-0.*.log")
    *_, log = sorted(logs, key=lambda log: log.stat().st_mtime)
    # Two networks of two seeds, each at three steps.
    assert re.findall(r": (\d+) parts", log.read_text()) == ["3"] * 4
    rows, before = (
        pd.read_parquet(of.results / "metrics/structure/unstructured/seeds-0.parquet")
        for of in (project, done)
    )
    assert set(rows["measure"]) - set(before["measure"]) == {"norm"}
    old = rows[rows["by"] != "norm"].reset_index(drop=True)
    pd.testing.assert_frame_equal(old, before)
