"""The model of costs: a line through earlier jobs, and how far off it is."""

import numpy as np
import pytest
from selections import some

from repatlas.operations.costs import Cost, fitted, shipped
from repatlas.stages.job import WORK

stages = pytest.mark.parametrize("stage", ["train", "measure"])


class Past:
    """A results folder with the logs and benchmark files of jobs that ran."""

    def __init__(self, folder):
        self.folder, self.number = folder, 0

    def job(self, units, seconds, stage="train", log=True, benchmark=True):
        place = f"{stage}/clusters/family/seed-{self.number}"
        self.number += 1
        files = {}
        if log:
            work = "" if units is None else f"{WORK}{units}\n"
            files[f"logs/{place}.log"] = f"3 networks of seed 0: rows of 0 kept\n{work}"
        if benchmark:
            files[f"benchmarks/{place}.tsv"] = f"s\th:m:s\tmax_rss\n{seconds}\t0:00:01\t300.1\n"
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


@pytest.fixture
def past(tmp_path):
    return Past(tmp_path)


def test_a_job_costs_its_start_and_its_units():
    assert Cost(2.0, 0.5).seconds(0) == 2.0
    assert Cost(2.0, 0.5).seconds(10) == 7.0


@stages
def test_the_fit_recovers_a_line(past, stage):
    for units in (1e3, 5e3, 2e4, 1e6):
        past.job(units, 2.5 + 3e-4 * units, stage)
    model = fitted([past.folder], "clusters", stage)
    assert model.start == pytest.approx(2.5)
    assert model.per_unit == pytest.approx(3e-4)
    assert model.jobs == 4
    assert model.error == pytest.approx(0, abs=1e-9)


def test_units_of_training_are_many_and_the_fit_recovers_a_line_all_the_same(past):
    for units in (1e9, 3e10, 7e10, 4e11):
        past.job(units, 2.5 + 4.7e-11 * units)
    model = fitted([past.folder], "clusters", "train")
    assert model[:2] == pytest.approx((2.5, 4.7e-11), rel=1e-6)


def test_each_stage_is_fitted_to_its_own_jobs(past):
    for units in (1, 2, 3):
        past.job(units, 10 + units, "train")
        past.job(units, 20 + 5 * units, "measure")
    assert fitted([past.folder], "clusters", "train")[:3] == pytest.approx((10, 1, 3))
    assert fitted([past.folder], "clusters", "measure")[:3] == pytest.approx((20, 5, 3))


@stages
@pytest.mark.parametrize("sizes", [[], [5], [5, 9], [5, 5, 9, 9, 9]])
def test_with_fewer_than_three_sizes_the_model_is_the_shipped_one(past, stage, sizes):
    for units in sizes:
        past.job(units, 1.0 + units, stage)
    assert fitted([past.folder], "clusters", stage) == shipped("clusters", stage)
    assert shipped("clusters", stage).jobs == 0
    assert shipped("clusters", stage).error is None


def test_a_folder_that_is_not_there_has_no_jobs(tmp_path):
    assert fitted([tmp_path / "none"], "clusters", "train") == shipped("clusters", "train")


def test_jobs_of_both_editions_count(tmp_path):
    whole, preview = Past(tmp_path / "results"), Past(tmp_path / "results/preview")
    for units in (1, 2):
        whole.job(units, 10 + units)
    preview.job(3, 13)
    model = fitted([whole.folder, preview.folder], "clusters", "train")
    assert model[:3] == pytest.approx((10, 1, 3))


@pytest.mark.parametrize(
    "other",
    [
        {"units": 0, "seconds": 500.0},  # everything was kept
        {"units": None, "seconds": 500.0},  # killed, or of older code
        {"units": 5, "seconds": 500.0, "log": False},
        {"units": 5, "seconds": 500.0, "benchmark": False},
    ],
    ids=["no work", "no end", "no log", "no benchmark"],
)
def test_a_job_of_which_work_or_time_is_not_known_does_not_count(past, other):
    past.job(**other)
    for units in (1, 2, 3):
        past.job(units, 10 + units)
    assert fitted([past.folder], "clusters", "train")[:3] == pytest.approx((10, 1, 3))


def test_the_work_of_all_seeds_of_a_job_counts(past):
    for units in (1, 2, 80):
        past.job(units, 10 + units)
    log = past.folder / "logs/train/clusters/family/seed-2.log"
    log.write_text(f"{WORK}50\n{WORK}0\n{WORK}30\n")
    assert fitted([past.folder], "clusters", "train")[:3] == pytest.approx((10, 1, 3))


def test_the_error_is_that_of_each_job_estimated_from_the_others(past):
    rng = np.random.default_rng(0)
    units = np.array([1.0, 4.0, 9.0, 20.0, 60.0])
    seconds = (3 + 0.5 * units) * rng.uniform(0.8, 1.25, 5)
    for job in zip(units, seconds, strict=True):
        past.job(*job)
    off = []
    for i in range(5):
        rest = np.arange(5) != i
        # polyfit weighs the errors before they are squared.
        line = np.polyfit(units[rest], seconds[rest], 1, w=1 / seconds[rest])
        assert some(line > 0).all()
        off.append(abs(np.polyval(line, units[i]) / seconds[i] - 1))
    model = fitted([past.folder], "clusters", "train")
    assert model.error == pytest.approx(np.median(off))
    slope, start = np.polyfit(units, seconds, 1, w=1 / seconds)
    assert model[:2] == pytest.approx((start, slope))


def test_one_job_that_was_held_up_does_not_make_the_error_large(past):
    for units in (1, 2, 4, 8, 16, 32, 64):
        past.job(units, (10 + units) * (20 if units == 8 else 1))
    assert fitted([past.folder], "clusters", "train").error < 0.5


@pytest.mark.parametrize("line", [(50.0, -0.4), (-0.5, 1.0)])
def test_no_time_is_negative(past, line):
    start, slope = line
    for units in (1, 10, 100):
        past.job(units, start + slope * units)
    model = fitted([past.folder], "clusters", "train")
    assert model.start >= 0
    assert model.per_unit >= 0
