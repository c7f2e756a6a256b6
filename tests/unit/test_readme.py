"""What the documents say of tables and calls is true."""

import contextlib
import io
import re
from types import SimpleNamespace

import numpy as np

from repatlas.command.publish import MARK, counts_of_others, published, with_numbers
from repatlas.experiments.clusters import columns as of_clusters
from repatlas.experiments.images import columns as of_images
from repatlas.figures.columns import COLUMNS
from repatlas.report.write import networks_of
from repatlas.workflow.config import plan_of, read

TYPES = {"string": "text", "double": "number", "int32": "whole number", "bool": "true or false"}
WORDS, LINES = 700, 90
"""A README that is longer is not read."""


def programs(repository, page):
    text = (repository / page).read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def printed_by(*texts):
    known = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for text in texts:
            exec(text, known)
    return printed.getvalue()


def test_every_column_of_a_table_is_described_with_its_type(repository):
    text = (repository / "docs/guide/results.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([a-z ]+) \| .+ \|$", text, re.MULTILINE)
    described = {name: kind for names, kind in rows for name in re.findall(r"`(\w+)`", names)}
    assert described == {name: TYPES[str(COLUMNS[name])] for name in described}
    assert not (of_clusters.COLUMNS | of_images.COLUMNS).keys() - described.keys()


def test_a_call_of_a_measure_prints_what_its_page_says(repository):
    examples = programs(repository, "docs/guide/measures.md")
    said = re.findall(r"print\(.*  # ([\d.]+)", "".join(examples))
    assert printed_by(*examples).split() == said
    assert len(said) == "".join(examples).count("print(") == 14


def test_the_readmes_example_prints_what_it_shows(repository):
    [example] = programs(repository, "README.md")
    text = (repository / "README.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert printed_by(example) == shown


def test_the_measure_that_a_page_shows_measures_a_network(repository):
    shown, known = programs(repository, "docs/develop/extending.md")[0], {}
    exec(shown, known)
    silent = SimpleNamespace(layers=[np.eye(4)], first_layer=1, variant="centres")
    [row] = known["rows"](silent, None)
    assert (row.measure, row.value, row.layer) == ("silent", 0.75, 1)


def test_a_pasted_example_of_own_arrays_has_a_number_for_each_measure(repository):
    example, *_ = programs(repository, "docs/guide/your-data.md")
    known = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(example.replace("draws=99", "draws=2"), known)
    assert known["found"].value.notna().all()
    assert known["found"].query("measure == 'alignment'").low.notna().all()
    assert known["pairs"].value.notna().all()


def test_the_other_examples_of_own_arrays_print_what_their_page_says(repository):
    first, *examples = programs(repository, "docs/guide/your-data.md")
    said = re.findall(r"print\(.*  # (.+)", "".join(examples))
    assert len(said) == "".join(examples).count("print(") >= 3
    assert printed_by(first.replace("draws=99", "draws=2"), *examples).splitlines() == said


def test_the_readme_is_short_and_its_links_lead_somewhere(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    shown = re.sub("<!--.*?-->", "", text)
    assert len(shown.split()) <= WORDS and len(text.splitlines()) <= LINES
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    assert [link for link in links if not (repository / link).exists()] == []


def test_the_readmes_numbers_of_networks_are_those_of_the_config(repository, monkeypatch):
    monkeypatch.chdir(repository)
    studies = plan_of(read([], {})).studies
    numbers = {name: len(networks_of(study, study.sweeps)) for name, study in studies.items()}
    text = (repository / "README.md").read_text(encoding="utf-8")
    assert numbers.keys() == {"structure", "gating", "convergence"}
    networks = {study: f"{number:,}" for study, number in numbers.items()}
    verdicts = {study: counts_of_others(published(repository / "docs", study)) for study in numbers}
    for what, found in (("networks", networks), ("verdicts", verdicts)):
        assert all(MARK.format(what, study) in text for study in numbers)
        assert with_numbers(text, what, found) == text, "`make publish` writes them"
        assert with_numbers(text, what, found | {"gating": "1"}) != text
