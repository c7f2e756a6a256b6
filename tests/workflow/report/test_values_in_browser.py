"""The values of a figure at the pointer, with a finger and with keys, in a real browser."""

import io
from datetime import UTC, datetime

import pandas as pd
import pytest
from markupsafe import Markup
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repatlas.claims.ledger import Claim
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.plots.drawn_values import drawn_values
from repatlas.report.origins import Origins
from repatlas.report.page import Shown, report_page
from repatlas.report.rows import claim_rows

pytestmark = pytest.mark.slow
SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
MIDDLE = "Target alignment: Tanh. δ 0.5: 0.75 (0.7 to 0.8)"


@pytest.fixture
def path(tmp_path):
    """Write a page with one figure, whose line of tanh has three values with bars."""
    figure, png = Figure(figsize=(5.5, 4), dpi=300), io.BytesIO()
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    ax.errorbar([0, 0.5, 1], [0.5, 0.75, 0.25], 0.05, label="Tanh")
    ax.plot([0, 0.5, 1], [-0.5, -0.4, -0.3], label="ReLU")
    ax.set(title="Target alignment", xlabel="δ")
    figure.savefig(png)
    values = drawn_values(figure)
    shown = Shown("fig02", png.getvalue(), Markup("Figure"), 1, "Words", {}, {}, values=values)
    about = {"id": "1", "claim": "It is so.", "by": "paper", "where": "", "figure": "fig02"}
    about |= {"statistic": "", "contradicted_by": "", "checks": [], "settings": []}
    verdicts = ("claim_verdict", "claim_corrected_verdict", "claim_outcome")
    row = {"claim": "1", "not_judged": "no table"} | dict.fromkeys(verdicts, "not judged")
    judged = pd.DataFrame([row]).reindex(columns=CLAIMS_SCHEMA.names)
    html = report_page("", Markup(""), claim_rows([Claim.model_validate(about)], judged), [shown],
                       Origins([], [], 1, {}, []), "", False,
                       datetime(2024, 5, 7, tzinfo=UTC))  # fmt: skip
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def middle(page):
    """Return where the middle value of tanh is on the screen."""
    page.locator("#fig02 img").scroll_into_view_if_needed()
    box = page.locator("#fig02 img").bounding_box()
    left, top = page.evaluate(
        "JSON.parse(document.querySelector('.picture > script').textContent)[0].places[1]"
    )[:2]
    return box["x"] + left * box["width"], box["y"] + top * box["height"]


@sizes
def test_a_pointer_near_a_line_shows_its_value_and_away_from_lines_nothing(open_page, path, size):
    visit = open_page(path, size)
    output = visit.page.locator("#fig02 .value")
    x, y = middle(visit.page)
    visit.page.mouse.move(x + 3, y + 5)
    assert output.inner_text() == MIDDLE
    box, picture = output.bounding_box(), visit.page.locator("#fig02 .drawing").bounding_box()
    assert picture["x"] <= box["x"]
    assert box["x"] + box["width"] <= picture["x"] + picture["width"]
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    visit.page.mouse.move(x, y - 60)
    assert not output.is_visible()
    assert visit.complaints == []


def test_a_finger_shows_a_value_which_stays(browser, path):
    page = browser.new_context(viewport=SIZES["phone"], has_touch=True).new_page()
    page.goto(path.as_uri())
    page.touchscreen.tap(*middle(page))
    assert page.inner_text("#fig02 .value") == MIDDLE


def test_arrow_keys_go_along_a_line_and_to_the_next_one(open_page, path):
    page = open_page(path).page
    page.focus("#fig02 img")
    said = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        said.append(page.inner_text("#fig02 .value").partition(". δ ")[2].partition(" (")[0])
    assert said == ["0: 0.5", "0.5: 0.75", "0: \N{MINUS SIGN}0.5", "1: 0.25"]
    page.keyboard.press("Escape")
    assert not page.locator("#fig02 .value").is_visible()
