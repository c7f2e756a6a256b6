"""The time that a run still takes."""

import json

import pytest

from repatlas.config.config import read_config
from repatlas.operations.allocation import units_of
from repatlas.operations.costs import SMALL_JOB, shipped
from repatlas.operations.expected import expected_files
from repatlas.operations.time_left import TRUSTED, TimeLeft, expected_seconds
from repatlas.plan.plan import Plan


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_jobs_are_shared_among_those_that_run_at_a_time():
    expected = {number: 100.0 for number in range(8)}
    assert TimeLeft(expected, 1, Clock()).seconds() == 800
    assert TimeLeft(expected, 4, Clock()).seconds() == 200
    assert TimeLeft(expected, 50, Clock()).seconds() == 100, "no sooner than one job"


def test_what_a_job_has_run_already_counts():
    clock = Clock()
    left = TimeLeft({1: 100.0, 2: 10.0}, 2, clock)
    left.start(1)
    clock.now = 60.0
    assert left.seconds() == 40


def test_a_job_that_takes_too_long_is_not_about_to_end():
    clock = Clock()
    left = TimeLeft({1: 100.0, 2: 10.0}, 2, clock)
    left.start(1)
    clock.now = 300.0
    assert left.seconds() == 200, "it is late by 200 s, and may be so again"


def test_a_machine_twice_as_slow_is_noticed():
    clock = Clock()
    left = TimeLeft({1: 10 * TRUSTED, 2: 100.0}, 1, clock)
    left.start(1)
    clock.now = 20 * TRUSTED
    assert left.end(1) == 20 * TRUSTED
    assert left.seconds() == pytest.approx(100 * 21 / 11)


def test_when_all_have_ended_nothing_is_left():
    left = TimeLeft({1: 100.0}, 1, Clock())
    left.start(1)
    left.end(1)
    assert left.seconds() == 0


CONFIG = {
    "study": "structure",
    "sweeps": {
        "small": {
            "task": {"kind": "separable", "inputs": 10, "delta": [0.0, 1.0], "noise_variance": 1.0},
            "network": {"activation": ["tanh", "relu"], "width": 8},
            "training": {"learning_rate": 0.1, "batch": 20, "samples": 60},
            "steps": [10, 20],
            "seeds": 3,
            "measures": ["accuracy", "alignment"],
            "preview": {"seeds": 1},
        }
    },
}


def test_a_job_is_expected_to_take_what_the_cost_model_says(tmp_path):
    plan = Plan(read_config(CONFIG), str(tmp_path))
    rules = {"runs": "train", "metrics": "measure", "data": "prepare"}
    made = [
        (path.relative_to(tmp_path).parts[0], w.job) for path, w in expected_files(plan).items()
    ]
    jobs = {text: (rules[folder], text, 3) for folder, text in made if folder in rules}
    found = expected_seconds(jobs, [tmp_path])
    assert found.keys() == jobs.keys()
    for name, (rule, text, seeds) in jobs.items():
        model = shipped("clusters", rule) if rule != "prepare" else None
        units = seeds * units_of(rule, text) if model else 0
        assert found[name] == (model.seconds(units) if model else SMALL_JOB)
        assert json.loads(text)["seed"] in (0, 1, 2)
    assert sum(rule == "train" for rule, *_ in jobs.values()) == 3
