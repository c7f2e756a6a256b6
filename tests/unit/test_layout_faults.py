"""What the layout tests of figures find, on drawings that have one fault each."""

import matplotlib
import numpy as np
import pytest
from layout_faults import faults
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from seen_colours import hardest_to_tell, lab

from repatlas.plots.style import Style, applied, letter, say, settle

STYLE = Style({}, 5.5, 7.0, False)
LINE = np.linspace(0, 1, 50)


def kinds(draw, caption="", size=(5.5, 3), **panels):
    """Return the kinds of faults of a drawing, in the style of all figures."""
    with applied(STYLE):
        figure = Figure(figsize=size)
        axes = figure.subplots(1, **({"ncols": 1} | panels))
        draw(axes)
        assert settle(figure)
        return {fault.kind for fault in faults(figure, caption)}


def plain(ax):
    ax.plot(LINE, LINE, color="#D55E00", label="one")
    ax.plot(LINE, 1 - LINE, "--", color="#0072B2", label="other")
    ax.set(title="Test accuracy", xlabel="Step", ylabel="Share")


def test_a_plain_figure_has_no_fault():
    assert kinds(plain, caption="A caption. " * 40) == set()


def test_a_solid_line_that_white_edges_of_markers_cut():
    def draw(ax):
        ax.plot(LINE, LINE, "o-", color="#D55E00", markeredgecolor="white", label="one")

    assert kinds(draw) == {"dashed"}


def test_a_text_on_a_text():
    def draw(ax):
        plain(ax)
        ax.text(0.5, 0.1, "some words")
        ax.text(0.52, 0.1, "other words")

    assert kinds(draw) == {"text on text"}


def test_a_text_on_a_line():
    assert kinds(lambda ax: (plain(ax), ax.text(0.5, 0.5, "words", ha="center"))) == {
        "text on data"
    }


def test_a_text_that_the_edge_of_the_page_cuts():
    def draw(ax):
        plain(ax)
        ax.get_figure().text(0.98, 0.99, "words beyond the edge", va="top")

    assert "edge" in kinds(draw)


@pytest.mark.parametrize("words", ["Tanh - ReLU", "f(-3)", "U[-1, 1]"])
def test_a_hyphen_in_the_place_of_a_minus(words):
    assert kinds(lambda ax: (plain(ax), ax.set_xlabel(words))) == {"minus"}


def test_small_type():
    assert kinds(lambda ax: (plain(ax), ax.text(0.5, 0.1, "words", size=5.8))) == {"type"}


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("text", ["a sign: \u3042", "a sign: $x^{\u3042}$"])
def test_a_sign_that_no_font_has(text):
    assert kinds(lambda ax: (plain(ax), ax.text(0.5, 0.05, text))) == {"glyph"}


def test_a_legend_on_data():
    assert kinds(lambda ax: (plain(ax), ax.legend(loc="center"))) == {"legend"}
    assert kinds(lambda ax: (plain(ax), ax.legend(loc="upper center"))) == set()


def test_a_band_that_leaves_what_a_measure_can_be():
    def draw(ax):
        plain(ax)
        ax.fill_between(LINE, LINE - 0.1, LINE + 0.1, alpha=0.2)

    assert kinds(draw) == {"range"}


def test_a_row_whose_panels_are_not_of_one_height():
    def draw(axes):
        for ax in axes:
            plain(ax)
        axes[1].set_aspect(0.5)

    assert kinds(draw, ncols=2) == {"rows"}
    assert kinds(lambda axes: [plain(ax) for ax in axes], ncols=2) == set()


@pytest.mark.parametrize(
    ("titles", "found"),
    [
        (("CCGP", "CCGP"), {"limits"}),
        (("CCGP", "Target alignment"), set()),
        (("one network", "another"), set()),
        (("CCGP differs", "CCGP differs"), set()),
    ],
)
def test_panels_of_one_measure_on_scales_of_their_own(titles, found):
    def draw(axes):
        for ax, title, high in zip(axes, titles, (1, 0.8), strict=True):
            ax.plot(LINE, LINE * high, color="black")
            ax.set_title(title)

    assert kinds(draw, ncols=2) == found


def test_a_figure_that_leaves_no_room_for_its_caption():
    assert kinds(plain, caption="word " * 300, size=(5.5, 7.5)) == {"height"}
    assert kinds(plain, caption="word " * 100, size=(5.5, 7.5)) == set()


@pytest.mark.parametrize(
    ("looks", "found"),
    [
        ([{"color": "#D55E00"}, {"color": "#0072B2"}], {"colours"}),  # alike in grey
        ([{"color": "#009E73"}, {"color": "#CC79A7"}], {"colours"}),  # alike without green cones
        ([{"color": "black"}, {"color": "#E69F00"}], set()),
        ([{"color": "#D55E00", "marker": "o"}, {"color": "#0072B2"}], set()),
        ([{"color": "#D55E00", "linewidth": 2.4}, {"color": "#0072B2"}], set()),
        ([{"color": "#D55E00"}, {"color": "#D55E00"}], set()),
        (
            [{"color": "#D55E00", "marker": "o"}, {"color": "#0072B2", "marker": "o", "mfc": "w"}],
            set(),
        ),
        ([{"color": "#D55E00", "marker": "o"}, {"color": "#0072B2", "marker": "o"}], {"colours"}),
    ],
)
def test_lines_that_colour_alone_tells_apart(looks, found):
    def draw(ax):
        for number, look in enumerate(looks):
            ax.plot(LINE, number + LINE**2, **look)

    assert kinds(draw) == found


def test_colours_are_those_of_the_standard():
    assert lab((1, 1, 1)) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab((1, 0, 0)) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    assert lab((0, 0, 1)) == pytest.approx([32.30, 79.19, -107.86], abs=0.05)
    assert hardest_to_tell((0, 0, 0), (1, 1, 1)) == ("deuteranopia", pytest.approx(100, abs=0.1))
    name, difference = hardest_to_tell(to_rgb("#D55E00"), to_rgb("#0072B2"))
    assert name == "grey" and difference == pytest.approx(8, abs=1.5)


def test_a_layout_is_solved_until_it_is_still():
    with applied(STYLE):
        figure = Figure(figsize=(5.5, 3))
        axes = figure.subplots(2, 3)
        for ax in axes.flat:  # boxes whose shape the solver learns in its second round alone
            ax.plot(LINE, LINE)
            ax.set(aspect="equal", title="title", xlabel="label")
        assert settle(figure)
        before = [ax.get_position().bounds for ax in axes.flat]
        figure.set_layout_engine("constrained")
        figure.draw_without_rendering()
        after = [ax.get_position().bounds for ax in axes.flat]
    assert np.abs(np.subtract(after, before)).max() * 5.5 * 72 < 0.2


def test_a_scale_of_logarithms_is_widened_by_its_ratio():
    from repatlas.plots.style import note_under

    with applied(STYLE):
        figure = Figure(figsize=(5.5, 3))
        narrow, wide, linear = figure.subplots(1, 3)
        narrow.set(yscale="log", ylim=(1e-3, 1.001e-3))
        wide.set(yscale="log", ylim=(1e-4, 1e-2))
        linear.set(ylim=(0.5, 0.51))
        note_under(figure, STYLE, "A note.")
    low, high = narrow.get_ylim()
    assert high / low == pytest.approx(1.05)
    assert low * high == pytest.approx(1.001e-6), "about the same middle"
    assert wide.get_ylim() == (1e-4, 1e-2)
    assert linear.get_ylim() == pytest.approx((0.48, 0.53))


def test_words_in_a_narrow_panel_are_broken_into_lines_that_fit():
    with applied(STYLE):
        figure = Figure(figsize=(5.5, 2))
        axes = figure.subplots(1, 6)
        for ax in axes:
            say(ax, "No pair of networks that learned their images")
        settle(figure)
        assert faults(figure) == []
        [text] = axes[0].texts
        assert text.get_window_extent().width <= axes[0].bbox.width


def test_the_letter_of_a_panel_is_off_the_edge():
    with applied(STYLE):
        figure = Figure(figsize=(5.5, 2))
        letter(figure.subfigures(1, 1), "A")
        settle(figure)
        assert faults(figure) == []
    assert matplotlib.rcParams["figure.constrained_layout.use"] is False
