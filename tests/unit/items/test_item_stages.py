"""Networks on a few items go through the stages of the workflow like any others."""

import json
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from item_networks import spec
from selections import some

from repatlas.artifacts.files import Arrays
from repatlas.artifacts.provenance import code_of
from repatlas.artifacts.recipes.networks import MeasureJob, PrepareJob, TrainJob
from repatlas.experiments.items.spec import Grid
from repatlas.representation import Decoders
from repatlas.stages import measure, prepare, train

GRID = {
    "experiment": "items",
    "task": {"kind": "xor", "delta": [0.5, 1.0]},
    "network": {"kind": "relu", "width": 20, "sigma": [1e-4, 1e-2]},
    "training": {"rate": 0.02},
}


@pytest.fixture
def stages(tmp_path):
    """Runs a stage on this grid, with these steps; returns the file that it writes."""
    family = Grid.model_validate(GRID | {"steps": [0]}).families[0]

    def grid(steps, **more):
        return [GRID | {"steps": steps} | more]

    def stage_run(stage, job, name, *files):
        output = tmp_path / name
        stage.main(["--job", job.with_code({}).text, "--output", str(output), *map(str, files)])
        return output

    def data():
        wanted = Grid.model_validate(GRID | {"steps": [0]}).data(family, 0)[1]
        job = PrepareJob(experiment="items", data="xor", wanted=[wanted])
        return stage_run(prepare, job, "data.safetensors")

    def runs(steps, name="runs.safetensors"):
        job = TrainJob(experiment="items", family=family, seed=0, grids=grid(steps))
        return stage_run(train, job, name, "--data", data())

    def metrics(steps, measures):
        grids = grid(steps, measures=measures)
        decoders = Decoders().model_dump(mode="json")
        job = MeasureJob(experiment="items", family=family, seed=0, grids=grids, decoders=decoders)
        files = ["--data", data(), "--runs", runs(steps)]
        return stage_run(measure, job, "metrics.parquet", *files)

    return {"runs": runs, "metrics": metrics}


def test_training_on_gives_the_file_that_training_at_once_gives(stages):
    stages["runs"]([0, 50, 200])
    longer = Arrays(stages["runs"]([0, 50, 300]), "runs")
    whole = Arrays(stages["runs"]([0, 50, 300], "other.safetensors"), "runs")
    assert longer.header["digests"] == whole.header["digests"]
    key = next(iter(longer.header["runs"]))
    assert longer[f"{key}/weights1"].shape == (3, 20, 3)
    assert longer[f"{key}/curves/loss/values"].shape == (301,)


def test_a_shorter_sweep_keeps_the_part_that_it_wants(stages):
    stages["runs"]([0, 50, 300])
    shorter = Arrays(stages["runs"]([0, 50]), "runs")
    whole = Arrays(stages["runs"]([0, 50], "other.safetensors"), "runs")
    key = next(iter(shorter.header["runs"]))
    for name in ("weights1", "curves/loss/epochs", "curves/loss/values"):
        assert np.array_equal(shorter[f"{key}/{name}"], whole[f"{key}/{name}"])


def test_each_network_is_measured_at_each_step(stages):
    rows = pq.read_table(stages["metrics"]([0, 300], ["accuracy", "alignment", "units"]))
    found = rows.to_pandas()
    losses = found[found.measure == "loss"]
    assert len(losses) == 4 * 2
    assert some(losses.value > 0).all()


def test_what_is_recorded_between_checkpoints_is_measured_of_the_whole_run(stages):
    found = pq.read_table(stages["metrics"]([0, 300], ["accuracy", "loss"])).to_pandas()
    of_run = found[(found.by == "loss") & (found.measure == "loss")]
    assert of_run.groupby("run")["step"].agg(list).tolist() == [list(range(301))] * 4
    at_end = found[(found.by == "accuracy") & (found.measure == "loss") & (found.step == 300)]
    last = of_run[of_run.step == 300].set_index("run")["value"]
    assert np.allclose(last, at_end.set_index("run")["value"].reindex(last.index), rtol=1e-12)


def test_a_run_says_what_it_is(stages):
    header = Arrays(stages["runs"]([0, 10]), "runs").header
    wanted = spec("relu", {"kind": "xor", "delta": 0.5}, {"rate": 0.02}, width=20, sigma=1e-4)
    about = header["runs"][wanted.key]
    assert about["spec"] == json.loads(wanted.model_dump_json())
    assert about["steps"] == [0, 10]


LOADED = """
import json, sys
from repatlas.stages import train
train.main(sys.argv[1:])
print(json.dumps([name for name in sys.modules if name.startswith("repatlas.")]))
"""


@pytest.mark.parametrize("kind", ["frozen", "closed_form"])
def test_training_loads_no_module_outside_its_code(kind, tmp_path):
    task = {"kind": "contexts"}
    network = {"kind": kind} | ({"width": 10, "taken_at": 2} if kind == "frozen" else {})
    grid = {"experiment": "items", "task": task, "network": network, "steps": [0, 2]}
    family = Grid.model_validate(grid).families[0]
    wanted = Grid.model_validate(grid).data(family, 0)[1]
    place = tmp_path / "contexts.safetensors"
    job = PrepareJob(experiment="items", data="contexts", wanted=[wanted]).with_code({})
    prepare.main(["--job", job.text, "--output", str(place)])
    job = TrainJob(experiment="items", family=family, seed=0, grids=[grid]).with_code({})
    files = {"--data": place, "--output": tmp_path / "r.safetensors"}
    options = [part for pair in files.items() for part in map(str, pair)]
    ended = subprocess.run(
        [sys.executable, "-c", LOADED, "--job", job.text, *options],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(ended.stdout.splitlines()[-1]))
    # Files are stored by artifacts, and size counts work: neither has a say in results.
    about = {name for name in loaded if name.startswith("repatlas.artifacts")}
    about.add("repatlas.experiments.items.size")
    assert loaded - about <= code_of(*job.modules()).keys()
    others = {"repatlas.experiments.clusters", "repatlas.experiments.items.networks.gated"}
    assert not others & loaded


def test_training_loads_no_torch(stages, tmp_path):
    """Importing torch takes longer than most of these jobs."""
    stages["runs"]([0, 50])
    header = Arrays(tmp_path / "runs.safetensors", "runs").header
    arguments = ["--job", json.dumps(header["job"]), "--data", str(tmp_path / "data.safetensors")]
    arguments += ["--output", str(tmp_path / "again")]
    program = (
        "import sys; from repatlas.stages import train; train.main(sys.argv[1:]);"
        " print('torch' in sys.modules)"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
