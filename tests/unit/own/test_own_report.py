"""A page of your own representations: one file with every number, every reason, every plot."""

import re
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest

from repatlas.own import compare, measure, report

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
SIDE, PLACE = np.tile(["left", "right"], 30), np.repeat(["a", "b"], 30)
CODES = np.column_stack([SIDE == "right", PLACE == "b"])
LAYERS = {
    name: CODES @ RNG.standard_normal((2, 10)) + RNG.standard_normal((60, 10))
    for name in ("conv1", "<fc & out>")
}
LABELS = {"side": SIDE, "place": PLACE}
MEASURES = ["alignment", "decoding", "parallelism"]


class Page(HTMLParser):
    """The tables of a page, what it loads, and whether its tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.loaded, self.open, self.headings = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.loaded += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += text
        if self.open and self.open[-1] in ("h1", "h2", "title"):
            self.headings.append(text)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "page.html"
    made = report(LAYERS, LABELS, "trials", path, "My <layers>", measures=MEASURES, draws=19)
    assert made == path
    return path.read_text(encoding="utf-8")


def test_it_has_each_number_of_each_layer_with_its_reason(page):
    rows = Page(page).rows
    for layer in LAYERS.values():
        for row in measure(layer, LABELS, "trials", None, MEASURES, draws=19).itertuples():
            values = (row.value, row.low, row.high, row.chance, row.p, row.p_geometry)
            said = ["" if np.isnan(value) else f"{value:.3g}" for value in values]
            expected = [row.measure, row.about, *said, str(row.n), row.of, row.how, row.reason]
            assert expected in rows


def test_it_has_the_similarity_of_each_pair(page):
    [row] = compare(LAYERS, None, draws=19).itertuples()
    values = (row.value, row.low, row.high, row.chance, row.p_family)
    assert ["conv1", "<fc & out>", *(f"{value:.3g}" for value in values), "60", ""] in (
        Page(page).rows
    )


def test_names_that_look_like_tags_stay_text(page):
    found = Page(page)
    assert found.open == []
    assert found.headings[:2] == ["My <layers>", "My <layers>"]
    assert "<fc & out>" in found.headings


def test_it_loads_nothing_from_elsewhere(page):
    loaded = Page(page).loaded
    assert len(loaded) == 4  # all layers, both layers, pairs
    assert all(each.startswith("data:image/png;base64,") for each in loaded)
    assert not re.search(r"https?://|@import|<script|<link", page)


def test_its_figures_are_closed(tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    report(LAYERS, LABELS, "trials", tmp_path / "mine.html", measures=["decoding"], draws=2)
    assert plt.get_fignums() == before


def test_a_single_array_needs_no_name_and_blocks_are_kept(tmp_path):
    run = np.tile(np.repeat(np.arange(6), 5), 2)
    text = report(
        LAYERS["conv1"], LABELS, "trials", tmp_path / "one.html", measures=["decoding"], draws=9,
        blocks=run,
    ).read_text()  # fmt: skip
    assert "Rows of one block were kept together" in text
    assert "folds of blocks" in text
    assert "Similarity of layers" not in text


REFUSED = {
    "no layers": (lambda path: report({}, LABELS, "trials", path), "layers is empty"),
    "another type of file": (
        lambda path: report(LAYERS, LABELS, "trials", path.with_suffix(".pdf")),
        "path is '",
    ),
    "a folder that is not there": (
        lambda path: report(LAYERS, LABELS, "trials", path.parent / "none" / "page.html"),
        "path is '",
    ),
    "an option of no measure": (
        lambda path: report(LAYERS, LABELS, "trials", path, measures=["cka"]),
        "measures has 'cka'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_before_anything_is_written(tmp_path, case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(tmp_path / "page.html")
    assert str(refused.value).startswith(sentence)
    assert list(tmp_path.iterdir()) == []
