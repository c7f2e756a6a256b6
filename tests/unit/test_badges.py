"""Contradicted claims on the picture of a figure, at the panels that show them."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image, ImageColor
from selections import some

from repatlas.claims.ledger import Claim
from repatlas.plots.forest import AGAINST
from repatlas.plots.style import letter, places_of_letters
from repatlas.report.badges import badges, with_badges
from repatlas.report.rows import MARKS, Row

PANELS = {"A": [[0.1, 0.05]], "B": [[0.6, 0.5]], "D": [[0.1, 0.05]]}
WIDTH, HEIGHT = 1000, 800


def row(name, panels, verdict="contradicted"):
    about = {"id": name, "claim": f"Claim {name}.", "by": "paper", "where": "", "figure": "fig02"}
    about |= {"statistic": "", "contradicted_by": "", "settings": [], "checks": []}
    claim = Claim.model_validate(about | {"panels": panels})
    return Row(0, claim, verdict, verdict, verdict, None, None, None, 0, [], None, "")


def places(found):
    return {(badge.x, badge.y): [each.about.id for each in badge.rows] for badge in found}


def test_a_contradicted_claim_is_at_each_panel_that_shows_it():
    found = badges(PANELS, [row("1", ["A", "B"]), row("2b", ["B"])])
    assert places(found) == {(0.1, 0.05): ["1"], (0.6, 0.5): ["1", "2b"]}


@pytest.mark.parametrize("verdict", sorted(set(MARKS) - {"contradicted"}))
def test_no_other_verdict_has_a_badge(verdict):
    assert badges(PANELS, [row("1", ["A"], verdict), row("2", [], verdict)]) == []


def test_a_figure_without_letters_has_them_where_its_letter_would_be():
    [badge] = badges({}, [row("1", []), row("2", [])])
    assert max(badge.x, badge.y) < 0.02
    assert [each.about.id for each in badge.rows] == ["1", "2"]


def test_a_claim_that_no_panel_shows_has_none():
    assert badges(PANELS, [row("1", [])]) == []


def test_a_panel_that_this_drawing_lacks_has_none():
    assert places(badges(PANELS, [row("1", ["A", "E"])])) == {(0.1, 0.05): ["1"]}
    assert badges(PANELS, [row("1", ["E"])]) == []


def inked(marked):
    """Return the first and last column and row of pixels in the colour of badges."""
    pixels = np.asarray(marked.convert("RGB")).astype(int)
    near = np.abs(pixels - ImageColor.getrgb(AGAINST)).max(axis=2) < 8
    across, down = (np.flatnonzero(near.any(axis=axis)) for axis in (0, 1))
    return across[[0, -1]], down[[0, -1]]


def test_the_badge_is_drawn_right_of_the_letter_and_nowhere_else():
    blank = Image.new("RGB", (WIDTH, HEIGHT), "white")
    marked = with_badges(blank, badges(PANELS, [row("12", ["B"])]))
    across, down = inked(marked)
    assert 0.6 * WIDTH <= across[0] < 0.61 * WIDTH
    assert across[1] < 0.65 * WIDTH
    assert down.mean() == pytest.approx(0.5 * HEIGHT, abs=2)
    assert np.ptp(down) < 0.03 * WIDTH
    assert np.asarray(blank).min() == 255, "the picture itself is as it was"


def test_two_claims_of_a_panel_stand_side_by_side_after_one_cross():
    blank = Image.new("RGB", (WIDTH, HEIGHT), "white")
    one, two = (
        inked(with_badges(blank, badges(PANELS, [row(name, ["A"]) for name in names])))
        for names in (["1"], ["1", "2"])
    )
    assert two[0][0] == one[0][0]
    assert 1.3 * np.ptp(one[0]) < np.ptp(two[0]) < 2 * np.ptp(one[0])
    assert some(one[1] == two[1]).all()


def test_a_picture_without_badges_is_as_it_was():
    blank = Image.new("RGB", (WIDTH, HEIGHT), "white")
    assert with_badges(blank, []).tobytes() == blank.tobytes()


@pytest.fixture
def lettered():
    """Two panels, the lower with the letters of two."""
    figure = Figure(figsize=(4, 3), dpi=100)
    FigureCanvasAgg(figure)
    for part, text in zip(figure.subfigures(2, 1), ("A", "B, E"), strict=True):
        letter(part, text)
    return figure


def test_a_figure_says_where_its_letters_end(lettered):
    found = places_of_letters(lettered)
    assert list(found) == ["A", "B", "E"] and found["B"] == found["E"]
    lettered.canvas.draw()
    dark = np.asarray(lettered.canvas.buffer_rgba())[..., :3].min(axis=2) < 128
    height, width = dark.shape
    for name, top in (("A", 0), ("B", height // 2)):
        [(x, y)] = found[name]
        columns, rows = (np.flatnonzero(dark[top : top + height // 2].any(axis=a)) for a in (0, 1))
        assert x * width == pytest.approx(columns[-1] + 1, abs=2)
        assert y * height == pytest.approx(top + rows[[0, -1]].mean(), abs=2)
