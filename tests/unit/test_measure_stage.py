"""The measure stage keeps rows that still hold, makes others again, and refuses wrong files."""

import numpy as np
import pytest
from selections import some
from stages import run as run_stage

from repatlas.artifacts.files import METRICS_SCHEMA, Arrays, Unreadable, read_table, write_arrays
from repatlas.artifacts.recipes.networks import MeasureJob
from repatlas.config.config import read_config
from repatlas.experiments.clusters.size import measuring
from repatlas.plan.plan import Plan
from repatlas.representation import Decoders
from repatlas.stages import measure, prepare, train


@pytest.fixture
def measured(tmp_path, small_values):
    """What the stage makes of a shard in which one network is silent, one diverged at step 2, and
    the rest are as they were drawn."""
    plan = Plan(read_config(small_values))
    shard = next(shard for shard in plan.shards if shard.family.startswith("unstructured"))
    data, runs, output = (
        tmp_path / name for name in ("data.safetensors", "runs.safetensors", "metrics.parquet")
    )
    run_stage(prepare, plan.data[plan.data_place(shard)], data)

    job = plan.measure_job(shard)
    wanted = job.wanted()
    arrays, about = {}, {}
    rng = np.random.default_rng(0)
    for key, run in wanted.items():
        shape = (len(run.steps), run.spec.network.width)
        arrays[f"{key}/weights1"] = rng.standard_normal((*shape, 10)).astype(np.float32)
        arrays[f"{key}/bias1"] = np.zeros(shape, np.float32)
        basis = {"seed": 0, "code": "x", "data": {}}
        about[key] = {"basis": basis, "steps": run.steps, "diverged_step": None,
                      "converged_step": None}  # fmt: skip
    of = {run.spec.network.activation: key for key, run in wanted.items()}
    arrays[f"{of['relu']}/weights1"][1] = 0
    arrays[f"{of['relu']}/bias1"][1] = -1  # silent at step 2
    arrays[f"{of['tanh']}/weights1"][1:] = np.nan
    about[of["tanh"]]["diverged_step"] = 1
    header = {"runs": about, "identity": "trained", "job": {"seed": shard.seed}}
    write_arrays(runs, "runs", header, arrays)

    arguments = ["--data", str(data), "--runs", str(runs)]
    run_stage(measure, job, output, *arguments)
    _, table = read_table(output, "metrics", METRICS_SCHEMA)
    return of, table.to_pylist(), Arrays(runs, "runs")


def test_a_measure_that_is_not_defined_is_null(measured):
    of, rows, _ = measured
    at_step = {
        (row["measure"], row["variant"], row["step"]): row["value"]
        for row in rows
        if row["run"] == of["relu"] and row["neuron"] is None and row["cluster"] is None
    }
    assert at_step["target_alignment", "centres", 2] is None
    assert at_step["parallelism", "centres", 2] is None
    assert at_step["target_alignment", "centres", 0] is not None
    assert at_step["accuracy", "centres", 2] == 0.5


def test_a_network_has_the_same_rows_whichever_others_are_measured_with_it(
    tmp_path, measured, small_values, monkeypatch
):
    """Networks of one task share their inputs, and what one is measured on is no other's."""
    of, rows, runs = measured
    plan = Plan(read_config(small_values))
    shard = next(shard for shard in plan.shards if shard.family.startswith("unstructured"))
    job, wanted = plan.measure_job(shard), MeasureJob.wanted
    files = ["--data", str(tmp_path / "data.safetensors"), "--runs", str(runs.path)]
    for order in ([key] for key in wanted(job)), [list(reversed(wanted(job)))]:
        alone = []
        for number, keys in enumerate(order):
            monkeypatch.setattr(
                MeasureJob, "wanted", lambda job, keys=keys: {k: wanted(job)[k] for k in keys}
            )
            output = tmp_path / f"{len(keys)}-{number}.parquet"
            run_stage(measure, job, output, *files)
            alone += read_table(output, "metrics", METRICS_SCHEMA)[1].to_pylist()
        for key in of.values():
            assert [r for r in alone if r["run"] == key] == [r for r in rows if r["run"] == key]


def test_after_it_diverged_a_network_has_one_empty_row_for_each_measure(measured, small_values):
    of, rows, _ = measured
    sweeps = [small_values["sweeps"][name] for name in ("random", "random_paths")]
    asked = sorted({name for sweep in sweeps for name in sweep["measures"]})
    rows = [row for row in rows if row["run"] == of["tanh"]]
    assert {row["diverged_step"] for row in rows} == {1}
    lost = [row for row in rows if row["step"] >= 1]
    assert {row["variant"] for row in lost} == {"diverged"}
    assert {row["value"] for row in lost} == {None}
    assert [(row["step"], row["measure"]) for row in lost] == [
        (step, name) for name in asked for step in (2, 5)
    ]
    assert all(row["value"] is not None for row in some(rows) if row["step"] == 0)


def test_a_decoder_that_does_not_converge_is_missing_and_its_network_is_not(shard_files, capsys):
    """Activity of 1e12 is finite, but double precision can't fit a decoder of C = 1 to it."""
    files = shard_files(0)
    runs = files.job.wanted()
    key = next(
        k for k, r in runs.items() if r.spec.network.activation == "relu" and "ccgp" in r.measures
    )

    def enlarge(about, arrays):
        arrays[f"{key}/weights1"][1:] *= np.float32(1e12)

    files.rewrite_runs(enlarge)
    capsys.readouterr()
    files.measure()
    rows = read_table(files.metrics, "metrics", METRICS_SCHEMA)[1].to_pylist()
    rows = [row for row in rows if row["run"] == key]
    assert {row["diverged_step"] for row in rows} == {None}

    missing = {(r["measure"], r["deviation"], r["step"]) for r in rows if r["value"] is None}
    assert missing
    assert missing <= {
        (measure, deviation, step)
        for measure in ("ccgp", "decoding_trained", "decoding_untrained")
        for deviation in (1, 3)
        for step in (2, 5)
    }
    assert {measure for measure, _, _ in missing} == {
        "ccgp",
        "decoding_trained",
        "decoding_untrained",
    }
    log = capsys.readouterr().err
    assert (
        f"network {key}, step 2: ccgp, samples with noise of 1, is missing: the decoder did not "
        "converge." in log
    )


def test_each_row_belongs_to_its_run_and_seed(measured):
    of, rows, _ = measured
    assert {row["run"] for row in rows} == set(of.values())
    assert {row["seed"] for row in rows} == {0}
    assert {row["step"] for row in rows} == {0, 2, 5}


@pytest.fixture
def shard_files(tmp_path, small_values):
    """The files of the first family's seeds, made as they are asked for."""
    plan = Plan(read_config(small_values))
    first = plan.shards[0]

    class Files:
        def __init__(self, seed):
            shard = first._replace(seed=seed)
            self.job = plan.measure_job(shard)
            self.data, self.runs = (
                tmp_path / f"{kind}-{seed}.safetensors" for kind in ("data", "runs")
            )
            self.metrics = tmp_path / f"metrics-{seed}.parquet"
            made = ["--data", str(self.data), "--device", "cpu"]
            run_stage(prepare, plan.data[plan.data_place(shard)], self.data)
            run_stage(train, plan.train_job(shard), self.runs, *made)

        def measure(self, output=None):
            files = ["--data", str(self.data), "--runs", str(self.runs)]
            run_stage(measure, self.job, output or self.metrics, *files)

        def rewrite_runs(self, change):
            """Write the file of runs with its header and arrays changed."""
            file = Arrays(self.runs, "runs")
            arrays = {name: file[name] for name in file.header["digests"]}
            change(file.header["runs"], arrays)
            write_arrays(self.runs, "runs", file.header, arrays)

    return Files


def test_a_network_whose_weights_are_not_finite_has_diverged_by_that_step(shard_files):
    files = shard_files(0)
    keys = {run.spec.network.activation: key for key, run in files.job.wanted().items()}

    def overflow(about, arrays):
        arrays[f"{keys['tanh']}/weights1"][1, 0, 0] = np.inf

    files.rewrite_runs(overflow)
    files.measure()
    rows = read_table(files.metrics, "metrics", METRICS_SCHEMA)[1].to_pandas()
    assert set(rows[rows["run"] == keys["tanh"]]["diverged_step"]) == {2}
    assert some(rows[rows["run"] != keys["tanh"]]["diverged_step"].isna()).all()


def test_rows_that_are_there_are_kept(shard_files, capsys):
    files = shard_files(0)
    files.measure()
    before = files.metrics.read_bytes()
    capsys.readouterr()
    files.measure()
    assert capsys.readouterr().err.splitlines()[0] == "18 networks of seed 0: rows of 18 kept"
    assert files.metrics.read_bytes() == before


@pytest.mark.parametrize("part", ["seed", "code", "data"])
def test_rows_of_networks_with_another_basis_are_measured_again(shard_files, capsys, part):
    files = shard_files(0)
    files.measure()

    wanted = files.job.wanted()
    changed = sorted(wanted)[:5]

    def change(about, arrays):
        for key in changed:
            about[key]["basis"][part] = "0123456789ab"

    files.rewrite_runs(change)
    capsys.readouterr()
    files.measure()
    log = capsys.readouterr().err.splitlines()
    assert log[0] == "18 networks of seed 0: rows of 13 kept"
    assert log[-2].startswith("measured 5 networks in ")
    decoders = Decoders(train_samples=40, test_samples=40)
    units = sum(measuring(wanted[key].spec, wanted[key].measures, decoders, {}) for key in changed)
    assert log[-1] == f"work: {units}"


def test_metrics_of_another_seed_are_not_taken_for_those_of_this_one(shard_files):
    """Say, a slip of the hand in a shell has put them among the versions of a file."""
    one, other = shard_files(0), shard_files(1)
    strange, own = (one.metrics.with_name(f"{digit * 16}.parquet") for digit in "12")
    one.measure(output=strange)
    other.measure(output=own)
    found = read_table(own, "metrics", METRICS_SCHEMA)[1]
    assert set(found["seed"].to_pylist()) == {1}
    assert found.num_rows == read_table(strange, "metrics", METRICS_SCHEMA)[1].num_rows


@pytest.mark.parametrize("kind", ["data", "runs"])
def test_a_file_of_another_seed_under_the_name_of_this_one_is_refused(shard_files, kind):
    one, other = shard_files(0), shard_files(1)
    getattr(one, kind).write_bytes(getattr(other, kind).read_bytes())
    with pytest.raises(Unreadable, match=rf"{kind}-0.safetensors: holds seed 1, not 0"):
        one.measure()
    assert not one.metrics.exists()


def test_runs_that_lack_a_network_are_refused_by_name(shard_files):
    files = shard_files(0)
    lost = sorted(files.job.wanted())[3]
    files.rewrite_runs(lambda about, arrays: about.pop(lost))
    with pytest.raises(Unreadable, match=f"runs-0.safetensors: lacks network {lost}"):
        files.measure()
    assert not files.metrics.exists()


def test_runs_that_lack_an_array_are_refused_by_name(shard_files):
    files = shard_files(0)
    lost = sorted(files.job.wanted())[3]
    files.rewrite_runs(lambda about, arrays: arrays.pop(f"{lost}/weights1"))
    with pytest.raises(Unreadable, match=f"runs-0.safetensors: has no array {lost}/weights1"):
        files.measure()
