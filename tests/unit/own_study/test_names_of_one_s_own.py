"""Names as people have them: capitals, spaces, accents, one letter; and what is refused of them."""

import os
import re
from html import escape
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from repatlas.artifacts import layout
from repatlas.config.config import ConfigError, read_config
from repatlas.plan.captions import caption
from repatlas.plan.job_words import JobWords
from repatlas.plan.plan import Plan
from repatlas.report.write import in_html

NAMES = ["a", "V4", "IT", "my net", "é", "2p", "{x}", "../../x", "$x$", "x" * 100, "-", "a--b"]
ALIKE = ["a_b", "a-b", "A_b", "a b", "ab", "aB", "a_b_seed_0", "a-b-seed-0", "x" * 99, "x" * 100]


def planned(values):
    return Plan(read_config(values, "mine.yaml"))


def refusal(values):
    with pytest.raises(ConfigError) as refused:
        read_config(values, "mine.yaml")
    assert "\n" not in str(refused.value)
    return str(refused.value)


def called(values, *names, **changes):
    """Return the config with a set of each name, each compared with itself."""
    chosen = values["representations"]["network"] | changes
    values["representations"] = dict.fromkeys(names, chosen)
    measures = {"measures": ["alignment"]}
    values["compare"] = [{"between": [name, name]} | measures for name in names]
    values["figures"] = {"over_layers": {"of": list(names)}}
    return values


def paths(plan):
    """Return the files of metrics, data and pairs."""
    metrics = [layout.METRICS.format(**shard.place) for shard in plan.shards]
    return [*metrics, *(layout.PAIRS.format(**tile.place) for tile in plan.tiles)]


@pytest.mark.parametrize("name", NAMES)
def test_a_set_may_have_this_name(arrays, values, name):
    plan = planned(called(values, name))
    assert len(plan.shards) == len(plan.tiles) == 3
    assert {spec.name for sweep in plan.sweeps for spec in sweep.specs()} == {name}


def test_a_line_of_a_run_names_the_unit_that_is_measured(arrays, values):
    plan = planned(values)
    words = JobWords(plan)
    lines = [f"network, seed {seed}, for own over_layers and pairs" for seed in range(3)]
    assert [words.networks(shard, "seed 0") for shard in plan.shards] == lines
    assert [words.data(*place) for place in plan.data] == lines


@pytest.mark.parametrize("name", [*NAMES, *ALIKE])
def test_snakemake_finds_its_files(arrays, values, name):
    plan = planned(called(values, name, unit=None))
    places = [shard.place for shard in plan.shards] + [tile.place for tile in plan.tiles]
    assert len(places) == 2
    for place in places:
        for part, text in place.items():
            assert re.fullmatch(layout.WILDCARDS[part], str(text)), (part, text)
            assert len(f"{text}.safetensors") < 255


SIGNS = ["a_", "_a", "*a", "**a**", "`a", "|a|", "a\\b", "<b>&amp;", "{{ 1 / 0 }}", "..", "[1]_"]


@pytest.mark.parametrize("name", [*NAMES, *SIGNS])
def test_captions_print_the_name_as_it_is(arrays, values, name):
    plan = planned(called(values, name))
    [figure] = plan.figures
    html = in_html(caption(plan, figure))
    assert f"against the layer ({escape(name, quote=False)})." in html
    assert "<" not in repr(caption(plan, figure))


def test_two_names_never_share_a_file_even_where_capitals_do_not_count(arrays, values):
    plan = planned(called(values, *ALIKE))
    found = [path.lower() for path in paths(plan)]
    assert len(found) == len(set(found)) == 2 * 3 * len(ALIKE)


def test_a_set_s_name_is_not_taken_for_another_s_unit(arrays, values):
    called(values, "a", "a-seed-0", "a_seed_0")
    for name in ("a-seed-0", "a_seed_0"):
        values["representations"][name] = values["representations"]["a"] | {"unit": None}
    assert len({*paths(planned(values))}) == 2 * (3 + 1 + 1)


def test_units_that_are_spelled_alike_have_files_of_their_own(arrays, values):
    rng = np.random.default_rng(0)
    names = ["V4", "v4", "é", "è", "a b", "a_b", "a-b", "y" * 100, "y" * 101]
    for name in names:
        Path("areas", name).mkdir(parents=True)
        np.save(f"areas/{name}/fc.npy", rng.standard_normal((24, 8)))
    plan = planned(called(values, "brain", arrays="areas/{area}/{layer}.npy", unit="area"))
    assert len({*paths(plan)}) == 2 * len(names)


def test_names_of_plain_letters_and_digits_stand_in_the_names_of_files_as_they_are(arrays, values):
    plan = planned(called(values, "my_net2"))
    assert [shard.family for shard in plan.shards] == [f"my_net2-seed-{n}" for n in range(3)]
    assert {tile.place["comparison"] for tile in plan.tiles} == {"my_net2-my_net2"}


def test_a_comparison_of_sets_is_drawn_by_their_names(arrays, values):
    called(values, "V4", "my net")
    values["compare"] = [{"between": ["V4", "my net"], "measures": ["alignment"]}]
    values["figures"] = {"pairs": {"of": "V4-my net"}}
    plan = planned(values)
    [figure] = plan.figures
    tiles = plan.tiles_of(figure)
    assert {plan.compare_job(tile).comparison for tile in tiles} == {"V4-my net"}


def test_two_comparisons_of_one_name_are_refused(arrays, values):
    called(values, "a", "b-c", "a-b", "c")
    measures = {"measures": ["alignment"]}
    values["compare"] = [{"between": each} | measures for each in (["a", "b-c"], ["a-b", "c"])]
    assert "compare: a and b-c and others have the name 'a-b-c'" in refusal(values)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("x" * 101, "allowed: a text of at most 100 characters"),
        ("", "representations.: found '', allowed: a text of at least 1"),
        ("  ", "found '  ', allowed: a name of signs that can be printed"),
        ("a\nb", "found 'a\\nb', allowed: a name of signs that can be printed"),
        (7, "representations.7: found 7, allowed: a text, in quotes where it looks like a number"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused(arrays, values, name, sentence):
    values["representations"] = {name: values["representations"]["network"]}
    values["compare"], values["figures"] = [], {}
    assert sentence in refusal(values)


@pytest.mark.parametrize("name", ["my figure", "é", "fig-1", "x" * 101])
def test_a_figure_is_a_file_of_its_name_which_is_plain(arrays, values, name):
    values["figures"] = {name: {"draw": "over_layers", "of": ["network"]}}
    sentence = "allowed: up to 100 letters from a to z, digits and _, after a letter"
    assert f"figures.{name}: " in refusal(values)
    assert sentence in refusal(values)


def test_figures_whose_names_differ_in_capitals_alone_are_refused(arrays, values):
    of = {"draw": "over_layers", "of": ["network"]}
    values["figures"] = {"v4": of, "V4": of}
    assert "figures: 'v4' and another name differ only in capital letters" in refusal(values)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("arrays", "", "network.arrays: found '', allowed: a text of at least 1"),
        ("arrays", 7, "network.arrays: found 7, allowed: a text, in quotes"),
        ("arrays", "x" * 300 + "/{layer}.npy", "arrays: found a path of 312 bytes, allowed: at"),
        ("arrays", "acts/" + "x" * 300 + "{layer}.npy", "arrays: found a path of 316 bytes"),
        ("arrays", "é" * 130 + ".npy", "arrays: found a path of 264 bytes"),
        ("arrays", "a/" * 2500 + "x.npy", "arrays: found a path of 5005 bytes"),
        ("rows", "x" * 300 + ".csv", "network.rows: found a path of 304 bytes"),
        ("rows", "a\0.csv", "found 'a\\x00.csv', allowed: a path without the sign NUL"),
    ],
)
def test_a_path_that_no_file_can_have_is_refused(arrays, values, key, value, sentence):
    values["representations"]["network"][key] = value
    assert sentence in refusal(values)


def test_a_model_is_no_colour(arrays, values):
    chosen = {"model": "a:b;c", "layers": ["fc"]}
    values |= {"representations": {"network": chosen}, "figures": {}, "compare": []}
    said = refusal(values)
    assert "model: found 'a:b;c', allowed: MODULE:FUNCTION, such as my_package:build" in said


def test_an_unknown_study_is_called_study(arrays, values):
    assert refusal(values | {"study": "ownn"}).startswith("mine.yaml: study: found 'ownn', allowed")


def test_a_file_whose_name_is_not_utf_8_is_refused(arrays, values):
    Path("odd").mkdir()
    np.save(os.fsdecode(b"odd/\xff.npy"), np.zeros((24, 8)))
    said = refusal(called(values, "V4", arrays="odd/{layer}.npy", unit=None))
    assert "representations.V4: pattern 'odd/{layer}.npy': the name '\\udcff.npy' in odd" in said
    assert "is not in UTF-8" in said
    said.encode()


def test_a_folder_that_may_not_be_read_is_refused(arrays, values, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", denied)
    assert "arrays: acts: Permission denied" in refusal(values)


@pytest.mark.parametrize("layer", ["é", "²", "a b", "٣", "9" * 200, "conv²"])
def test_a_layer_may_have_this_name(arrays, values, layer):
    np.save(f"acts/0/{layer}.npy", np.load("acts/0/fc.npy"))
    plan = planned(called(values, "V4"))
    columns = [spec.columns["layer"] for sweep in plan.sweeps for spec in sweep.specs()]
    assert layer in columns
    assert len(paths(plan)) == 6


def test_all_families_that_differ_have_names_that_differ():
    parts = [("a", "b", "c"), ("a-b", "c"), ("a", "b-c"), ("a-b-c",), ("a_b_c",), ("A", "b", "c")]
    parts += [("a", "b"), ("a-b",), ("a_b",), ("a", "B")]
    for one, other in combinations(parts, 2):
        assert layout.file_name(*one) != layout.file_name(*other)
