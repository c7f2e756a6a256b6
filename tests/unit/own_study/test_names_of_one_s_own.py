"""Names as people have them: capitals, spaces, accents, one letter; and what is refused of them."""

import re
from html import escape
from itertools import combinations
from pathlib import Path

import pytest
from stages import groups_of

from repatlas.artifacts import layout
from repatlas.config.config import ConfigError, read_config
from repatlas.report.captions import caption
from repatlas.report.write import in_html
from repatlas.workflow.plan import Plan

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
    return [name for name in plan.results if name.startswith(("metrics/", "comparisons/"))]


def specs(plan):
    """Return what each group reads."""
    return [spec for group in groups_of(plan) for grid, _ in group.grids for spec in grid.specs()]


@pytest.mark.parametrize("name", [*NAMES, *ALIKE])
def test_snakemake_finds_its_files(arrays, values, name):
    plan = planned(called(values, name, unit=None))
    found = paths(plan)
    assert len(found) == 2
    for path in found:
        *_, of, part = Path(path).with_suffix("").parts
        assert re.fullmatch("[a-z0-9_-]+", of) and re.fullmatch("[a-z0-9_-]+", part), path
        assert len(f"{part}.0123456789abcdef.safetensors") < 255


SIGNS = ["a_", "_a", "*a", "**a**", "`a", "|a|", "a\\b", "<b>&amp;", "{{ 1 / 0 }}", "..", "[1]_"]


@pytest.mark.parametrize("name", [*NAMES, *SIGNS])
def test_captions_print_the_name_as_it_is(arrays, values, name):
    plan = planned(called(values, name))
    html = in_html(caption(plan.config, "own", "over_layers"))
    assert f"against the layer ({escape(name, quote=False)})." in html


def test_two_names_never_share_a_file_even_where_capitals_do_not_count(arrays, values):
    plan = planned(called(values, *ALIKE))
    found = [path.lower() for path in paths(plan)]
    assert len(found) == len(set(found)) == 2 * 3 * len(ALIKE)


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


def test_figures_whose_names_differ_in_capitals_alone_are_refused(arrays, values):
    of = {"draw": "over_layers", "of": ["network"]}
    values["figures"] = {"v4": of, "V4": of}
    assert "figures: 'v4' and another name differ only in capital letters" in refusal(values)


def test_a_model_is_no_colour(arrays, values):
    chosen = {"model": "a:b;c", "layers": ["fc"]}
    values |= {"representations": {"network": chosen}, "figures": {}, "compare": []}
    said = refusal(values)
    assert "model: found 'a:b;c', allowed: MODULE:FUNCTION, such as my_package:build" in said


def test_all_families_that_differ_have_names_that_differ():
    parts = [("a", "b", "c"), ("a-b", "c"), ("a", "b-c"), ("a-b-c",), ("a_b_c",), ("A", "b", "c")]
    parts += [("a", "b"), ("a-b",), ("a_b",), ("a", "B")]
    for one, other in combinations(parts, 2):
        assert layout.file_name(*one) != layout.file_name(*other)
