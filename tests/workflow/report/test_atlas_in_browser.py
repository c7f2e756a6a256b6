"""The published page of the atlas, in a browser without network."""

import json
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/atlas.html"


@pytest.fixture(scope="module")
def data():
    return json.loads(re.search(r"^const data = (.*);$", PAGE.read_text("utf-8"), re.M)[1])


@pytest.fixture
def visit(open_page):
    return open_page(PAGE)


def choose(page, activation, delta, noise):
    """Set places in the lists of values, with the controls of the page."""
    page.locator("#activation input").nth(activation).check()
    for name, place in ("delta", delta), ("noise", noise):
        page.locator(f"#{name}").fill(str(place))


def marks(page):
    return page.locator("#layer circle, #layer rect").evaluate_all(
        "all => all.map(one => one.outerHTML)"
    )


def test_a_reader_sets_values_and_sees_their_numbers(visit, data):
    page = visit.page
    choose(page, 1, 2, 7)
    median, low, high = data["cells"][1][2][7]["found"][0]
    cell = page.locator("#values tbody tr").first.locator("td").nth(1)
    assert cell.inner_text() == f"{median:.3f} ({low:.3f} to {high:.3f})"
    title = page.locator("#layer-title").inner_text()
    assert title == "Hidden layer of ReLU networks"
    for name, place in ("delta", 2), ("noise", 7):
        shown = page.locator(f"#{name} + output").inner_text()
        assert float(shown) == data[f"{name}s"][place]


def test_the_hidden_layer_changes_with_each_control(visit, data):
    page = visit.page
    seen = []
    for choice in (0, 0, 0), (1, 0, 0), (1, 5, 0), (1, 5, 8):
        choose(page, *choice)
        seen.append(marks(page))
        networks = len(data["cells"][choice[0]][choice[1]][choice[2]]["each"])
        assert len(seen[-1]) == 4 * (networks + 1)
    assert len({str(one) for one in seen}) == 4


def test_a_picture_turns_with_the_pointer_and_with_the_keys(visit):
    page = visit.page
    start = marks(page)
    box = page.locator("#layer").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    page.mouse.up()
    dragged = marks(page)
    page.mouse.move(x - 60, y, steps=3)
    assert start != dragged == marks(page)
    page.locator("#layer").press("ArrowUp")
    assert dragged != marks(page)


def test_the_address_brings_a_reader_back(visit, open_page):
    choose(visit.page, 1, 3, 2)
    address = visit.page.evaluate("location.hash")
    other = open_page(PAGE).page
    other.evaluate("address => { location.hash = address; }", address)
    other.wait_for_function("document.querySelector('#delta').value === '3'")
    assert marks(other) == marks(visit.page)


def test_a_curve_passes_through_its_marker(visit, data):
    """Colours and shapes are the colours and shapes of all figures: orange circles for tanh, blue
    open squares for ReLU."""
    choose(visit.page, 0, 4, 4)
    curve = visit.page.locator("#delta-curves svg").first
    circle, square = curve.locator("circle"), curve.locator("rect")
    assert circle.get_attribute("fill") == data["activations"][0]["colour"]
    assert square.get_attribute("fill") == "#fff"
    assert square.get_attribute("stroke") == data["activations"][1]["colour"]
    at = f"{circle.get_attribute('cx')},{circle.get_attribute('cy')}"
    lines = curve.locator("path[fill=none]").evaluate_all("all => all.map(one => one.outerHTML)")
    assert at in lines[0] and at not in lines[1]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_asks_for_nothing_and_complains_of_nothing(open_page, width):
    visit = open_page(PAGE, {"width": width, "height": 800})
    choose(visit.page, 1, 10, 9)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert not visit.complaints and not visit.asked_for
