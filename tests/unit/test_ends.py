"""Names at the ends of lines, instead of a legend."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from repatlas.plots.marks import name_ends
from repatlas.plots.style import settle, without_overlap

HEIGHTS = st.lists(st.floats(0, 100), min_size=1, max_size=6)


@given(HEIGHTS)
def test_names_do_not_overlap_and_stay_in_the_order_of_their_lines(heights):
    heights = np.array(heights)
    placed = without_overlap(heights, np.full(len(heights), 7.0))
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= 7 - 1e-9).all()
    assert placed.mean() == pytest.approx(heights.mean())


def test_names_with_room_stay_at_their_lines():
    heights = np.array([50.0, 0.0, 20.0])
    assert without_overlap(heights, np.full(3, 7.0)).tolist() == heights.tolist()


def test_two_lines_that_end_at_one_place_have_names_above_one_another_in_their_colours():
    figure = Figure(figsize=(3, 2), layout="constrained")
    ax = figure.subplots()
    lines = {name: ax.plot([0, 1], [start, 1])[0] for name, start in (("one", 0), ("two", 0.5))}
    name_ends(ax, lines)
    assert settle(figure)
    names = [text for text in ax.texts if text.get_text()]
    boxes = {text.get_text(): text.get_window_extent() for text in names}
    low, high = sorted(boxes.values(), key=lambda box: box.y0)
    assert high.y0 >= low.y1 - 1e-6
    assert min(box.x0 for box in boxes.values()) > ax.transData.transform((1, 1))[0]
    assert max(box.x1 for box in boxes.values()) <= figure.bbox.x1
    assert [text.get_color() for text in names] == [line.get_color() for line in lines.values()]


def test_a_line_without_a_number_has_no_name():
    ax = Figure().subplots()
    name_ends(ax, {"none": ax.plot([0, 1], [np.nan, np.nan])[0]})
    assert len(ax.texts) == 0
