"""The report in a real browser, from disk, without a network."""

import pytest

from repatlas.claims.ledger import read_ledger

FIGURES = ("fig01", "fig02", "fig03")
CLAIMS = read_ledger("structure").claims
SIZES = {
    "laptop": {"width": 1280, "height": 800},
    "narrow laptop": {"width": 1130, "height": 700},
    "tablet": {"width": 1000, "height": 700},
    "phone": {"width": 390, "height": 844},
}
sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
pytestmark = pytest.mark.slow


@sizes
def test_it_loads_without_complaint_and_asks_the_network_for_nothing(open_page, reported, size):
    visit = open_page(reported.results / "structure/report.html", size)
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.title()
    assert (visit.complaints, visit.asked_for) == ([], [])


@sizes
def test_nothing_is_wider_than_the_screen(open_page, reported, size):
    page = open_page(reported.results / "structure/report.html", size).page
    page.click("#all-checks")
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@sizes
def test_each_figure_displays_with_its_caption(open_page, reported, size):
    page = open_page(reported.results / "structure/report.html", size).page
    for figure in FIGURES:
        image = page.locator(f"#{figure} img")
        image.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete", arg=image.element_handle())
        assert image.evaluate("image => image.naturalWidth") > 1000, figure
        assert image.bounding_box()["width"] > 0.75 * min(size["width"], 850), figure
        caption = page.locator(f"#{figure} figcaption").inner_text()
        assert caption.startswith(("Figure", "Larger")), figure
    assert page.locator("figure").count() == len(FIGURES), "claims are a table"


@sizes
def test_the_table_shows_as_many_claims_as_the_ledger_has(open_page, reported, size):
    page = open_page(reported.results / "structure/report.html", size).page
    assert [row.get_attribute("id") for row in shown(page)] == [f"claim-{c.id}" for c in CLAIMS]
    assert page.inner_text("#count") == f"{len(CLAIMS)} of {len(CLAIMS)} claims"
    for claim, row in zip(CLAIMS, shown(page), strict=True):
        assert claim.claim in row.inner_text()


def test_search_finds_a_claim_by_its_words(page):
    page.fill("#search", "Equation 1  gradient")
    (row,) = shown(page)
    assert row.get_attribute("id") == "claim-14"
    assert page.inner_text("#count") == f"1 of {len(CLAIMS)} claims"
    page.fill("#search", "no such words")
    assert shown(page) == []
    assert page.locator("#none-found").is_visible()
    page.fill("#search", "")
    assert len(shown(page)) == len(CLAIMS)


def test_the_claims_can_be_filtered_by_verdict_and_by_who_says_so(page):
    verdicts = [row.get_attribute("data-verdict") for row in shown(page)]
    assert len(set(verdicts)) > 1, "the small project would not show what the filter does"
    for verdict in set(verdicts):
        page.select_option("#verdict", verdict)
        assert len(shown(page)) == verdicts.count(verdict)
    page.select_option("#verdict", "")
    page.select_option("#by", "ours")
    ours = [f"claim-{claim.id}" for claim in CLAIMS if claim.by == "ours"]
    assert [row.get_attribute("id") for row in shown(page)] == ours


NUMBERS = ("place", "rank", "value", "n")


@pytest.mark.parametrize(
    "key", ["place", "claim", "by", "where", "rank", "corrected", "value", "n", "figure"]
)
def test_the_claims_can_be_sorted_by_any_column(page, key):
    heading = page.locator(f"thead [data-key={key}]")
    directions = []
    for _ in range(2):
        heading.locator("button").click()
        directions.append(heading.get_attribute("aria-sort"))
        values = [row.get_attribute(f"data-{key}") for row in shown(page)]
        assert len(values) == len(CLAIMS)
        known = [value for value in values if value != ""]
        assert values == known + [""] * (len(values) - len(known)), "what has none comes last"
        # The browser compares texts without regard to case, and digits as numbers.
        known = [float(v) if key in NUMBERS else v.casefold() for v in known]
        if key != "where":  # digits within texts
            assert known == sorted(known, reverse=directions[-1] == "descending")
    assert set(directions) == {"ascending", "descending"}


def test_each_claim_leads_to_its_figure_and_each_figure_to_its_claims(page):
    for figure in FIGURES:
        mine = [claim.id for claim in CLAIMS if claim.figure == figure]
        assert mine
        page.click(f"#claim-{mine[0]} a")
        assert page.evaluate("location.hash") == f"#{figure}"
        assert in_view(page, f"#{figure}")
        page.locator(f"#{figure} .tested a").first.click()
        assert in_view(page, f"#claim-{mine[0]}")


def test_a_link_to_a_claim_that_is_filtered_away_shows_it(page):
    page.fill("#search", "no such words")
    page.locator("#fig01 .tested a").first.click()
    assert in_view(page, "#claim-1")


def test_the_keyboard_reaches_everything(page):
    page.focus("#search")
    page.keyboard.type("gradient field of equation 1")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    assert page.locator("#claim-14 details").get_attribute("open") is not None
    page.focus("thead [data-key=claim] button")
    page.keyboard.press("Enter")
    assert page.get_attribute("thead [data-key=claim]", "aria-sort") == "ascending"


def test_without_scripts_everything_is_there(browser, reported):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((reported.results / "structure/report.html").as_uri())
    assert len(shown(page)) == len(CLAIMS)
    assert not page.locator(".filters").is_visible()
    context.close()


def test_snakemakes_own_report_has_the_page_and_the_rules(open_page, unpacked):
    visit = open_page(unpacked)
    page = visit.page
    page.get_by_text("Workflow", exact=True).click()
    page.locator("canvas").wait_for()  # the rules as a graph
    rules = {node["rule"] for node in page.evaluate("rulegraph_spec.data[0].values")}
    assert {"train", "judge", "write_report"} <= rules
    page.get_by_text("Claims and provenance", exact=True).click()
    page.locator("tbody a, tbody button").first.click()
    inside = page.frame_locator("iframe")
    inside.locator("#count").wait_for()
    assert inside.locator("#count").inner_text() == f"{len(CLAIMS)} of {len(CLAIMS)} claims"
    inside.locator("#claim-1 a").click()
    inside.locator("#fig01 img").wait_for()
    assert (visit.complaints, visit.asked_for) == ([], [])


def shown(page):
    return [row for row in page.locator(".claim").all() if row.is_visible()]


def in_view(page, selector):
    page.wait_for_timeout(100)  # the jump
    box, height = page.locator(selector).bounding_box(), page.viewport_size["height"]
    return -1 <= box["y"] < height
