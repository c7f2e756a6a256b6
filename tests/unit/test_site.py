"""The site shows docstrings as they are written, and links words and files to their pages."""

import sys

import pytest


@pytest.fixture
def extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository / "docs/site"))
    yield __import__
    for name in ("plain_docstrings", "glossary_links", "links_to_files", "broken_images"):
        sys.modules.pop(name, None)


def test_signs_in_a_docstring_have_no_meaning_and_arguments_become_a_list(extension):
    paragraphs = extension("plain_docstrings").paragraphs
    text = "Return |x_i|.\nRaises ValueError for `nan`."
    assert paragraphs(text, []) == [r"Return \|x\_i\|.", "", "Raises ValueError for ``nan``.", ""]
    text = "x: (m, n) and y: (m,), arrays; form=None: the first, or\nanother. seed: of all."
    assert paragraphs(text, ["x", "y", "form", "seed"]) == [
        *("- ``x``: (m, n) and ``y``: (m,), arrays", ""),
        *("- ``form=None``: the first, or another.", ""),
        *("- ``seed``: of all.", ""),
    ]


def test_an_example_begins_with_the_imports_that_it_needs(extension):
    from repatlas.geometry import ccgp

    imports_of = extension("plain_docstrings").imports_of
    text = ">>> labels = np.zeros(3)\n>>> ccgp(labels)\n"
    found = imports_of(text, "repatlas.geometry.ccgp", ccgp)
    assert found == [">>> import numpy as np", ">>> from repatlas.geometry import ccgp"]


def test_a_word_of_the_glossary_is_found_in_its_plural_but_not_within_other_words(extension):
    pattern_of = extension("glossary_links").pattern_of
    assert pattern_of("trial").search("Trials are noisy")
    assert pattern_of("study").search("two studies")
    assert not pattern_of("unit").search("united")
    assert pattern_of("CCGP").search("CCGP")
    assert not pattern_of("CCGP").search("`ccgp`")


def test_a_link_out_of_the_site_leads_to_a_page_or_becomes_the_name_of_the_file(
    extension, repository
):
    module = extension("links_to_files")
    docs, page = repository / "docs", repository / "docs/structure/findings.md"

    def shown(text):
        return module.links_of(text, docs, page, page)

    assert shown("[a](../../config/README.md#images)") == "[a](../guide/configs.md#images)"
    assert shown("[a](../../src/repatlas/record.py)") == "`src/repatlas/record.py`"
    assert shown("[a](../glossary.md)") == "[a](../glossary.md)"
    assert shown("[a](missing.md)") == "[a](missing.md)", "the build refuses it"
    assert shown("![a](../hero.png)") == "![a](../hero.png)"


def test_an_image_that_is_not_in_the_site_is_named(extension, tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "there.png").touch()
    html = '<img alt="a" src="../there.png"><img src="data:image/png;base64,AA"><img src="gone.png"'
    (tmp_path / "guide/page.html").write_text(html, encoding="utf-8")
    found = extension("broken_images").broken(tmp_path)
    assert found == ["guide/page.html: the image gone.png is not there"]
