"""What counts against the budget of a figure, on drawings of one kind each."""

import numpy as np
from budget import (
    budget_of,
    constant_panels,
    markers_of_another_activation,
    over_budget,
    panels_without_chance,
)
from matplotlib.figure import Figure

from repatlas.config.config import COLOURS
from repatlas.plots.style import Style, applied, settle

LINE = np.linspace(0, 1, 50)


def budget(draw):
    with applied(Style({}, 5.5, 7.0, False)):
        figure = Figure(figsize=(5.5, 4))
        draw(figure)
        settle(figure)
        return budget_of(figure)


def curves(ax, number=1):
    for each in range(number):
        ax.plot(LINE, LINE * (each + 1), color=f"C{each}")


def test_a_figure_of_one_panel_keeps_the_budget():
    found = budget(lambda figure: curves(figure.subplots(), 4))
    assert found[:2] == (1, 4) and found.share > 0.9
    assert over_budget(found) == set()


def test_a_fifth_line_and_a_seventh_panel_are_too_many():
    assert over_budget(budget(lambda figure: curves(figure.subplots(), 5))) == {"lines"}
    seven = budget(lambda figure: [curves(ax) for ax in figure.subplots(1, 7)])
    assert over_budget(seven) == {"panels", "share"}


def panel(title, values, chance=None, name=""):
    figure = Figure()
    ax = figure.subplots()
    ax.set_title(title)
    for each in values:
        ax.plot(LINE, np.full(len(LINE), each) if np.isscalar(each) else each)
    if chance is not None:
        ax.axhline(chance, color="0.7", linewidth=0.6, label=name)
        ax.legend()
    return figure


def test_a_panel_of_decoders_needs_a_line_at_chance_with_its_name():
    assert panels_without_chance(panel("CCGP", [LINE], 0.5, "chance")) == []
    assert panels_without_chance(panel("CCGP", [LINE], 0.5, "half")) == ["CCGP"]
    assert panels_without_chance(panel("CCGP", [LINE], 0.4, "chance")) == ["CCGP"]
    assert panels_without_chance(panel("Parallelism score", [LINE])) == []


def test_a_panel_of_one_constant_is_found():
    assert constant_panels(panel("CCGP", [1.0, 1.0])) == ["CCGP"]
    assert constant_panels(panel("CCGP", [1.0, 0.9])) == []
    assert constant_panels(panel("CCGP", [1.0, LINE])) == []


def test_markers_in_the_colour_of_an_activation_are_its_own():
    def found(activation, **look):
        figure = Figure()
        figure.subplots().plot(LINE, LINE, color=COLOURS[activation], markersize=3, **look)
        return [found[0] for found in markers_of_another_activation(figure)]

    assert found("tanh", marker="o") == found("relu", marker="s", markerfacecolor="white") == []
    assert found("relu", marker="s") == found("relu", marker="o") == ["relu"]
    assert found("tanh", marker="s") == found("tanh", marker="o", fillstyle="none") == ["tanh"]
