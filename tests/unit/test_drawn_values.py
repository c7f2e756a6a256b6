"""The values of a drawn figure that a page shows at the pointer."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from repatlas.plots.drawn_values import drawn_values

X = [0.0, 0.5, 1.0]


@pytest.fixture
def ax():
    figure = Figure(figsize=(4, 2))
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0.25, 0.5, 0.5, 0.25))
    ax.set(title="Target alignment", xlabel=r"Separability $\delta$", xlim=(0, 1), ylim=(0, 1))
    return ax


def only(ax):
    [line] = drawn_values(ax.figure)
    return line


def test_a_line_has_the_words_of_its_panel_and_the_places_of_its_values(ax):
    ax.plot(X, [0.0, 0.25, 1.0], label="Tanh")
    line = only(ax)
    assert (line["panel"], line["name"]) == ("Target alignment", "Tanh")
    assert line["axes"] == ["Separability δ"]
    assert line["places"] == [
        [0.25, 0.5, ["0"], 0.0],
        [0.5, 0.4375, ["0.5"], 0.25],
        [0.75, 0.25, ["1"], 1.0],
    ]


def ends_of(line):
    return [tuple(place[4:]) for place in line["places"]]


def test_a_value_has_the_ends_of_the_bar_or_band_in_its_colour(ax):
    low, high = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.4, 0.5])
    ax.plot(X, [0.2, 0.3, 0.4], color="C0", label="band")
    ax.fill_between(X, low, high, color="C0", alpha=0.2)
    ax.errorbar(X, [0.7, 0.8, 0.9], 0.05, color="C1", label="bars")
    ax.plot(X, [0.25, 0.25, 0.35], color="C2", label="another colour")
    found = {line["name"]: ends_of(line) for line in drawn_values(ax.figure)}
    assert found["band"] == [(0.1, 0.3), (0.2, 0.4), (0.3, 0.5)]
    assert found["bars"] == [(0.65, 0.75), (0.75, 0.85), (0.85, 0.95)]
    assert found["another colour"] == [(), (), ()]


def test_guides_and_single_networks_have_no_values(ax):
    ax.plot(X, X)
    ax.plot(X, X, linewidth=0.4, label="one of many networks")
    ax.axhline(0.5, label="chance")
    ax.plot([2.0], [0.5], "o", label="beyond the panel")
    assert drawn_values(ax.figure) == []


def test_a_cell_of_a_map_has_both_positions(ax):
    ax.pcolormesh([[0.1, np.nan]], label="Tanh: CCGP")
    ax.set(xlim=(0, 2), ylabel="Variance")
    ax.xaxis.set_major_formatter(lambda x, _: f"cell {int(x)}")
    ax.set_yticks([0.5], ["4"])
    assert only(ax)["axes"] == ["Separability δ", "Variance"]
    assert only(ax)["places"] == [[0.375, 0.375, ["cell 0", "4"], 0.1]]


def test_a_position_has_the_name_that_the_axis_gives_it(ax):
    ax.plot([0, 0.5, 1], [0.5, 0.5, 0.5], "o", label="median")
    ax.set_xticks([0, 0.5, 1], ["c1", "", "$f_2$"])
    assert [place[2] for place in only(ax)["places"]] == [["c1"], ["0.5"], ["f_2"]]
