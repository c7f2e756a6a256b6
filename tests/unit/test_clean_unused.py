"""clean_unused: what no config wants any more is dropped from the store, and nothing else."""

import shutil
import socket

import pytest

from repatlas.artifacts.locks import exclusive
from repatlas.config.config import read_config
from repatlas.operations import clean_unused, wanted
from repatlas.operations.expected import expected_files
from repatlas.operations.wanted import keep, name_of, read_list
from repatlas.plan.plan import Plan
from repatlas.record import Refused

OLD, NEW = (f"figures/structure/fig02/{digit * 16}.pdf" for digit in "12")
BEGUN, DONE = (f"runs/clusters/x/seed-{seed}/{'3' * 16}.safetensors" for seed in (0, 1))
A_LOCK = (
    "filelock/2\\npid=999999\\nhost=" + socket.gethostname() + "\\nmode=lease\\nduration=30.0\\n"
)
PARTS = "runs/clusters/x/seed-0/parts/000001.safetensors"


def write_list(path, *lines):
    text = "".join(f"{line}\n" for line in lines)
    path.write_text(f"{wanted._digest(text.encode())}\n{text}")


def make(store, *names):
    for name in names:
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text("a file")


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return a store with two versions of a figure. A config wants one of them, and did want the
    other."""
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "results/store"
    make(store, OLD, NEW)
    write_list(store / "all.wanted", NEW, f"-{OLD}")
    return store


def test_a_version_that_no_config_wants_is_named_and_dropped(store, capsys):
    clean_unused.main([])
    assert not (store / OLD).exists()
    assert (store / NEW).exists()
    assert capsys.readouterr().out.splitlines()[0] == f"results/store/{OLD}"


def test_what_a_preview_wants_stays(store):
    write_list(store / "preview.wanted", OLD)
    clean_unused.main([])
    assert (store / OLD).exists()


def test_a_dry_run_drops_nothing(store):
    clean_unused.main(["-n"])
    assert (store / OLD).exists()


def test_it_is_refused_while_a_workflow_is_at_work(store, monkeypatch):
    def busy(folder):
        raise RuntimeError(f"another workflow is at work in {folder}")

    monkeypatch.setattr(clean_unused, "occupy", busy)
    with pytest.raises(Refused, match="another workflow is at work in results"):
        clean_unused.main([])
    assert (store / OLD).exists()


def test_without_a_list_of_what_is_wanted_it_is_refused(store):
    (store / "all.wanted").unlink()
    with pytest.raises(Refused, match="no list of what is wanted"):
        clean_unused.main([])
    assert (store / OLD).exists()


@pytest.mark.parametrize("damage", [b"", b"half", b"\xff\xfe", None], ids=repr)
def test_with_a_list_that_is_not_whole_it_is_refused(store, damage):
    place = store / "own-mine-1.wanted"
    write_list(place, OLD, NEW)
    place.write_bytes(place.read_bytes()[:-9] if damage is None else damage)
    with pytest.raises(Refused, match=r"own-mine-1.wanted: is not whole"):
        clean_unused.main([])
    assert (store / OLD).exists()


OTHER = f"figures/structure/fig02/{'4' * 16}.pdf"


def test_with_a_file_whose_list_is_lost_nothing_is_dropped(store):
    make(store, OTHER)
    with pytest.raises(Refused, match=r"4444.pdf: found 1 files"):
        clean_unused.main([])
    assert (store / OLD).exists()
    assert (store / OTHER).exists()


def test_a_user_can_drop_what_is_in_no_list(store):
    make(store, OTHER)
    clean_unused.main(["--unlisted"])
    assert not (store / OTHER).exists()
    assert (store / NEW).exists()


def test_what_was_begun_and_is_wanted_stays(store):
    """A config wants the file that a killed job has begun."""
    make(store, PARTS)
    write_list(store / "all.wanted", NEW, BEGUN, f"-{OLD}")
    clean_unused.main([])
    assert (store / PARTS).exists()


def test_what_was_begun_and_no_config_wants_any_more_is_dropped(store):
    make(store, PARTS)
    write_list(store / "all.wanted", NEW, f"-{OLD}", f"-{BEGUN}")
    clean_unused.main([])
    assert not (store / PARTS).exists()


@pytest.mark.parametrize("name", [f"{OLD}.aside-1", f"{OLD[:-20]}.half.pdf", "notes.txt"])
def test_what_is_no_version_of_a_result_stays(store, name):
    make(store, name)
    clean_unused.main([])
    assert (store / name).exists()


def test_it_waits_for_a_job_that_outlived_its_workflow(store, monkeypatch):
    make(store, DONE)
    write_list(store / "all.wanted", NEW, f"-{OLD}", f"-{DONE}")
    waited = []
    monkeypatch.setattr(clean_unused, "exclusive", lambda p: waited.append(p) or exclusive(p))
    (store / DONE).with_name("job.lock").write_text(A_LOCK)
    clean_unused.main([])
    assert [path.name for path in waited] == ["job.lock"]


# The lists.


@pytest.fixture
def project(tmp_path, monkeypatch, small_values):
    """Return a function that runs a config, as far as its list is concerned."""
    monkeypatch.chdir(tmp_path)

    def run(config="config.yaml", folder="results", **more):
        plan = Plan(read_config(small_values | more), folder)
        keep(plan, expected_files(plan), [tmp_path / config])
        return plan.store / name_of(plan, [tmp_path / config]), {
            str(each.path.relative_to(plan.store)) for each in expected_files(plan).values()
        }

    return run


def test_a_list_names_what_its_config_wants_and_a_part_adds_to_it(project):
    place, of_all = project()
    assert place.name == "all.wanted"
    assert read_list(place) == (of_all, set())
    _, of_part = project(only="fig03")
    assert read_list(place) == (of_all | of_part, set())
    project()
    assert read_list(place)[0] == of_all


def test_a_list_also_names_what_its_config_wanted_before_and_is_there(project):
    place, before = project()
    there, *_ = before - (after := project(style={"width": 6})[1])
    assert read_list(place) == (after, set())
    project()
    make(place.parent, there)
    project(style={"width": 6})
    assert read_list(place) == (after, {there})


def test_two_configs_never_have_one_list(project):
    """A preview, a config of the same name, one in another folder, and one over another."""
    places = [
        project("a.yaml", "results/own/a", preview=True)[0],
        project("a-preview.yaml", "results/own/a-preview")[0],
        project("elsewhere/a.yaml", "results/own/a")[0],
        project("a.yaml", "results/own/a")[0],
        project()[0],
        project(preview=True)[0],
    ]
    assert len({*places}) == len(places)


def test_two_clones_with_one_store_never_have_one_list(project, tmp_path, monkeypatch):
    places = []
    for clone in ("one", "other"):
        (tmp_path / clone / "results").mkdir(parents=True)
        (tmp_path / "shared").mkdir(exist_ok=True)
        (tmp_path / clone / "results/store").symlink_to(tmp_path / "shared")
        monkeypatch.chdir(tmp_path / clone)
        places.append(project(f"{clone}/config.yaml")[0].resolve())
    assert len({*places}) == 2
    assert len([*(tmp_path / "shared").iterdir()]) == 2


def test_a_list_that_was_cut_is_written_again_by_the_next_run(project):
    place, of_all = project()
    place.write_bytes(place.read_bytes()[:100])
    project()
    assert read_list(place) == (of_all, set())
    shutil.rmtree(place.parent)
