"""What a document tells a user to type is typed by CI: what nobody runs breaks."""

import re

import pytest

DOCUMENTS = [
    *("README.md", "Makefile", "config.yaml", "results/README.md"),
    *("docs/*.md", "docs/*/*.md", "docs/*.yaml", "envs/*.yaml", "profiles/*/*.yaml"),
]
TOLD = re.compile(r"(?:`|^|echo \")make ([a-z][a-z-]*)", re.MULTILINE)
ELSEWHERE = {
    "lock": "asks the package index for the releases of the day",
}
"""Commands that CI does not run, and why."""


@pytest.fixture
def documented(repository):
    files = [path for pattern in DOCUMENTS for path in sorted(repository.glob(pattern))]
    return {target for path in files for target in TOLD.findall(path.read_text(encoding="utf-8"))}


@pytest.fixture
def typed(repository):
    steps = (repository / ".ci/run").read_text()
    return set(re.findall(r"^ *step (?:idle )?make ([a-z-]+)", steps, re.M))


def test_ci_types_every_make_command_that_a_document_names(documented, typed):
    assert documented - typed == ELSEWHERE.keys()
    assert "bench" in documented, "the documents are found"
