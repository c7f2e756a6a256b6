"""What networks on images would cost, before and after a part of them is there."""

import contextlib
import io
import json
import shutil
from pathlib import Path

import pytest
from asked import config_of
from image_configs import on_images, without_images
from stages import make_data, make_metrics, make_runs, path_of, product

from repatlas.artifacts import layout
from repatlas.artifacts.files import Arrays, write_arrays
from repatlas.config.config import read_config
from repatlas.experiments.images.size import size, stored_bytes
from repatlas.experiments.images.spec import ImageSpec
from repatlas.operations import estimate as stage
from repatlas.operations.blocks import Blocks
from repatlas.operations.costs import SMALL_JOB, Cost, fitted, shipped
from repatlas.operations.estimate import Estimate, estimate, work_left
from repatlas.operations.expected import expected_files, is_there
from repatlas.plan.plan import Plan

STAGES = ("train", "measure")
FREE = {(name, stage): Cost(0, 0) for name in ("clusters", "images") for stage in STAGES}
TRAINING = FREE | {("images", "train"): Cost(0, 1)}
MEASURING = FREE | {("images", "measure"): Cost(0, 1)}
STARTS = FREE | {("images", "train"): Cost(1000, 0), ("images", "measure"): Cost(10, 0)}
NETWORK = {"architecture": "small_cnn", "activation": ["tanh", "relu"], "width": 2}
FAMILY = "digits-small-cnn-w2-d2"
SPEC = ImageSpec(data_set="digits", network=NETWORK | {"activation": "tanh"})
PRODUCTS = size(SPEC).products
IMAGES = {"train": 1437, "test": 360}
DIGITS = Path("results") / layout.DATA.format(experiment="images", data="digits")
FIGURE = product("fig04C")


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def values():
    return _values({"data_set": "digits", "network": NETWORK, "epochs": [0, 3], "seeds": 2})


def _values(image_sweep):
    """Return a config with Figure 4C for these networks on images and one without networks."""
    return on_images({"figures": {"fig04C": {}, "fig09": {}}}, image_sweep)


def image_work(values, models=TRAINING):
    """Return the work of the figure, except for its table and its drawing."""
    plan = Plan(read_config(values))
    files = expected_files(plan)
    blocks = Blocks(files, lambda name: is_there(files[name]))
    whole = estimate(plan, [FIGURE], files, work_left(plan, files, models), blocks)
    return Estimate(whole.networks, whole.jobs - 2, whole.seconds - 2 * SMALL_JOB, whole.megabytes)


def make(values, stages=STAGES):
    """Run the stages of all image jobs as the workflow does, with their logs."""
    plan = Plan(read_config(values))
    for shard in plan.shards:
        if shard.experiment == "images":
            make_data(plan, shard)
            with logged(log_of(plan, "train", shard)):
                make_runs(plan, shard)
            if "measure" in stages:
                with logged(log_of(plan, "measure", shard)):
                    make_metrics(plan, shard)


def log_of(plan, stage, shard):
    return path_of(plan, f"logs/{stage}/{layout.SHARD}.log", shard)


@contextlib.contextmanager
def logged(path):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        yield
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(said.getvalue())


def test_networks_on_images_are_counted_with_their_jobs(values):
    found = image_work(values)
    assert found.networks == 2 * 4  # of each seed two activations with two pairings
    assert found.jobs == 1 + 2 + 2  # one reads the images


def test_training_costs_each_image_in_each_epoch_and_disk_what_is_stored(values):
    found = image_work(values)
    assert found.seconds - SMALL_JOB == 8 * 3 * IMAGES["train"] * PRODUCTS
    assert found.megabytes == pytest.approx(8 * stored_bytes(SPEC, [0, 3]) / 1e6)


def test_measuring_costs_each_held_out_image_at_each_epoch_stored(values):
    found = image_work(values, MEASURING)
    assert found.seconds - SMALL_JOB == 8 * 2 * IMAGES["test"] * PRODUCTS


def test_each_job_on_images_has_its_start(values):
    assert image_work(values, STARTS).seconds == pytest.approx(2 * 1010 + SMALL_JOB)


def test_networks_on_images_that_are_there_cost_nothing(values):
    make(values)
    assert image_work(values, STARTS) == (0, 0, 0, 0)


def test_networks_that_are_trained_are_still_to_be_measured(values):
    make(values, ["train"])
    assert image_work(values, STARTS) == (0, 2, 20, 0)


def test_networks_that_are_begun_cost_the_epochs_that_are_left(values):
    values["sweeps"]["images1"]["epochs"] = [0, 1]
    make(values, ["train"])
    runs = Path(f"results/runs/images/{FAMILY}/seed-0.safetensors").resolve()
    parts = runs.parent / "parts" / "000001.safetensors"
    parts.parent.mkdir()
    runs.rename(parts)  # as a job leaves them that died
    values["sweeps"]["images1"] |= {"epochs": [0, 3], "seeds": 1}
    found = image_work(values)
    assert found.networks == 4
    assert found.seconds == 4 * 2 * IMAGES["train"] * PRODUCTS


def test_networks_on_images_of_the_other_edition_are_there(values):
    make(values | {"preview": True}, ["train"])
    found = image_work(values)
    assert found.networks == 4  # of one of the two seeds
    assert found.jobs == 1 + 2


def test_networks_on_other_images_are_to_be_trained_again(values):
    make(values)
    file = Arrays(DIGITS, "data")
    arrays = {name: file[name].copy() for name in file.header["digests"]}
    arrays["train/images"] += 1
    about = {name: file.header[name] for name in ("job", "identity", "images")}
    write_arrays(DIGITS.resolve(), "data", about, arrays)
    values["sweeps"]["images1"]["epochs"] = [0, 1, 3]  # so that the files are stale
    assert image_work(values).networks == 8


@pytest.mark.parametrize(
    ("subset", "images"), [(False, 90), (True, 1437)], ids=["as wanted", "of another job"]
)
def test_the_number_of_images_is_that_of_their_file(values, subset, images):
    job = json.loads(Plan(read_config(values)).data["images", "digits"].text)
    job["wanted"][0]["subset"] = subset
    header = {"job": job, "identity": "x", "images": {"train": 90, "test": 20}}
    place = expected_files(Plan(read_config(values)))[DIGITS].path
    write_arrays(place.with_stem("0" * 16), "data", header, {})
    assert image_work(values).seconds - SMALL_JOB == 8 * 3 * images * PRODUCTS


def printed(values, capsys):
    capsys.readouterr()
    stage.main([config_of(values)])
    return capsys.readouterr().out


def test_the_table_says_what_the_minutes_of_images_rest_on(values, capsys):
    assert "train images: the shipped model, from another machine" in printed(values, capsys)
    assert " images: " not in printed(without_images(values), capsys)


def test_the_table_says_that_minutes_are_not_those_of_a_gpu(values, capsys):
    assert "those of a CPU core, also where a GPU would train" in printed(values, capsys)


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """The results of jobs on images of three sizes."""
    folder = tmp_path_factory.mktemp("past")
    with contextlib.chdir(folder):
        sweep = {"data_set": "digits", "pairing": ["fixed"], "epochs": [0, 2], "seeds": 1}
        for width in (2, 3, 4):
            network = NETWORK | {"activation": "tanh", "width": width}
            make(_values(sweep | {"network": network}))
    return folder / "results"


@pytest.fixture
def finished(past):
    """Write a copy of the past results, with benchmark files that say start and seconds per
    unit."""
    shutil.copytree(past, "results", symlinks=True)

    def timed(name, start, per_unit, passes, split):
        for width in (2, 3, 4):
            spec = ImageSpec(
                data_set="digits", network=SPEC.network.model_copy(update={"width": width})
            )
            units = passes * IMAGES[split] * size(spec).products
            path = Path(f"results/benchmarks/{name}/images/{spec.family}/seed-0.tsv")
            path.parent.mkdir(parents=True)
            path.write_text(f"s\th:m:s\tmax_rss\n{start + per_unit * units}\t0:00:01\t300.1\n")

    timed("train", 3, 1e-8, 2, "train")
    timed("measure", 5, 1e-7, 2, "test")


def test_the_fit_takes_the_work_of_jobs_on_images_from_their_logs(finished):
    train, measure = (fitted([Path("results")], "images", name) for name in STAGES)
    assert train[:3] == pytest.approx((3, 1e-8, 3))
    assert measure[:3] == pytest.approx((5, 1e-7, 3))


@pytest.mark.parametrize("name", STAGES)
def test_a_job_on_images_that_did_not_end_does_not_count(finished, name):
    log = next(Path(f"results/logs/{name}").rglob("*.log"))
    log.write_text("".join(log.read_text().splitlines(keepends=True)[:-1]))
    assert fitted([Path("results")], "images", name) == shipped("images", name)
