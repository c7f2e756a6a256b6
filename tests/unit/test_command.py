"""The command `repatlas`, as a user types it."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from repatlas import own
from repatlas.command import main

RATES = np.random.default_rng(0).standard_normal((120, 12))
SIDE, PLACE = np.tile(["left", "right"], 60), np.repeat(np.arange(6), 20)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with files of a user."""
    monkeypatch.chdir(tmp_path)
    np.save("rates.npy", RATES)
    np.save("maps.npy", RATES.reshape(120, 3, 2, 2))
    np.savez("two.npz", first=RATES[:, :6], second=RATES[:, 6:])
    with open("rows.csv", "w") as file:
        csv.writer(file).writerows([("side", "place"), *zip(SIDE, PLACE, strict=True)])
    return tmp_path


def typed(words):
    main(words.split())


def refusal(words):
    with pytest.raises(SystemExit) as ended:
        typed(words)
    return str(ended.value)


MEASURE = "measure rates.npy --labels rows.csv --rows trials --draws 3 --measures ccgp alignment"


def test_a_file_is_measured_as_an_array_is_in_a_notebook(capsys):
    typed(f"{MEASURE} --output found.parquet")
    labels = {"side": SIDE.tolist(), "place": PLACE.tolist()}
    measures = ["ccgp", "alignment"]
    expected = own.measure(RATES, labels, rows="trials", draws=3, measures=measures)
    pd.testing.assert_frame_equal(pd.read_parquet("found.parquet"), expected)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["measure", "about", "value"]
    assert lines[1].split()[:3] == ["ccgp", "side", f"{expected.value[0]:.3f}"]
    assert f"ccgp side: {expected.reason[0]}" in lines


def test_only_the_variables_that_are_named_count(capsys):
    typed(f"{MEASURE} --variables side")
    lines = capsys.readouterr().out
    assert "alignment  side" in lines
    assert "place" not in lines


def test_files_are_compared_in_pairs(capsys):
    typed("compare two.npz/first two.npz/second rates.npy --draws 2 --output found.csv")
    found = pd.read_csv("found.csv")
    assert [*zip(found.a, found.b, strict=True)] == [
        ("two.npz/first", "two.npz/second"),
        ("two.npz/first", "rates.npy"),
        ("two.npz/second", "rates.npy"),
    ]
    both = own.compare(RATES[:, :6], RATES[:, 6:], draws=2)
    assert found.value[0] == pytest.approx(both.value[0])


def test_axes_that_are_more_than_two_are_reduced_as_asked(capsys):
    assert "maps.npy: has 4 axes" in refusal("compare maps.npy rates.npy --draws 0")
    typed("compare maps.npy rates.npy --draws 0 --reduction flat")
    assert "maps.npy rates.npy alignment    1.0" in capsys.readouterr().out


SWEEP = {
    "task": {"kind": "separable", "inputs": 8},
    "network": {"activation": "tanh", "width": 8},
    "measures": ["accuracy"],
    "steps": [0, 2],
}
MINE = {
    "sweeps": {
        "wide": SWEEP | {"seeds": 4},
        "deep": SWEEP | {"seeds": 3, "task": {"kind": "separable", "inputs": 9}},
    }
}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("compare rates.npy", "found rates.npy, allowed: two files or more, each once"),
        ("compare two.npz rates.npy", "two.npz: holds 2 arrays of numbers ('first', 'second');"),
        ("compare two.npz/third rates.npy", "two.npz: has no array 'third', found: 'first', 's"),
        ("compare none.npy rates.npy", "none.npy: no such file"),
        ("compare rates.npy/a two.npz/first", "rates.npy: is one array, found 'a' after its name;"),
        (f"{MEASURE} --variables plaice", "variables has 'plaice'; labels has 'side', 'place'."),
        (f"{MEASURE} --output found.xlsx", "--output: found found.xlsx, allowed: a name that e"),
        (f"{MEASURE} --output to/a.csv", "--output: found to/a.csv, but no folder to; make it f"),
        ("plan none.yaml", "none.yaml: No such file or directory"),
        ("verify", "config.yaml: No such file or directory"),
        ("verify --study law mine.yaml", "law: is not in mine.yaml, which has structure"),
        ("why --figure fig02 mine.yaml", "fig02: is not in mine.yaml, which has structure, "),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(folder, words, sentence):
    (folder / "mine.yaml").write_text(json.dumps(MINE))
    said = refusal(words)
    assert said.startswith(f"repatlas {words.partition(' ')[0]}: error: ") and sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("words", "networks"),
    [("", 7), ("more.yaml", 8), ("--preview", 2), ("--figure structure/deep", 3)],
)
def test_a_command_counts_the_networks_of_the_config_that_is_named(folder, capsys, words, networks):
    (folder / "mine.yaml").write_text(json.dumps(MINE))
    (folder / "more.yaml").write_text("sweeps: {wide: {seeds: 5}}")
    typed(f"plan mine.yaml {words}")
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("in all")]
    assert int(line.split()[3]) == networks


def test_a_study_is_planned_alone(folder, capsys):
    (folder / "config").mkdir()
    (folder / "config.yaml").write_text("studies: [structure, theories]")
    other = SWEEP | {"seeds": 5, "task": {"kind": "separable", "inputs": 10}}
    theories = {"sweeps": {"other": other}}
    (folder / "config/structure.yaml").write_text(json.dumps({"study": "structure"} | MINE))
    (folder / "config/theories.yaml").write_text(json.dumps({"study": "theories"} | theories))
    typed("plan --study theories")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {line[0] for line in lines[1:-1]} == {"theories"}
    assert int(lines[-1][3]) == 5


def test_make_plans_the_study_that_it_is_told(repository):
    words = ["make", "--dry-run", "--old-file=env", "plan", "STUDY=gating"]
    done = subprocess.run(words, cwd=repository, capture_output=True, text=True)
    assert done.stdout.split()[1:] == ["python", "-m", "repatlas", "plan", "--study", "gating"]


def test_help_comes_at_once_and_loads_nothing_else():
    program = (
        "import sys, json\nfrom repatlas.command import main\ntry: main(['--help'])\n"
        "except SystemExit: print(json.dumps([*sys.modules]))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout
    loaded = {name.partition(".")[0] for name in json.loads(said.splitlines()[-1])}
    assert "repatlas" in loaded
    assert not loaded & {"torch", "snakemake", "numpy", "pandas", "pydantic"}
    for name in ("plan", "why", "verify", "measure", "compare"):
        assert f"    {name} " in said


@pytest.mark.parametrize(
    ("line", "completed"),
    [("repatlas mea", ["measure "]), ("repatlas measure a.npy --rows tr", ["trials "])],
)
def test_a_shell_completes_what_is_typed(line, completed):
    environment = os.environ | {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "0",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    program = (
        f'exec {sys.executable} -c "from repatlas.command import main; main()" 8>&1 9>/dev/null'
    )
    said = subprocess.run(["sh", "-c", program], env=environment, capture_output=True, text=True)
    assert said.stdout.split("\n") == completed
