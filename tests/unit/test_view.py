"""Each name in the results leads to what the config and the code imply, or is gone."""

import os
import shutil
from pathlib import Path

import pytest

from repatlas.artifacts import running
from repatlas.config.config import read_config
from repatlas.named import named
from repatlas.operations import view
from repatlas.operations.arguments import Arguments
from repatlas.operations.expected import expected_files
from repatlas.plan.plan import Plan
from repatlas.record import Refused


@pytest.fixture
def expected(results, one_figure_values):
    return expected_files(Plan(read_config(one_figure_values)))


@pytest.fixture
def show(one_figure_values):
    """Set the names of these files, of the whole config that there is now."""

    def set_names(expected):
        return view.show(Plan(read_config(one_figure_values)), expected)

    return set_names


def led(expected):
    """Return where each name leads that is there."""
    return {name: name.resolve() for name in expected if name.is_symlink()}


def test_nothing_changes_where_all_is_as_it_should_be(expected, show):
    before = led(expected)
    assert show(expected) == {}
    assert led(expected) == before
    assert before == {name: wanted.path.resolve() for name, wanted in expected.items()}


def test_names_of_another_config_are_gone_and_come_back_with_it(expected, one_figure_values, show):
    one_figure_values["sweeps"]["noise"]["task"]["noise_variance"] = [1.0, 4.0]
    other, before = expected_files(Plan(read_config(one_figure_values))), led(expected)
    assert show(other) == {}
    assert [name.parts[1] for name in led(other)] == ["data"], "of all variances"
    assert show(expected) == {}
    assert led(expected) == before


@pytest.mark.parametrize("suffix", [".safetensors", ".parquet", ".png", ".pdf", ".md"])
@pytest.mark.parametrize("kept", [0, 5])
def test_a_cut_file_is_set_aside_and_its_name_is_gone(expected, suffix, kept, show):
    name = next(path for path in expected if path.suffix == suffix)
    path = name.resolve()
    path.write_bytes(path.read_bytes()[:kept])
    assert list(show(expected)) == [name]
    assert not name.is_symlink()
    assert [each.name for each in path.parent.glob(f"{path.name}*")] == [f"{path.name}.aside-1"]


def test_a_file_that_was_copied_onto_a_name_is_set_aside(expected, show):
    one, other = (path for path in expected if path.parts[-1] in ("fig00.png", "fig03.png"))
    shutil.copy(other, one)
    assert list(show(expected)) == [one]
    assert show(expected) == {}
    assert not one.exists()


def test_a_file_under_a_name_is_moved_into_the_store(expected, show):
    """A release without a store had files in the places of today's links."""
    name = next(path for path in expected if path.suffix == ".parquet")
    path = name.resolve()
    name.unlink()
    path.rename(name)
    assert show(expected) == {name: f"{name}: moved into the store"}
    assert name.is_symlink()
    assert name.resolve() == path


def test_a_file_of_another_seed_is_set_aside(expected, one_figure_values, make_all, show):
    one_figure_values["sweeps"]["noise"]["seeds"] = 2
    make_all(one_figure_values)
    both = expected_files(Plan(read_config(one_figure_values)))
    one, other = (path for path in both if path.parts[1] == "metrics")
    one.unlink()
    shutil.copy(other, one)
    assert show(both) == {one: f"{one}: is of seed 1, not 0; set aside as {one.name}.aside-1"}
    assert one.is_symlink(), "its own file is in the store"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_set_aside(expected, make, show):
    name = next(path for path in expected if path.name == "fig03.parquet")
    path = name.resolve()
    for place in (name, path):
        place.unlink()
        make(place)
    show(expected)
    assert not os.path.lexists(name)
    assert not os.path.lexists(path)


def test_a_name_that_the_config_no_longer_implies_is_gone(
    expected, one_figure_values, make_all, show
):
    one_figure_values["sweeps"]["noise"]["seeds"] = 2
    make_all(one_figure_values)
    one_figure_values["sweeps"]["noise"]["seeds"] = 1
    assert show(expected) == {}
    assert view.names_in(Path("results")) == {*expected}


STAGES = ("prepare", "train", "measure", "tabulate", "plot", "plot_claims", "judge")


@pytest.mark.parametrize("stage", STAGES)
def test_a_job_whose_code_is_edited_before_it_ends_writes_nothing(
    expected, one_figure_values, monkeypatch, stage
):
    monkeypatch.setattr(running, "_STARTED", {})
    start = running.start

    def edited(modules, hashes):
        start(modules, hashes)
        monkeypatch.setattr(running, "_hash_now", lambda name: None)

    monkeypatch.setattr(running, "start", edited)
    name, wanted = next((n, w) for n, w in expected.items() if w.stage == stage)
    words = Arguments(Plan(read_config(one_figure_values)), expected).words(name)
    of_stage = [each for each in expected if expected[each].identity == wanted.identity]
    for each in of_stage:
        each.resolve().unlink()
    with pytest.raises(Refused, match="the code changed while this job was running"):
        named("stages", stage).main(words)
    assert not any(each.exists() for each in of_stage)


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "prepare"])
def test_a_job_refuses_inputs_that_are_not_what_their_names_say(expected, one_figure_values, stage):
    """Should they be replaced after the names were set."""
    name, wanted = next((n, w) for n, w in expected.items() if w.stage == stage)
    words = Arguments(Plan(read_config(one_figure_values)), expected).words(name)
    source = expected[wanted.inputs[0]].path
    renamed = source.rename(source.with_stem("0" * 16))
    words = [str(renamed) if word == str(source) else word for word in words]
    with pytest.raises(Refused, match=f"{renamed.name}: is not what its name says"):
        named("stages", stage).main(words)
