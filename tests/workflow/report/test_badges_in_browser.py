"""Badges of contradicted claims over the picture of a figure, on a screen and on paper."""

import io
from datetime import UTC, datetime

import pandas as pd
import pytest
from markupsafe import Markup
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repatlas.claims.ledger import Claim
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.report.origins import Origins
from repatlas.report.page import Shown, report_page
from repatlas.report.rows import claim_rows

pytestmark = pytest.mark.slow
SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
PANELS = {"A": [[0.05, 0.05]], "B": [[0.93, 0.55]]}
CLAIMS = {"1": (["A"], "supported"), "2": (["A"], "contradicted")}
CLAIMS |= {f"C{number}b": (["B"], "contradicted") for number in range(3, 6)}


@pytest.fixture
def path(tmp_path):
    """Write a page with a figure whose panel B is at the right edge and shows three claims."""
    about = {"by": "paper", "where": "", "figure": "fig02", "statistic": "", "settings": []}
    about |= {"contradicted_by": "", "checks": []}
    claims, rows = [], []
    for name, (panels, verdict) in CLAIMS.items():
        told = {"id": name, "claim": f"Claim {name}.", "panels": panels}
        claims.append(Claim.model_validate(about | told))
        found = {"claim_verdict": verdict, "claim_corrected_verdict": verdict}
        found |= {"claim_outcome": verdict, "check": 0, "verdict": verdict, "left_out": 0}
        found |= {"statistic": "level: share", "expected": "> 0.5", "value": 0.25, "p": 0.01}
        found |= {"low": 0.2, "high": 0.3, "seeds": 20, "agreeing": 0, "effect_size": 1.0}
        rows.append({"claim": name} | found)
    blank, png = Figure(figsize=(5.5, 4), dpi=300), io.BytesIO()
    FigureCanvasAgg(blank)
    blank.savefig(png)
    shown = Shown("fig02", png.getvalue(), Markup("Figure"), 1, "Words", {}, PANELS)
    origins = Origins([], 1, {}, [])
    judged = pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)
    html = report_page("", Markup(""), claim_rows(claims, judged), [shown], origins, "", False,
                       datetime(2024, 5, 7, tzinfo=UTC))  # fmt: skip
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def place_of(page, name):
    """Return the middle of a badge's left end, and its right end, as fractions of the picture."""
    image = page.locator("#fig02 img").bounding_box()
    box = page.locator(f'#fig02 .marks a[href="#claim-{name}"]').bounding_box()
    x, y = box["x"] - image["x"], box["y"] + box["height"] / 2 - image["y"]
    right = (x + box["width"]) / image["width"]
    return x / image["width"], y / image["height"], right


@sizes
@pytest.mark.parametrize("medium", ["screen", "print"])
def test_a_badge_is_at_the_letter_of_its_panel(open_page, path, size, medium):
    page = open_page(path, size).page
    page.emulate_media(media=medium)
    x, y, _ = place_of(page, "2")
    assert (x, y) == (pytest.approx(0.05, abs=0.01), pytest.approx(0.05, abs=0.01))
    assert page.locator("#fig02 .marks a").first.is_visible()
    assert page.locator('#fig02 .marks a[href="#claim-1"]').count() == 0, "supported"


@sizes
def test_badges_at_the_right_edge_stay_on_the_picture_and_the_page_on_the_screen(
    open_page, path, size
):
    page = open_page(path, size).page
    for name in ("C3b", "C4b", "C5b"):
        assert place_of(page, name)[2] <= 1.01
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@sizes
def test_a_badge_stays_where_it_is_when_the_picture_becomes_larger(open_page, path, size):
    page = open_page(path, size).page
    before = place_of(page, "2")
    page.click("#fig02 .actual-size")
    assert place_of(page, "2")[:2] == pytest.approx(before[:2], abs=0.005)


def test_a_badge_leads_to_its_claim_and_leaves_the_picture_as_it_is(open_page, path):
    page = open_page(path).page
    page.click('#fig02 .marks a[href="#claim-C4b"]')
    assert page.evaluate("location.hash") == "#claim-C4b"
    assert page.get_attribute("#fig02 .actual-size", "aria-pressed") == "false"


def test_a_badge_is_a_sign_a_number_and_words_for_who_does_not_see_it(open_page, path):
    page = open_page(path).page
    badge = page.get_by_role("link", name="Panel A: contradicted claim 2")
    assert badge.count() == 1
    assert badge.get_attribute("title") == "contradicted: Claim 2."
    assert "✗" in badge.inner_text() and badge.inner_text().endswith("2")


def test_on_a_phone_a_badge_is_the_sign_alone_which_lies_on_no_title(open_page, path):
    pages = {name: open_page(path, size).page for name, size in SIZES.items()}
    widths = {
        name: page.locator('#fig02 .marks a[href="#claim-2"]').bounding_box()["width"]
        for name, page in pages.items()
    }
    assert widths["phone"] < 20 < widths["laptop"]
    assert pages["phone"].get_by_role("link", name="Panel A: contradicted claim 2").count() == 1
