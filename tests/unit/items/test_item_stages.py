"""Networks on a few items go through the stages of the workflow like any others."""

import json
import subprocess
import sys

import numpy as np
import pytest
from selections import some
from stages import make_metrics, make_runs

from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan

GRID = {
    "experiment": "items",
    "task": {"kind": "xor", "delta": [0.5, 1.0]},
    "network": {"kind": "relu", "width": 20, "sigma": [1e-4, 1e-2]},
    "training": {"rate": 0.02},
    "seeds": 1,
}
GROUP = "gating/one/seeds-0"


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """Plan this sweep with these steps, in a folder of this name."""

    def planned(steps, folder="here", measures=("accuracy",)):
        (tmp_path / folder).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / folder)
        sweep = GRID | {"steps": steps, "measures": [*measures]}
        return Plan(read_config({"study": "gating", "sweeps": {"one": sweep}}))

    return planned


def test_training_on_gives_the_networks_that_training_at_once_gives(planned):
    make_runs(planned([0, 50, 200]), GROUP)
    longer = make_runs(planned([0, 50, 300]), GROUP)
    whole = make_runs(planned([0, 50, 300], "anew"), GROUP)
    for key, run in longer.items():
        assert run.parameters["weights1"].shape == (3, 20, 3)
        assert run.curves["loss"].values.shape == (301,)
        for name, values in run.parameters.items():
            assert np.array_equal(values, whole[key].parameters[name])
        for name, curve in run.curves.items():
            assert np.array_equal(curve.values, whole[key].curves[name].values)


def test_each_network_is_measured_at_each_step(planned):
    rows = make_metrics(planned([0, 300], measures=["accuracy", "alignment", "units"]), GROUP)
    losses = rows[rows.measure == "loss"]
    assert len(losses) == 4 * 2
    assert some(losses.value > 0).all()


def test_what_is_recorded_between_checkpoints_is_measured_of_the_whole_run(planned):
    found = make_metrics(planned([0, 300], measures=["accuracy", "loss"]), GROUP)
    of_run = found[(found.by == "loss") & (found.measure == "loss")]
    assert of_run.groupby("run")["step"].agg(list).tolist() == [list(range(301))] * 4
    at_end = found[(found.by == "accuracy") & (found.measure == "loss") & (found.step == 300)]
    last = of_run[of_run.step == 300].set_index("run")["value"]
    assert np.allclose(last, at_end.set_index("run")["value"].reindex(last.index), rtol=1e-12)


LOADED = """
import json, sys
from repatlas.workflow.config import plan_of, read
from repatlas.workflow.stages import make
config = read(["config.yaml"], {})
plan = plan_of(config)
for kind in ("tasks", "runs"):
    (name,) = [name for name in plan.results if name.startswith(kind)]
    make(config, [str(plan.made(name))], {"device": "cpu"})
print(json.dumps([*sys.modules]))
"""


def test_training_loads_no_torch(tmp_path):
    """Importing torch takes longer than most of these jobs."""
    network = {"kind": "frozen", "width": 10, "taken_at": 2}
    sweep = {"experiment": "items", "task": {"kind": "contexts"}, "network": network}
    sweep |= {"steps": [0, 2], "seeds": 1, "measures": ["loss"]}
    values = {"study": "gating", "sweeps": {"one": sweep}}
    (tmp_path / "config.yaml").write_text(json.dumps(values))
    command = [sys.executable, "-c", LOADED]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    loaded = {*json.loads(ended.stdout.splitlines()[-1])}
    assert not loaded & {"torch", "repatlas.experiments.clusters.engine"}
