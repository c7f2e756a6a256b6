"""The report in a real browser, from disk, without a network."""

import pytest

from repatlas.claims.claims_file import read_claims

FIGURES = ("fig01", "fig02", "fig03")
CLAIMS = [claim for claim in read_claims("structure").claims if claim.figure in FIGURES]
LAPTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
sizes = pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
pytestmark = pytest.mark.slow


@sizes
def test_it_fits_the_screen_without_complaint_and_asks_the_network_for_nothing(
    open_page, reported, size
):
    visit = open_page(reported.results / "structure/report.html", size)
    visit.page.wait_for_load_state("networkidle")
    assert (visit.complaints, visit.asked_for) == ([], [])
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@sizes
def test_the_first_screen_has_pictures_that_lead_to_the_figures(open_page, reported, size):
    page = open_page(reported.results / "structure/report.html", size).page
    for figure in FIGURES:
        page.evaluate("scrollTo(0, 0)")
        picture = page.locator(f"nav a[href='#{figure}'] img")
        if figure == FIGURES[0]:
            assert picture.bounding_box()["y"] < size["height"]
        picture.click()
        page.wait_for_timeout(100)  # the jump
        assert -1 <= page.locator(f"#{figure}").bounding_box()["y"] < size["height"]
        assert page.locator(f"#{figure} figcaption").inner_text().startswith("Figure")


def test_a_tap_enlarges_a_figure_and_the_next_one_makes_it_small_again(open_page, reported):
    picture = open_page(reported.results / "structure/report.html", PHONE).page.locator(
        "#fig02 img"
    )
    widths = []
    for _ in range(3):
        widths.append(picture.bounding_box()["width"])
        picture.click()
    assert widths[1] > 3 * widths[0] and widths[2] == widths[0]


@sizes
def test_every_claim_is_shown_in_full(open_page, reported, size):
    page = open_page(reported.results / "structure/report.html", size).page
    rows = page.locator("#claims tbody tr").all()
    for claim, row in zip(CLAIMS, rows, strict=True):
        assert row.is_visible() and claim.claim in row.inner_text()


def test_snakemakes_own_report_has_the_page_and_the_rules(open_page, unpacked):
    visit = open_page(unpacked)
    page = visit.page
    page.get_by_text("Workflow", exact=True).click()
    page.locator("canvas").wait_for()  # the rules as a graph
    rules = {node["rule"] for node in page.evaluate("rulegraph_spec.data[0].values")}
    assert {"train", "judge", "write_report"} <= rules
    assert visit.asked_for == []
