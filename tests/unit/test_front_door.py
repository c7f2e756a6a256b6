"""Before anything is planned, each file in the results is asked what it is."""

import shutil

import pytest
from selections import some

from repatlas.artifacts import running
from repatlas.config.config import read_config
from repatlas.operations.expected import expected_files
from repatlas.operations.front_door import no_files, put_aside, sort_out
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.stages import judge, measure, plot, plot_claims, prepare, tabulate, train


@pytest.fixture
def expected(results, one_figure_values):
    return expected_files(Plan(read_config(one_figure_values)))


def test_nothing_is_to_do_where_all_is_as_it_should_be(expected):
    assert no_files(expected) == {}
    assert sort_out(expected) == ({}, [])


def test_files_of_another_config_are_stale_and_stay_where_they_are(expected, one_figure_values):
    one_figure_values["sweeps"]["noise"]["task"]["noise_variance"] = [1.0, 4.0]
    other = expected_files(Plan(read_config(one_figure_values)))
    data = next(path for path in other if path.parts[1] == "data")
    assert sort_out(other) == ({}, [path for path in other if path != data])


@pytest.mark.parametrize("suffix", [".safetensors", ".parquet", ".png", ".pdf", ".md"])
@pytest.mark.parametrize("kept", [0, 5, 300])
def test_a_cut_file_is_left_to_its_job(expected, suffix, kept):
    path = next(path for path in expected if path.suffix == suffix)
    path.write_bytes(path.read_bytes()[:kept])
    foreign, stale = sort_out(expected)
    assert foreign == {}
    assert stale in ([path], [])  # a header at the beginning may be whole


def test_a_file_of_another_seed_is_set_aside(expected, one_figure_values, make_all):
    one_figure_values["sweeps"]["noise"]["seeds"] = 2
    make_all(one_figure_values)
    both = expected_files(Plan(read_config(one_figure_values)))
    one, other = (path for path in both if path.parts[1] == "metrics")
    shutil.copy(other, one)
    foreign, stale = sort_out(both)
    assert (foreign, stale) == ({one: "is of seed 1, not 0"}, [])
    assert put_aside(foreign) == [f"{one}: is of seed 1, not 0; set aside as {one.name}.aside-1"]
    assert not one.exists()


def test_what_is_no_file_is_set_aside(expected):
    table, figure = (p for p in expected if p.name in ("fig03.parquet", "fig03.png"))
    for path in (table, figure):
        path.unlink()
    table.mkdir()
    figure.symlink_to("nowhere")
    assert put_aside(no_files(expected)) == [
        f"{path}: is no file but a folder, a pipe, a device or a link to nothing;"
        f" set aside as {path.name}.aside-1"
        for path in (table, figure)
    ]


STAGES = {
    "prepare": (prepare, []),
    "train": (train, ["--data", "data", "--twin", "none"]),
    "measure": (measure, ["--data", "data", "--runs", "runs", "--twin", "none"]),
    "tabulate": (tabulate, ["--metrics", "metrics"]),
    "plot": (plot, ["--table", "tables", "--png", "new.png"]),
    "plot_claims": (plot_claims, ["--claims", "claims", "--png", "new.png"]),
    "judge": (judge, ["--tables", "tables", "--page", "new.md"]),
}


def arguments_of(stage, job, expected, output):
    """The arguments that make a file of a stage from the expected files."""
    tables = [path for path in expected if "structure" in path.parts and path.suffix != ".md"]
    places = {path.parent.name: str(path) for path in tables}
    places = {path.parts[1]: str(path) for path in expected} | places
    files = [places.get(word, word) for word in STAGES[stage][1]]
    return ["--job", job, *files, "--output", str(output)]


@pytest.mark.parametrize("stage", STAGES)
def test_a_job_whose_code_is_edited_before_it_ends_writes_nothing(
    expected, tmp_path, monkeypatch, stage
):
    monkeypatch.setattr(running, "_STARTED", {})
    start = running.start

    def edited(modules, hashes):
        start(modules, hashes)
        monkeypatch.setattr(running, "_hash_now", lambda name: None)

    monkeypatch.setattr(running, "start", edited)
    output = tmp_path / ("new.pdf" if stage in ("plot", "plot_claims") else "new")
    wanted = next(file for file in expected.values() if file.stage == stage)
    with pytest.raises(Refused, match="the code changed while this job was running"):
        STAGES[stage][0].main(arguments_of(stage, wanted.job, expected, output))
    assert [path.name for path in tmp_path.glob("*new*") if path.is_file()] == []


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "prepare"])
def test_a_job_refuses_inputs_that_are_not_what_was_planned(
    expected, one_figure_values, tmp_path, stage
):
    """Should they be replaced after the front door."""
    one_figure_values["sweeps"]["noise"]["task"]["noise_variance"] = [0.0, 1.0, 9.0]
    one_figure_values["sweeps"]["noise"]["task"]["delta"] = [0.0, 1.0]
    other = expected_files(Plan(read_config(one_figure_values)))
    wanted = next(file for file in other.values() if file.stage == stage)
    output = tmp_path / ("new.pdf" if stage in ("plot", "plot_claims") else "new")
    command = arguments_of(stage, wanted.job, expected, output)
    with pytest.raises(ValueError, match="not what the config and the code imply: start the same"):
        STAGES[stage][0].main([*command, "--identity", wanted.identity])
    assert not output.exists()
    assert all(path.exists() for path in some(expected))
