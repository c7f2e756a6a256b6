"""What docs/guide/comparison.md shows of this library happens."""

import doctest
import re

import pytest

SECTIONS = [
    "Unrelated layers look alike",
    "Memory runs out, and the process is killed",
    "NaN, without a reason",
    "Values are wrong, and it is found late",
    "How do I test this?",
    "A few conditions, and it crashes or returns NaN",
    "Conditions have unequal numbers of trials",
    "Rows do not match",
    "Which pooling was that?",
    "It does not install",
    "Is it a distance or a similarity?",
]


def sections(repository):
    """Return the first part of the page, which all sections share, and the sections by title."""
    page = (repository / "docs/guide/comparison.md").read_text(encoding="utf-8")
    shared, *rest = re.split(r"^## ", page, flags=re.MULTILINE)
    return shared, {title: text for title, _, text in (part.partition("\n") for part in rest)}


def examples(text):
    return "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))


@pytest.mark.parametrize("title", SECTIONS)
def test_what_a_section_shows_is_so(repository, title):
    shared, titled = sections(repository)
    assert "https://github.com/" in titled[title]
    names = {}
    for part in (shared, titled[title]):
        test = doctest.DocTestParser().get_doctest(examples(part), names, title, None, None)
        assert test.examples
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        names = test.globs


def test_every_section_is_run(repository):
    assert list(sections(repository)[1]) == SECTIONS
