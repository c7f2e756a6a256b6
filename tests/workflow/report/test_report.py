"""make report: what it makes, and that it is made again when, and only when, it has to be."""

import base64
import gzip
import re
from zipfile import ZipFile

import pytest

from repatlas.claims.ledger import read_ledger

FIGURES = ("fig01", "fig02", "fig03")
OF_CLAIMS = ("fig00", "fig00b")

# The words of the page are under test in tests/unit/test_report_page.py.
pytestmark = pytest.mark.slow


@pytest.fixture
def page(reported):
    return (reported.results / "structure/report.html").read_text()


def test_the_page_has_every_figure_and_every_claim(page):
    assert re.findall(r'<figure id="(\w+)"', page) == [*FIGURES]
    claims = re.findall(r'<tbody id="claim-(\w+)"', page)
    assert claims == [claim.id for claim in read_ledger("structure").claims]
    assert "Preview" not in page


def test_it_says_what_it_is_made_from(page):
    assert "from 32 networks" in page
    assert re.search(r"Trained on</dt><dd>cpu<", page)
    assert re.search(r"torch \d", page)
    for stage in ("prepare", "train", "measure", "tabulate", "plot", "judge", "plot_claims"):
        assert len(re.findall(rf'scope="row">{stage}<', page)) == 1, "its code"


def test_all_that_it_shows_and_leads_to_is_in_it(page):
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    assert [link for link in links if not link.startswith(("#", "data:"))] == []
    named = set(re.findall(r'\bid="([^"]+)"', page))
    assert {link[1:] for link in links if link.startswith("#")} <= named


def test_it_holds_the_pdf_the_data_and_the_source_of_each_figure(page):
    held = re.findall(r'href="data:([\w/-]+);base64,([^"]*)" download="([^"]*)"', page)
    kinds = {name: (kind, base64.b64decode(file)) for kind, file, name in held}
    for figure in FIGURES:
        assert kinds[f"{figure}.pdf"][1].startswith(b"%PDF")
        assert b"def draw(" in kinds[f"{figure}.py"][1]
        assert gzip.decompress(kinds[f"{figure}.csv.gz"][1]).count(b"\n") > 2
    assert all(kinds[f"{figure}.pdf"][1].startswith(b"%PDF") for figure in OF_CLAIMS)


def test_each_figure_is_described_in_words(page):
    texts = re.findall(r'alt="([^"]*)" aria-describedby', page)
    assert len(texts) == len(FIGURES)
    assert all("tanh" in text and "ReLU" in text for text in texts)


def test_snakemakes_own_report_has_the_page_and_the_figures(reported):
    with ZipFile(reported.results / "report.zip") as file:
        names = [name.rsplit("/")[-1] for name in file.namelist() if "/data/raw/" in name]
    assert sorted(names) == [*(f"{figure}.png" for figure in (*OF_CLAIMS, *FIGURES)), "report.html"]


def test_afterwards_there_is_nothing_to_do_and_verify_has_nothing_to_say(reported):
    assert reported.plan("write_reports") == {}
    assert reported.verify()[0] == 0


def test_a_new_caption_writes_the_page_again_and_nothing_else(reported, tmp_path):
    project = reported.clone(tmp_path / "project")
    caption = "studies/structure/figures/fig02/caption.rst"
    project.edit_source(caption, "separability.**", "separation.**")
    assert project.plan("write_reports") == {"write_report": 1}
    project.run("write_reports")
    assert "Figure 2: separation." in (project.results / "structure/report.html").read_text()
    project.remove()


def test_an_edit_of_the_page_writes_it_again_and_nothing_else(reported, tmp_path):
    project = reported.clone(tmp_path / "project")
    project.edit_source("report/page/page.css", "margin: 0 auto", "margin: 1px auto")
    assert project.plan("write_reports") == {"write_report": 1}
    project.remove()


def test_the_preview_has_a_report_that_says_so(previewed, tmp_path):
    project = previewed.clone(tmp_path / "project")
    project.run("write_reports", "--config", "preview=true")
    page = (project.results / "preview/structure/report.html").read_text()
    assert "not to be cited as results" in page
    assert "one network each, without standard deviation (n = 1 network)" in page
    project.remove()
