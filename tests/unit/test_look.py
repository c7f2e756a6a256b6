"""A look knows where each name would lead, and changes none."""

import os
import shutil

import pytest

from repatlas.config.config import read_config
from repatlas.operations.expected import expected_files
from repatlas.operations.look import look
from repatlas.operations.view import show
from repatlas.plan.plan import Plan


@pytest.fixture
def expected(results, one_figure_values):
    return expected_files(Plan(read_config(one_figure_values)))


@pytest.fixture(autouse=True)
def nothing_changes(expected, results):
    """A test prepares the results, and then calls `prepared`; nothing may change afterwards."""
    before = []
    yield lambda: before.append(tree(results))
    if before:
        assert tree(results) == before[0]


def tree(folder):
    """Return each path below a folder, with the target of a link and the time of a file."""
    return {
        path: os.readlink(path) if path.is_symlink() else path.stat().st_mtime_ns
        for path in folder.rglob("*")
    }


def named(expected, name):
    return next(path for path in expected if path.name == name)


def test_all_names_lead_to_their_files(expected, nothing_changes):
    nothing_changes()
    leads, wrong = look(expected)
    assert leads == {name: wanted.path for name, wanted in expected.items()}
    assert wrong == {}


def test_names_that_led_to_another_config_lead_to_this_one_or_nowhere(
    expected, one_figure_values, nothing_changes
):
    one_figure_values["style"] = {"width": 6}
    wider = expected_files(Plan(read_config(one_figure_values)))
    show(Plan(read_config(one_figure_values)), wider)
    nothing_changes()
    assert [name.suffix for name, place in look(wider)[0].items() if not place].count(".pdf") == 2
    assert all(look(expected)[0].values()), "as before, though the names lead to other files now"


def test_a_file_that_a_user_has_saved_over_a_name_is_told_and_stays(expected, nothing_changes):
    name = named(expected, "fig03.pdf")
    name.unlink()
    name.write_text("mine")
    nothing_changes()
    leads, wrong = look(expected)
    assert wrong == {name: f"{name}: is a file and no link; to be moved"}
    assert leads[name] == expected[name].path


def test_a_file_of_a_release_without_a_store_would_be_moved_and_is_not_missing(
    expected, nothing_changes
):
    name = named(expected, "fig03.parquet")
    path = name.resolve()
    name.unlink()
    path.rename(name)
    nothing_changes()
    assert look(expected)[0][name] == name


def test_a_damaged_file_would_be_set_aside_and_is_missing(expected, nothing_changes):
    name = named(expected, "fig03.parquet")
    name.resolve().write_bytes(b"")
    nothing_changes()
    leads, wrong = look(expected)
    assert leads[name] is None
    assert wrong[name].endswith("is not what its name says; to be set aside")


def test_without_any_results_all_names_lead_nowhere(expected, results, nothing_changes):
    shutil.rmtree(results)
    nothing_changes()
    leads, wrong = look(expected)
    assert {*leads.values()} == {None}
    assert wrong == {}
