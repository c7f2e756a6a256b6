"""Every figure of the study has the layout of a page. The figures are drawn from trained networks:
all of them, one activation, one seed in a preview with the smallest allowed width, and with one
network that diverged."""

from functools import cache

import pytest
from budget import (
    constant_panels,
    markers_of_another_activation,
    over_budget_beside_the_exceptions,
    panels_without_chance,
    words_of_a_legend,
)
from claimed_panels import claims_without_panel
from drawn_pages import LEAST_WIDTH, caption_of
from layout_faults import faults
from test_drawn_texts import (
    FIGURES,
    as_trained,
    draw,
    no_tanh,
    one_diverged,
    one_network,
    trained,  # noqa: F401
)

from repatlas.plots.style import settle

pytestmark = pytest.mark.slow
CASES = [(name, as_trained, {}) for name in FIGURES]
CASES += [(name, one_diverged, {}) for name in FIGURES]
CASES += [(name, no_tanh, {}) for name in ("fig06",)]
CASES += [(name, one_network, {"preview": True, "width": LEAST_WIDTH}) for name in FIGURES]


@pytest.fixture(scope="module")
def settled(trained):  # noqa: F811
    """Return a figure on its page, and whether it came to rest. All tests share one drawing."""

    @cache
    def settled(name):
        figure, _ = draw(*trained[name], name, as_trained)
        return figure, settle(figure)

    return settled


@pytest.fixture
def page(settled):
    return lambda name: settled(name)[0]


@pytest.mark.parametrize(
    ("name", "of", "style"),
    [pytest.param(*each, id=f"{each[0]}-{each[1].__name__}") for each in CASES],
)
def test_a_figure_fits_its_page(trained, settled, name, of, style):  # noqa: F811
    if of is as_trained:
        figure, is_still = settled(name)
    else:
        figure, _ = draw(*trained[name], name, of, **style)
        is_still = settle(figure)
    assert is_still
    assert faults(figure, caption_of("structure", name)) == []


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_keeps_the_budget_or_is_a_known_exception(page, name):
    assert over_budget_beside_the_exceptions("structure", name, page(name)) == set()


@pytest.mark.parametrize("name", FIGURES)
def test_claims_name_panels_that_their_figure_has(page, name):
    assert claims_without_panel("structure", name, page(name)) == {}


@pytest.mark.parametrize("name", FIGURES)
def test_the_line_under_a_figure_is_no_legend(page, name):
    assert words_of_a_legend(page(name)) == []


@pytest.mark.parametrize("name", FIGURES)
def test_chance_is_drawn_and_named_and_no_panel_is_constant(page, name):
    assert panels_without_chance(page(name)) == []
    # In figure 10 no neuron of these small networks changes its region.
    assert constant_panels(page(name)) == [] or name == "fig10"


@pytest.mark.parametrize("name", FIGURES)
def test_tanh_has_filled_circles_and_relu_open_squares(page, name):
    assert markers_of_another_activation(page(name)) == []
