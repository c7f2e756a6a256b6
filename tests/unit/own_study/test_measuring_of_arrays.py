"""The job that measures a user's arrays: its messages, and the files that remain after a
kill."""

from importlib import import_module

import pytest
from stages import make_data, path_of, run

from repatlas.artifacts import layout
from repatlas.config.config import read_config
from repatlas.plan.plan import Plan
from repatlas.stages import measure


class Killed(BaseException):
    pass


@pytest.fixture
def job(arrays, values):
    """Runs the job of the first unit, of two layers with two measures each; returns its file."""
    return job_of(values)


def job_of(values):
    plan = Plan(read_config(values))
    shard = plan.shards[0]
    data, output = make_data(plan, shard), path_of(plan, layout.METRICS, shard)
    files = ["--data", str(data), "--flush-seconds", "0"]
    return lambda: run(measure, plan.measure_job(shard), output, *files)


def ends_at(monkeypatch, name, call, error):
    """Make the call of this number of a measure end in an error."""
    module, calls = import_module(f"repatlas.own.measures.{name}"), []
    rows = module.rows

    def counted(seen, settings):
        calls.append(seen)
        if len(calls) == call:
            raise error
        return rows(seen, settings)

    monkeypatch.setattr(module, "rows", counted)
    return calls


def test_a_job_that_was_killed_goes_on_with_the_measure_that_it_was_at(job, monkeypatch):
    monkeypatch.setattr("repatlas.artifacts.begun.MOST", 1e9)  # write after each measure
    whole = job().read_bytes()
    job().unlink()
    with monkeypatch.context() as patched, pytest.raises(Killed):
        ends_at(patched, "parallelism", 2, Killed())
        job()
    alignments = ends_at(monkeypatch, "alignment", 1, AssertionError("measured again"))
    parallelisms = ends_at(monkeypatch, "parallelism", 2, AssertionError("measured again"))
    path = job()
    assert path.read_bytes() == whole
    assert (len(alignments), len(parallelisms)) == (0, 1)
    assert not (path.parent / "parts").exists()


def test_progress_is_told_in_the_words_of_the_config_with_the_time_that_is_left(job, capsys):
    job()
    first, *lines = capsys.readouterr().err.splitlines()
    while not first.startswith("representations"):
        first, *lines = lines
    assert first == "representations: 2; measures to make: 4; kept: 0"
    assert "measured alignment of network layer=conv seed=0: 1 of 4 measures in 0 s" in lines[0]
    assert "s left" in lines[0]
    assert not [line for line in lines if "networks" in line]


def test_what_has_no_interval_is_said_once_for_each_variable(arrays, values, capsys):
    job_of(values | {"measures": ["ccgp"]})()
    lines = [line for line in capsys.readouterr().err.splitlines() if "has no interval" in line]
    assert [line.split(", ")[0] for line in lines] == [
        f"network layer={layer} seed=0: ccgp of {variable}"
        for layer in ("conv", "fc")
        for variable in ("colour", "side")
    ]
