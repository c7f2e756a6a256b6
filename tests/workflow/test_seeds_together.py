"""A job makes several seeds of a family, one after the other."""

import shutil
from pathlib import Path

import pytest


def seeds(number):
    def change(config):
        for sweep in config["sweeps"].values():
            sweep["seeds"] = number

    return change


def one(project, kind, seed):
    """Return the file of a seed of the separable family."""
    return next(project.results.glob(f"{kind}/clusters/separable-*/seed-{seed}.*"))


def test_the_seeds_of_a_family_are_one_job(fresh):
    """Each of two families has two seeds."""
    planned = fresh.plan()
    assert [planned[stage] for stage in ("prepare", "train", "measure")] == [2, 2, 2]


@pytest.mark.slow
def test_every_file_is_as_if_its_seed_was_made_alone_byte_by_byte(fresh, done):
    for number in (1, 2):
        fresh.edit_config(seeds(number))
        fresh.run()
    shutil.copy(Path(__file__).with_name("tiny.yaml"), fresh.config)
    others = [sorted(family.iterdir())[-1] for family in done.results.glob("metrics/clusters/*")]
    fresh.run(*(str(path.relative_to(done.folder)) for path in others))
    folders = ("data", "runs", "metrics", "structure/tables", "structure/claims")
    assert fresh.contents(*folders) == done.contents(*folders)


@pytest.mark.slow
def test_more_seeds_are_filled_in(project):
    project.edit_config(seeds(4))
    project.run()
    logs = "".join(log.read_text() for log in project.train_logs())
    assert logs.count(": 0 kept") == 4, "seeds 2 and 3 of two families"
    assert logs.count(" kept, ") == 5, "and seed 1 has networks of `noise` now"
    assert project.plan() == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_what_is_lost_of_another_seed_is_made_again_where_something_needs_it(project):
    one(project, "runs", 1).resolve().unlink()
    assert project.plan() == {}, "its metrics are there"
    one(project, "metrics", 1).resolve().unlink()
    assert project.plan() == {}, "the tables are there"
    before = project.contents("structure/tables")
    project.stored("structure/tables/fig02.parquet").unlink()
    planned = project.plan("results/structure/tables/fig02.parquet")
    assert planned == {"train": 1, "measure": 1, "tabulate": 1}
    project.run()
    assert project.contents("structure/tables") == before
    assert project.plan() == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_foreign_file_of_another_seed_is_set_aside_and_made_anew(project):
    before = project.contents("runs")
    shutil.copy(one(project, "runs", 0), one(project, "runs", 1))
    assert "is not what its name says; set aside" in project.run()
    assert project.contents("runs") == before
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_seed_that_fails_takes_no_other_with_it(fresh):
    fresh.run("--until", "prepare")
    good = one(fresh, "data", 1).read_bytes()
    half = len(good) // 2
    one(fresh, "data", 1).write_bytes(good[:half] + bytes(byte ^ 1 for byte in good[half:]))
    fresh.fail()
    made = fresh.results.glob("store/runs/clusters/separable-*/seed-*/*.safetensors")
    assert [path.parent.name for path in made] == ["seed-0"]
    [log] = [log for log in fresh.train_logs() if "separable" in str(log)]
    assert "/seed-1/" in log.read_text()
    assert ".safetensors: damaged" in log.read_text()
    assert "0 to train" not in log.read_text()
    fresh.run()
    assert fresh.plan() == {}
    assert fresh.verify()[0] == 0
