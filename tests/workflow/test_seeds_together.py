"""With several seeds in a job, as on a cluster, fewer jobs make the same files."""

import shutil

import pytest

MINUTES = ("--resources", "job_minutes=20")


def seeds(number):
    def change(config):
        for sweep in config["sweeps"].values():
            sweep["seeds"] = number

    return change


def one(project, kind, seed):
    """Return the file of a seed of the separable family."""
    return next(project.results.glob(f"{kind}/clusters/separable-*/seed-{seed}.*[!k]"))


@pytest.fixture(scope="module")
def batched(shared, make_project):
    """Results that were made with batches. For reading only."""
    return shared("batched", lambda folder: make_project(folder).run(*MINUTES))


@pytest.fixture
def project(batched, tmp_path):
    project = batched.clone(tmp_path / "project")
    yield project
    project.remove()


def test_the_seeds_of_a_family_are_one_job(fresh):
    alone, together = fresh.plan(), fresh.plan(*MINUTES)
    assert (alone["train"], together["train"]) == (4, 2)
    assert (alone["measure"], together["measure"]) == (4, 2)
    assert (alone["prepare"], together["prepare"]) == (4, 2)


@pytest.mark.slow
def test_every_file_is_that_of_single_jobs_byte_by_byte(batched, done):
    folders = ("data", "runs", "metrics", "structure/tables", "structure/claims")
    assert batched.contents(*folders) == done.contents(*folders)
    assert batched.verify()[0] == 0


@pytest.mark.slow
def test_another_length_of_jobs_trains_and_measures_nothing_again(project, done, tmp_path):
    assert project.plan(*MINUTES) == {}
    assert project.plan().keys() <= {"tabulate", "plot", "judge", "plot_claims"}
    before = project.contents("runs", "metrics")
    project.run()
    assert project.contents("runs", "metrics") == before
    assert project.plan() == {}
    other = done.clone(tmp_path / "other")
    assert other.plan(*MINUTES).keys() <= {"tabulate", "plot", "judge", "plot_claims"}
    other.remove()


@pytest.mark.slow
def test_more_seeds_are_filled_in(project):
    project.edit_config(seeds(4))
    kept = project.contents("runs")
    project.run(*MINUTES)
    logs = "".join(log.read_text() for log in project.train_logs())
    assert logs.count(" kept, 0 to train") == 4 - 1  # `noise` had one seed, and now has two more
    assert logs.count(": 0 kept") == 4
    assert (
        project.contents("runs").items()
        > {name: content for name, content in kept.items() if "unstructured" in name}.items()
    )
    assert project.plan(*MINUTES) == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_what_is_lost_of_another_seed_is_made_again_where_something_needs_it(project):
    one(project, "runs", 1).unlink()
    assert project.plan(*MINUTES) == {}, "its metrics are there"
    one(project, "metrics", 1).unlink()
    assert project.plan(*MINUTES) == {}, "the tables are there"
    before = project.contents("structure/tables")
    (project.results / "structure/tables/fig02.parquet").unlink()
    planned = project.plan("results/structure/tables/fig02.parquet", *MINUTES)
    assert planned == {"train": 1, "measure": 1, "tabulate": 1}
    project.run(*MINUTES)
    assert project.contents("structure/tables") == before
    assert project.plan(*MINUTES) == {}
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_foreign_file_of_another_seed_is_set_aside_and_made_anew(project):
    before = project.contents("runs")
    shutil.copy(one(project, "runs", 0), one(project, "runs", 1))
    assert "is of seed 0, not 1; set aside" in project.run(*MINUTES)
    assert project.contents("runs").items() >= before.items()
    assert project.verify()[0] == 0


@pytest.mark.slow
def test_a_seed_that_fails_takes_no_other_with_it(fresh):
    fresh.run(*MINUTES, "--until", "prepare")
    good = one(fresh, "data", 1).read_bytes()
    half = len(good) // 2
    one(fresh, "data", 1).write_bytes(good[:half] + bytes(byte ^ 1 for byte in good[half:]))
    fresh.fail(*MINUTES)
    assert not list(fresh.results.glob("done/train/clusters/separable-*/seed-*"))
    [log] = [log for log in fresh.train_logs() if "separable" in str(log)]
    assert "seed-1.safetensors: damaged" in log.read_text()
    assert "0 to train" not in log.read_text()
    fresh.run(*MINUTES)
    assert fresh.plan(*MINUTES) == {}
    assert fresh.verify()[0] == 0


@pytest.mark.slow
def test_complete_makes_what_nothing_needs_any_more(project):
    for seed in (0, 1):
        one(project, "runs", seed).unlink()
    assert project.plan(*MINUTES) == {}
    before = project.contents("metrics")
    project.run("complete", *MINUTES)
    assert project.contents("metrics") == before
    assert project.verify()[0] == 0
