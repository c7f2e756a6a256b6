"""A task is added as the README says: its parameters reach the tables, whatever it is called."""

import json
import sys

RING = '''
from typing import Literal

import numpy as np
from pydantic import Field

from repatlas.record import Number
from repatlas.streams import stream
from repatlas.experiments.clusters.arrays import Task, TaskArrays


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


READ = """
import json, sys
from pathlib import Path
import pandas as pd
from repatlas.studies.structure.columns import TABLE_SCHEMA
from repatlas.stages.tabulate import _sweep_rows

metrics = pd.concat(map(pd.read_parquet, Path("results/metrics").rglob("*.parquet")))
rows = _sweep_rows(metrics, json.loads(sys.argv[1]))
for name in ("radius", "turns", "handed", "delta"):
    print(name, TABLE_SCHEMA.field(name).type, *rows[name].unique())
"""


def test_a_parameter_of_a_new_task_is_a_column_of_the_tables(fresh):
    (fresh.folder / "src/repatlas/tasks/noisy_ring.py").write_text(RING)
    name = "tasks/__init__.py"
    line = "from repatlas.experiments.clusters.tasks.separable import Separable\n"
    new = f"{line}from repatlas.experiments.clusters.tasks.noisy_ring import NoisyRing\n"
    fresh.edit_source(name, line, new)
    fresh.edit_source(name, "Separable, Aligned)", "Separable, Aligned, NoisyRing)")
    fresh.edit_source(name, "Separable | Aligned,", "Separable | Aligned | NoisyRing,")
    sweep = {}

    def train_rings(values):
        task = {"kind": "noisy_ring", "radius": 2.5}
        sweep.update(
            values["sweeps"]["unstructured"] | {"task": task, "seeds": 1, "steps": [0, 10]}
        )
        values["sweeps"], values["figures"] = {"rings": sweep}, {}

    fresh.edit_config(train_rings)
    fresh.run("--quiet", "all")
    grid = {name: sweep[name] for name in ("task", "network", "training", "steps", "seeds")}
    process = fresh.start(sys.executable, "-c", READ, json.dumps(grid))
    said, _ = process.communicate()
    assert said.splitlines() == [
        "radius double 2.5",
        "turns int32 1",
        "handed string left",
        "delta double nan",
    ]
    assert fresh.verify() == (0, "5 fresh, 0 stale, 0 damaged, 0 missing, 0 orphan")
