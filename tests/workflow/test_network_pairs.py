"""Networks of two sweeps compared, by the real workflow: what is made, and what is made again."""

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.slow

COMPARED = '''
"""Hidden layers of networks on clusters, at the centres."""

from repatlas.networks.layer import Layer
from repatlas.networks.mlp import hidden_layers, initial_parameters


class Compared:
    def __init__(self, data, seed):
        self.data, self.seed = data, seed

    def sets(self, spec):
        return ("centres",)

    def layers(self, spec, parameters, items):
        start = initial_parameters(self.seed, spec.network, spec.task.inputs, spec.task.targets)
        values = start | {name: parameters[name] for name in spec.network.trained}
        centres = self.data[f"{spec.data}/centres"].astype(float)
        found = hidden_layers(centres, values, spec.network.activation)
        return [Layer(n, f"hidden{n}", "", rows) for n, rows in enumerate(found, start=1)]
'''
NETWORKS = {
    "task": {"kind": "separable", "inputs": 6, "delta": [0.5]},
    "training": {"batch": 10, "samples": 20},
    "steps": [0, 2],
    "seeds": 2,
    "measures": ["accuracy"],
}
CONFIG = {
    "sweeps": {
        name: NETWORKS | {"network": {"activation": name, "width": 8}} for name in ("relu", "tanh")
    },
    "compare": [
        {
            "between": ["relu", "tanh"],
            "pairs": "same_seed",
            "similarities": ["matching", "natural"],
            "items": ["centres"],
        }
    ],
}


@pytest.fixture
def project(make_project, tmp_path):
    project = make_project(tmp_path / "project")
    path = project.folder / "src/repatlas/experiments/clusters/compared.py"
    path.write_text(COMPARED)
    project.config.write_text(yaml.safe_dump(CONFIG))
    yield project
    project.remove()


def test_a_cohort_is_a_job_that_keeps_its_pairs_when_a_seed_is_added(project):
    assert project.plan() == {"prepare": 1, "train": 1, "measure": 1, "compare": 1}
    project.run()
    assert project.verify() == (0, "7 fresh, 0 damaged, 0 missing, 0 orphan")
    [path] = (project.results / "comparisons").rglob("*.parquet")
    first = pd.read_parquet(path)
    assert set(first["a_seed"]) == {0, 1}
    for sweep in CONFIG["sweeps"].values():
        sweep["seeds"] = 3
    project.config.write_text(yaml.safe_dump(CONFIG))
    assert project.plan() == {"prepare": 1, "train": 1, "measure": 1, "compare": 1}
    project.run()
    [log] = (project.results / "logs/compare").rglob("*.log")
    assert "3 pairs: 8 of 12 kept" in log.read_text()
    added = pd.read_parquet(path)
    pd.testing.assert_frame_equal(added.query("a_seed < 2"), first, check_exact=True)
    path.resolve().unlink()
    assert project.verify()[0] == 1
    project.run()
    assert project.verify() == (0, "10 fresh, 0 damaged, 0 missing, 0 orphan")
