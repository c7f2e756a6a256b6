"""A config file is read without YAML's traps, and says in which line it is none."""

import re
from pathlib import Path

import pytest
import yaml

from repatlas.config.config import ConfigError, read_config
from repatlas.config.file import read_values, results_of, value_of
from repatlas.config.load import load
from repatlas.record import Refused


@pytest.fixture
def file(tmp_path):
    def file(content, name="mine.yaml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return file


def test_it_has_the_values_with_anchors_and_merged_keys(file):
    text = "a: &a {x: 1, y: 1.5}\nb:\n  deep: {<<: *a, x: 2}\n  same: *a\nc: [1e3, 1.0e+3, on]\n"
    expected = {"x": 1, "y": 1.5}
    assert read_values(file(text)) == {
        "a": expected,
        "b": {"deep": expected | {"x": 2}, "same": expected},
        "c": ["1e3", 1000.0, True],
    }


OVERLAYS = ["photographs", "paper-images", "convergence-photographs", "robustness"]


@pytest.mark.parametrize(
    "places",
    [
        ["config.yaml"],
        ["docs/example.yaml"],
        ["docs/demo/demo.yaml"],
        *(["config.yaml", f"config/{o}.yaml"] for o in OVERLAYS),
    ],
    ids=lambda places: places[-1],
)
def test_the_configs_of_this_repository_are_read(repository, places):
    loaded = load([repository / place for place in places])
    read_config(loaded.values, loaded.file, loaded.files)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: 1\nb: {x: 1}\na: 2\n", "line 3: found the key 'a', which stands in line 1 already"),
        ("b:\n  x: 1\n  y: 2\n  x: 3\n", "line 4: found the key 'x', which stands in line 2 alre"),
        ("a: 1\nb: [1, 1:30]\n", "line 2: found 1:30, allowed: a decimal number"),
        ("a: 1:30.5\n", "line 1: found 1:30.5, allowed: a decimal number"),
        ("a: 1\nb: [1, 2\n", "line 3: did not find expected ',' or ']'"),
        ("a: 1\n\tb: 2\n", "line 2: found a tab, allowed: spaces"),
        ("a: 1\nb: &b {x: [*b]}\n", "line 2: found the alias 'b' within what it stands for"),
        ("a: *nothing\n", "line 1: found undefined alias 'nothing'"),
        ("a: !!python/object/apply:os.system [ls]\n", "line 1: could not determine a constructor"),
        ("a: caf\xe9\n".encode("latin-1"), "is not YAML in UTF-8"),
        ("a: 1\n".encode("utf-16"), "is not YAML in UTF-8"),
        ("", "has no keys; add sweeps"),
    ],
)
def test_what_is_no_config_is_refused_in_a_sentence_with_its_line(file, content, words):
    path = file(content)
    with pytest.raises(Refused) as refusal:
        read_values(path)
    assert str(refusal.value).startswith(str(path))
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_each_config_has_its_own_folder_of_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    usual = Path("config.yaml")
    assert results_of([]) == ("results", usual)
    assert results_of([usual.absolute()]) == ("results", usual)
    assert results_of([Path.cwd() / "elsewhere" / ".." / usual]) == ("results", usual)
    for name in ("mine.yaml", "figures.yml", "more/config.yaml", "preview.v2.yaml"):
        path = tmp_path / name
        assert results_of([path]) == (f"results/own/{path.stem}", path)


@pytest.mark.parametrize("name", ["my config.yaml", "a{b}.yaml", "-x.yaml", "\xe9.yaml", ".yaml"])
def test_a_name_that_is_none_for_a_folder_is_refused(name):
    with pytest.raises(Refused, match=r"--configfile: found the name .*, allowed: letters"):
        results_of([Path("/") / name])


# Several files.


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file of a config in the working folder; returns its path."""
    monkeypatch.chdir(tmp_path)

    def write(name, values):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(values))
        return path

    return write


def test_a_file_is_laid_over_another_key_by_key_and_lists_as_a_whole(write):
    below = {
        "sweeps": {"a": {"steps": [1, 2], "seeds": 3}, "b": {"seeds": 1}},
        "style": {"width": 6},
    }
    above = {"sweeps": {"a": {"steps": [5]}, "b": None}, "style": {"font_size": 8}}
    loaded = load([write("mine.yaml", below), write("over.yaml", above)])
    assert loaded.folder == "results/own/mine"
    sweeps = {"a": {"steps": [5], "seeds": 3}, "b": None}
    assert loaded.values["studies"] == {"structure": {"sweeps": sweeps}}
    assert loaded.values["style"] == {"width": 6, "font_size": 8}


def test_comparisons_of_another_file_are_added_or_replace_those_of_the_same_name(write):
    below = {"compare": [{"between": ["a"], "items": ["x"]}, {"name": "n", "between": ["a"]}]}
    above = {"compare": [{"between": ["b", "c"]}, {"name": "n", "between": ["b"]}]}
    loaded = load([write("mine.yaml", below), write("over.yaml", above)])
    assert loaded.values["studies"]["structure"]["compare"] == [
        {"between": ["a"], "items": ["x"]},
        {"name": "n", "between": ["b"]},
        {"between": ["b", "c"]},
    ]


def test_a_sweep_that_another_file_takes_away_is_gone(write, small_values):
    small_values["sweeps"]["more"] = small_values["sweeps"]["noise"]
    files = [write("a.yaml", small_values), write("b.yaml", {"sweeps": {"more": None}})]
    config = read_config(load(files).values)
    assert "more" not in config.studies["structure"].sweeps


def test_each_study_has_a_file_and_a_mistake_names_it(write, small_values):
    shared = {"decoders": small_values.pop("decoders"), "studies": ["structure"]}
    small_values["sweeps"]["noise"]["seeds"] = 0
    write("config.yaml", shared)
    write("config/structure.yaml", small_values)
    loaded = load([])
    with pytest.raises(ConfigError, match=r"^config/structure.yaml: sweeps.noise.seeds: found 0"):
        read_config(loaded.values, loaded.file, loaded.files)
    shared["decoders"]["train_samples"] = 1
    write("config.yaml", shared)
    loaded = load([])
    with pytest.raises(ConfigError, match=r"^config.yaml: decoders.train_samples: found 1"):
        read_config(loaded.values, loaded.file, loaded.files)


@pytest.mark.parametrize(
    ("shared", "study", "words"),
    [
        (
            {"studies": ["nonesuch"]},
            {},
            r"config.yaml: studies: found \['nonesuch'\], allowed: a l",
        ),
        ({"studies": "structure"}, {}, r"config.yaml: studies: found 'structure', allowed: a list"),
        ({"studies": []}, {}, r"config.yaml: studies: found \[\], allowed: a list of conv"),
        ({"studies": ["structure"], "sweeps": {}}, {}, "config.yaml: unknown key 'sweeps', allow"),
        ({"studies": ["structure"]}, {"style": {}}, "config/structure.yaml: found 'style', which"),
        ({"studies": ["structure"]}, {"study": "x"}, "config/structure.yaml: study: found 'x', al"),
        ({"studies": ["structure"]}, None, "config/structure.yaml: No such file"),
    ],
)
def test_what_is_in_the_wrong_file_is_refused(write, shared, study, words):
    write("config.yaml", shared)
    if study is not None:
        write("config/structure.yaml", {"sweeps": {}} | study)
    with pytest.raises(Refused, match=words):
        load([])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 01:30.5", "found 01:30.5, allowed: a decimal number"),
        ("a: 2001-13-45", "has a value that YAML cannot read: month must be in 1..12"),
    ],
)
def test_times_and_dates_that_are_none_are_refused(text, sentence):
    with pytest.raises(Refused, match=re.escape(sentence)):
        value_of(text, "mine.yaml")
