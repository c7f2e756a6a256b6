"""One figure alone: it costs its own networks, and what others have is kept."""

import pytest

pytestmark = pytest.mark.slow

ONLY = ("--config", "only=fig02")


@pytest.fixture(scope="module")
def alone(shared, make_project):
    """A project in which Figure 2 was made, and nothing else. To read only."""

    def make(folder):
        said = make_project(folder).make("figures", "FIGURE=fig02", "ARGS=--cores 2")
        assert said.returncode == 0, said.stdout

    return shared("alone", make)


def kept_and_trained(project):
    """Return what was kept and trained of each shard, according to its log."""
    lines = [line for log in project.train_logs() for line in log.read_text().splitlines()]
    of_seeds = [line for line in lines if "networks of seed" in line]
    return sorted(line.split(": ", 1)[1].split(" (")[0] for line in of_seeds)


def test_its_networks_alone_are_trained(alone, done):
    assert kept_and_trained(alone) == ["0 kept, 10 to train", "0 kept, 10 to train"]
    for folder in ("structure/tables", "structure/figures", "structure/claims"):
        names = [path for path in done.contents(folder) if "fig02" in path]
        assert list(alone.contents(folder)) == names
    assert alone.plan(*ONLY) == {}
    rows, usual = (project.table("fig02") for project in (alone, done))
    assert rows.equals(usual)


def test_the_others_are_trained_when_all_is_asked_for(alone, done, tmp_path):
    project = alone.clone(tmp_path / "project")
    project.run()
    assert kept_and_trained(project) == [
        "0 kept, 4 to train",
        "0 kept, 4 to train",
        "10 kept, 4 to train",
    ]
    assert project.contents("runs", "structure/tables", "structure/figures") == done.contents(
        "runs", "structure/tables", "structure/figures"
    )
    assert project.verify()[0] == 0
    project.remove()


def test_it_has_what_it_needs_where_all_was_made(project, done):
    assert project.plan(*ONLY) == {}
    project.run(*ONLY)
    assert project.plan() == {}
    assert project.verify()[0] == 0


def test_it_leaves_the_networks_of_others_in_reach(project, done):
    """One more value for it alone; then all again: nothing is trained twice."""

    def change(config):
        config["sweeps"]["separability"]["task"]["delta"].append(0.75)

    project.edit_config(change)
    project.run(*ONLY)
    assert kept_and_trained(project) == ["10 kept, 2 to train", "10 kept, 2 to train"]
    project.run()
    assert kept_and_trained(project) == [], "the table has all that it needs"


def test_another_name_is_refused(fresh):
    said = fresh.make("figures", "FIGURE=fig9")
    assert "config.yaml: only: found 'fig9', allowed: fig01, fig02, fig03" in said.stdout
    assert said.returncode != 0


def test_the_estimate_is_that_of_its_own_networks(fresh):
    said = fresh.make("plan", "FIGURE=fig02").stdout
    rows = {line.split()[0]: line.split()[1] for line in said.splitlines() if line[:3] == "fig"}
    assert rows["fig02"] == "20"
    assert set(rows) == {"figure", "fig02"}
