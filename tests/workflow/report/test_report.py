"""make report: what it makes, and that it is made again when, and only when, it has to be."""

import re
from zipfile import ZipFile

import pytest

from repatlas.claims.claims_file import read_claims

FIGURES = ("fig01", "fig02", "fig03")

# The words of the page are under test in tests/unit/test_report_page.py.
pytestmark = pytest.mark.slow


@pytest.fixture
def page(reported):
    return (reported.results / "structure/report.html").read_text()


def test_the_page_has_every_figure_and_every_claim_about_one(page):
    assert re.findall(r'<figure id="(\w+)"', page) == [*FIGURES]
    claims = re.findall(r'<tr id="claim-(\w+)"', page)
    assert claims == [c.id for c in read_claims("structure").claims if c.figure in FIGURES]
    assert "Preview" not in page


def test_all_that_it_shows_and_leads_to_is_in_it(page):
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert [link for link in links if not link.startswith(("#", "data:"))] == []
    named = set(re.findall(r'\bid="([^"]+)"', page))
    assert {link[1:] for link in links if link.startswith("#")} <= named


def test_snakemakes_own_report_has_the_page_and_the_figures(reported):
    with ZipFile(reported.results / "report.zip") as file:
        names = [name.rsplit("/")[-1] for name in file.namelist() if "/data/raw/" in name]
    names = [re.sub(r"\.[0-9a-f]{16}\.", ".", name) for name in names]  # without their identities
    assert sorted(names) == [*(f"{figure}.png" for figure in FIGURES), "report.html"]


def test_afterwards_there_is_nothing_to_do_and_verify_has_nothing_to_say(reported):
    assert reported.plan("reports") == {}
    assert reported.verify()[0] == 0


def test_an_edit_of_the_page_writes_it_again_and_nothing_else(reported, tmp_path):
    project = reported.clone(tmp_path / "project")
    project.edit_source("report/page/page.css", "margin: 0 auto", "margin: 1px auto")
    assert project.plan("reports") == {"write_report": 1}
    project.remove()
