"""Every text of a figure has true minus signs, whichever numbers its data give, and a note keeps a
number and its % on one line."""

from matplotlib.figure import Figure

from repatlas.plots.minus import true_minus
from repatlas.plots.style import Style, note_under


def test_what_is_subtracted_has_a_minus_before_it():
    assert true_minus("up to 7 (items - 1)") == "up to 7 (items \N{MINUS SIGN} 1)"
    assert true_minus("one - or two") == "one - or two"


def test_a_hyphen_between_words_stays():
    assert true_minus("half-matched, -0.5 to -.2 (inter-selective)") == (
        "half-matched, \N{MINUS SIGN}0.5 to \N{MINUS SIGN}.2 (inter-selective)"
    )


def test_labels_titles_and_notes_of_a_figure_have_minus_signs():
    figure = Figure()
    ax = figure.subplots()
    ax.set_xlabel("SD / mean: -21.02 (two outputs)")
    ax.set_title("Difference -1")
    ax.text(0.5, 0.5, "-2")
    note_under(figure, Style({}, 5.5, 7.0, False, None), "Slope -3.")
    assert ax.get_xlabel() == "SD / mean: \N{MINUS SIGN}21.02 (two outputs)"
    assert ax.get_title() == "Difference \N{MINUS SIGN}1"
    assert ax.texts[0].get_text() == "\N{MINUS SIGN}2"
    assert figure.get_label() == "Slope \N{MINUS SIGN}3."


def test_no_line_of_a_note_begins_with_a_percent_sign():
    for width in range(2, 8):
        figure = Figure()
        note_under(figure, Style({}, width, 7.0, False, None), "Medians with 95 % intervals. " * 20)
        lines = figure.get_supxlabel().splitlines()
        assert len(lines) > 2
        assert not any(line.startswith("%") for line in lines)
