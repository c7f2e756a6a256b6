"""accept: the accept_code that keeps results of older code."""

import json

import pytest
import yaml

from repatlas.config.config import read_config
from repatlas.operations import accept
from repatlas.operations.freshness import state
from repatlas.plan import Plan, expected_files
from repatlas.record import Refused

STAGES = "make_tasks train measure tabulate plot judge"


def printed(values, capsys, stages=STAGES):
    capsys.readouterr()
    accept.main(["--config", json.dumps(values), f"--stages={stages}"])
    return capsys.readouterr().out


def test_of_fresh_results_there_is_nothing_to_accept(results, one_figure_values, capsys):
    assert printed(one_figure_values, capsys).startswith("nothing to accept: ")


def test_with_what_it_prints_all_results_of_older_code_are_fresh(
    results, one_figure_values, capsys, monkeypatch
):
    edited = {"make_tasks": "111111111111", "train": "0123456789ab", "plot": "abcdefabcdef"}

    def fingerprint(stage, figure=None):
        return edited.get(stage) or original(stage, figure)

    original = accept.fingerprint
    for module in ("repatlas.operations.accept", "repatlas.plan"):
        monkeypatch.setattr(f"{module}.fingerprint", fingerprint)

    def stale():
        files = expected_files(Plan(read_config(one_figure_values)))
        return [path for path, wanted in files.items() if state(path, wanted)[0] != "fresh"]

    assert len(stale()) == 8
    block = yaml.safe_load(printed(one_figure_values, capsys))["accept_code"]
    assert {stage: list(codes) for stage, codes in block.items()} == {
        stage: [code] for stage, code in edited.items()
    }
    one_figure_values["accept_code"] = block
    assert stale() == []
    # Said again, it is the same: it replaces what the config has.
    assert yaml.safe_load(printed(one_figure_values, capsys))["accept_code"] == block


@pytest.mark.parametrize(("stages", "found"), [("", "missing"), ("trian", "found 'trian'")])
def test_an_unknown_stage_is_refused(one_figure_values, stages, found):
    with pytest.raises(Refused, match=f"^STAGES: {found}, allowed: make_tasks, train, measure"):
        accept.main(["--config", json.dumps(one_figure_values), f"--stages={stages}"])
