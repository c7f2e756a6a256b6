"""accept: the accept_code that keeps results of older code."""

import json
from types import SimpleNamespace

import pytest
import yaml
from asked import config_of

from repatlas.artifacts.recipes import job
from repatlas.artifacts.recipes.pairs import CompareJob
from repatlas.config.config import read_config
from repatlas.operations import accept
from repatlas.operations.expected import expected_files
from repatlas.operations.freshness import state
from repatlas.plan.plan import Plan
from repatlas.record import Refused

STAGES = "prepare train measure tabulate plot judge plot_claims"


def printed(values, capsys, stages=STAGES):
    capsys.readouterr()
    accept.main([config_of(values), f"--stages={stages}"])
    return capsys.readouterr().out


def test_of_fresh_results_there_is_nothing_to_accept(results, one_figure_values, capsys):
    assert printed(one_figure_values, capsys).startswith("nothing to accept: ")


def test_with_what_it_prints_all_results_of_older_code_are_fresh(
    results, one_figure_values, capsys, monkeypatch
):
    edited = {"stages.prepare": "11", "stages.train": "22", "stages.plot": "33"}

    def code(*modules):
        marks = [mark for module, mark in edited.items() if module in modules]
        return "".join([*marks, original(*modules)])[:12]

    original = job.code
    monkeypatch.setattr(job, "code", code)

    def stale():
        files = expected_files(Plan(read_config(one_figure_values)))
        return [path for path, wanted in files.items() if state(wanted)[0] != "fresh"]

    assert len(stale()) == 10
    block = yaml.safe_load(printed(one_figure_values, capsys))["accept_code"]
    assert block.keys() == {"prepare", "train", "plot"}
    # A job of train has one code, and the networks of each of its two activations have another.
    assert {stage: len(codes) for stage, codes in block.items()} == {
        "prepare": 1,
        "train": 3,
        "plot": 1,
    }
    one_figure_values["accept_code"] = block
    assert stale() == []
    # Said again, it is the same: it replaces what the config has.
    assert yaml.safe_load(printed(one_figure_values, capsys))["accept_code"] == block


@pytest.mark.parametrize("older", ["first", "last"])
def test_of_several_codes_the_one_that_made_most_files_is_printed(
    results, one_figure_values, capsys, monkeypatch, older
):
    """Five files of one stage were made by two codes: two by one, three by the other."""
    paths = [path for path in sorted(expected_files(Plan(read_config(one_figure_values))))]
    files = {path: SimpleNamespace(stage="plot", path=path) for path in paths[:5]}
    monkeypatch.setattr(accept, "expected_files", lambda plan: files)
    monkeypatch.setattr(accept, "versions", lambda path: [path])
    monkeypatch.setattr(accept, "job_of", lambda wanted: None)
    monkeypatch.setattr(accept, "stated", lambda path, stage: path)
    few = {*paths[:2]} if older == "first" else {*paths[3:5]}
    codes = lambda job, path: [("new", "few" if path in few else "most")]  # noqa: E731
    monkeypatch.setattr(accept, "_codes", codes)
    block = yaml.safe_load(printed(one_figure_values, capsys, "plot"))["accept_code"]
    assert block == {"plot": {"new": "most"}}


@pytest.mark.parametrize(("stages", "found"), [("", "missing"), ("trian", "found 'trian'")])
def test_an_unknown_stage_is_refused(one_figure_values, stages, found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match=f"^STAGES: {found}, allowed: prepare, train, measure"):
        accept.main([config_of(one_figure_values), f"--stages={stages}"])


COMPARED_FILES = CompareJob(
    study="own",
    comparison="mine-mine",
    tile="mine",
    grids=[
        {
            "experiment": "files",
            "name": "mine",
            "arrays": [{"columns": {"layer": "fc"}, "parts": [{"path": "fc.npy"}]}],
        }
    ],
    within=True,
    itself=True,
    measures=["alignment", "cca"],
    permutations=19,
)


def test_rows_of_a_comparison_are_kept_measure_by_measure(monkeypatch):
    """The file was made by one code, and each measure in it by another."""
    old = {"alignment": "11", "cca": "22"}
    header = {"job": {"code": "old"}, "basis": {"measures": old}}
    codes = dict(accept._codes(COMPARED_FILES, header))
    assert sorted(codes.values()) == ["11", "22", "old"]
    monkeypatch.setenv(job.ACCEPTED, json.dumps({"compare_files": codes}))
    assert COMPARED_FILES.basis("items")["measures"] == old
    assert COMPARED_FILES.with_code({"compare_files": codes}).code == "old"


def test_what_it_prints_of_comparisons_is_allowed_in_a_config(one_figure_values):
    one_figure_values["accept_code"] = {"compare_files": {"11": "22"}}
    assert read_config(one_figure_values).accept_code == {"compare_files": {"11": "22"}}
