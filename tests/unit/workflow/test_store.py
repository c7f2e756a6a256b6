"""Versions are written once, names lead to them, and what a user has saved stays."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from stages import make

from repatlas.artifacts.files import Arrays, Unreadable
from repatlas.config.config import read_config
from repatlas.record import Refused
from repatlas.runs import Curve, Run
from repatlas.workflow import store
from repatlas.workflow.plan import Plan

TABLE = "structure/tables/fig03.parquet"


@pytest.fixture
def plan(results, one_figure_values):
    """A plan whose results are all there."""
    return Plan(read_config(one_figure_values))


def test_where_all_is_there_no_name_leads_astray_and_none_is_made_again(plan, capsys):
    before = {name: plan.version(name).stat().st_mtime_ns for name in plan.results}
    make(plan, *plan.results)
    assert plan.astray() == [] and capsys.readouterr().err == ""
    assert {name: plan.version(name).stat().st_mtime_ns for name in plan.results} == before
    assert all((plan.folder / name).resolve() == plan.version(name).resolve() for name in before)


def led_elsewhere(link):
    link.unlink()
    link.symlink_to("/etc/passwd")


def copied(link):
    """Remove a link and write its content there, as `cp -rL` does."""
    content = link.read_bytes()
    link.unlink()
    link.write_bytes(content)


def saved_over(link):
    link.unlink()
    link.write_text("mine")


@pytest.mark.parametrize("change", [led_elsewhere, copied])
def test_a_name_that_leads_elsewhere_leads_to_its_version_again(plan, change):
    change(plan.folder / TABLE)
    assert plan.astray() == [TABLE]
    plan.set_links([TABLE])
    assert plan.astray() == [] and (plan.folder / TABLE).is_symlink()


def test_a_file_that_a_user_has_saved_over_a_name_stays_and_is_named(plan, capsys):
    saved_over(plan.folder / TABLE)
    assert plan.astray() == []
    assert (
        f"{plan.folder / TABLE}: is a file of yours, and stays; ours is" in capsys.readouterr().err
    )
    plan.set_links([TABLE])
    store.set_link(plan.folder / TABLE, plan.version(TABLE))
    assert (plan.folder / TABLE).read_text() == "mine"


def test_a_file_that_a_user_saves_over_a_name_without_result_before_the_run_begins_stays(plan):
    link = plan.folder / "structure/tables/old.parquet"
    link.symlink_to("../../store/structure/tables/old/0123456789abcdef.parquet")
    assert plan.astray() == ["structure/tables/old.parquet"]
    saved_over(link)
    plan.set_links(["structure/tables/old.parquet"])
    assert link.read_text() == "mine"


def test_a_link_of_the_user_to_a_version_stays(plan):
    link = plan.folder / "structure/tables/as-in-my-talk.parquet"
    link.symlink_to((plan.folder / TABLE).readlink())
    assert plan.astray() == [] and link.is_symlink()


def test_a_name_whose_version_is_gone_goes_too(plan):
    plan.version(TABLE).unlink()
    assert plan.astray() == [TABLE]
    plan.set_links([TABLE])
    assert not os.path.lexists(plan.folder / TABLE)


@pytest.mark.parametrize("no_file", [os.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_for_a_version_is_refused(plan, no_file):
    plan.version(TABLE).unlink()
    no_file(plan.version(TABLE))
    with pytest.raises(Refused, match="is no file but a folder, or a pipe: remove it"):
        plan.astray()


def test_another_version_under_the_name_of_this_one_is_not_taken_for_it(plan):
    path = plan.version(TABLE)
    assert store.is_there(path)
    other = path.with_stem("0123456789abcdef")
    shutil.copy(path, other)
    assert not store.is_there(other)


def test_a_disk_without_symbolic_links_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    with pytest.raises(Refused, match="has no symbolic links"):
        store.set_link(tmp_path / "fig.pdf", tmp_path / "store/fig/0123456789abcdef.pdf")


def test_a_damaged_file_that_another_job_has_just_set_aside_is_no_fault(tmp_path):
    (file := tmp_path / "0123456789abcdef.json").write_text("damaged")
    assert store.set_aside(file).startswith("set aside as 0123456789abcdef.json.damaged-")
    assert store.set_aside(file) == "it was set aside already"
    (aside,) = tmp_path.iterdir()
    assert aside.read_text() == "damaged"


# Networks in checkpoint files.


def made_up(steps, goes_on=True, offset=0.0, curves=()):
    """Return a network whose weights equal the step of each checkpoint."""
    weights = np.array(steps, np.float32)[:, None] + np.float32(offset)
    about = {"steps": list(steps), "goes_on": goes_on}
    about |= {"diverged_step": None, "converged_step": None}
    state = {"low_epochs": np.array(steps[-1], np.int32)}
    return Run({"weights1": weights}, state, about, dict(curves))


def assert_same(one, other):
    assert one.about == other.about
    for some, others in ((one.parameters, other.parameters), (one.state, other.state)):
        assert some.keys() == others.keys()
        assert all(np.array_equal(some[name], others[name]) for name in some)


def test_networks_come_back_as_they_were(tmp_path):
    curve = Curve(np.array([0, 1]), np.array([0.5, 0.25]))
    runs = {"one": made_up([0, 2, 5], curves={"loss": curve}), "other": made_up([7], offset=0.5)}
    store.Networks(tmp_path, "clusters").write(runs)
    networks = store.Networks(tmp_path, "clusters")
    for name, run in runs.items():
        found = networks.read(name, networks.find(name, run.about["steps"]))
        assert_same(found, run)
        assert found.curves.keys() == run.curves.keys()
    assert networks.find("another", [0]) is None


@pytest.mark.parametrize(
    ("stored", "wanted", "serves", "ended"),
    [
        ([0, 2, 5], [0, 2, 5], True, True),
        ([0, 2, 5], [0, 5], True, True),
        ([0, 2, 5], [2], True, True),
        ([0, 2, 5], [0, 2, 5, 8], True, False),  # to be continued
        ([0, 2, 3], [0, 2, 5], True, False),  # continues at step 3
        ([3], [5], True, False),
        ([0, 2, 5], [0, 3, 5], False, False),  # 3 is past
        ([0, 5], [0, 2, 8], False, False),
        ([0, 8], [0, 5], False, False),
    ],
    ids=str,
)
def test_a_network_serves_if_it_has_each_wanted_step_that_it_passed(stored, wanted, serves, ended):
    """ended: one that does not go on serves, too."""
    for goes_on, does in ((True, serves), (False, ended)):
        found = store.Stored(made_up(stored, goes_on).about, None)
        assert found.serves(wanted) == does
        assert found.is_finished(wanted) == ({*wanted} <= {*stored})


def test_of_a_network_in_several_files_the_one_that_is_trained_longest_is_taken(tmp_path):
    for steps in ([0, 5], [0, 8], [0, 2]):
        store.Networks(tmp_path, "clusters").write({"one": made_up(steps)})
    networks = store.Networks(tmp_path, "clusters")
    assert networks.find("one", [0, 9]).about["steps"] == [0, 8]


def test_a_job_removes_files_of_its_own_whose_networks_are_all_in_a_later_one(tmp_path):
    networks, other = (store.Networks(tmp_path, "clusters") for _ in range(2))
    other.write({"one": made_up([0, 1])})
    (of_other,) = networks.folder.iterdir()
    both = "one", "two"
    networks.write({"one": made_up([0, 2]), "two": made_up([0, 2])}, both)
    networks.write({"one": made_up([0, 4])}, ["one"])
    assert len([*networks.folder.iterdir()]) == 3, "two is in the first alone"
    networks.write({"one": made_up([0, 5]), "two": made_up([0, 5])})
    left = {*networks.folder.iterdir()}
    assert of_other in left and len(left) == 2
    assert networks.find("two", [0, 5]).is_finished([0, 5])


def test_a_file_that_is_half_written_or_of_somebody_else_is_no_checkpoint_file(tmp_path):
    networks = store.Networks(tmp_path, "clusters")
    networks.write({"one": made_up([0, 5])})
    (whole,) = networks.folder.iterdir()
    shutil.copy(whole, whole.with_name(f".{whole.name}"))
    (networks.folder / "notes.txt").write_text("mine")
    assert store.Networks(tmp_path, "clusters").look() == []
    whole.write_bytes(whole.read_bytes()[:100])
    with pytest.raises(Unreadable):
        Arrays(whole, "networks")
    assert store.Networks(tmp_path, "clusters").find("one", [0]) is None
    assert sorted(path.suffix.partition("-")[0] for path in networks.folder.iterdir()) == [
        *(".damaged", ".safetensors", ".txt"),
    ]


# A network at its checkpoints.


def test_a_network_that_is_cut_to_earlier_checkpoints_does_not_go_on():
    run = made_up([0, 2, 5])
    for steps in ([0, 2, 5], [5], [0, 5]):
        assert run.at(steps).state and run.at(steps).about["goes_on"]
        assert run.at(steps).parameters["weights1"].ravel().tolist() == steps
    for steps in ([0, 2], [2], []):
        assert not run.at(steps).state and not run.at(steps).about["goes_on"]
    assert run.about["goes_on"], "as it was"
    with pytest.raises(ValueError):
        run.at([3])


@pytest.mark.parametrize("event", ["diverged_step", "converged_step"])
def test_a_network_that_is_cut_knows_nothing_of_what_became_of_it_later(event):
    run = made_up([0, 2, 5])
    run.about[event] = 4
    assert run.at([0, 5]).about[event] == 4
    assert run.at([0, 2]).about[event] is None
