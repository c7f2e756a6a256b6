"""Every figure of the study as a page wants it, from networks that were trained: of all of them, of
one activation, of one seed in a preview that is as narrow as a config allows, and where one
network diverged."""

import pytest
from layout_faults import LEAST_WIDTH, caption_of, faults
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
CAPTIONS = {"figS5": "fig05"}
"""Of figures that a module of another name draws."""
KNOWN = {}
"""Figures that are not right yet, by name and what is drawn, and why."""
CASES = [(name, of, {}) for name in FIGURES for of in (as_trained, one_diverged)]
CASES += [(name, no_tanh, {}) for name in ("fig01", "fig06", "fig08", "figS4")]
CASES += [(name, one_network, {"preview": True, "width": LEAST_WIDTH}) for name in FIGURES]


def case(name, of, style):
    reason = KNOWN.get(name) or KNOWN.get((name, of.__name__))
    marks = pytest.mark.xfail(reason=reason, strict=False) if reason else ()
    return pytest.param(name, of, style, id=f"{name}-{of.__name__}", marks=marks)


@pytest.mark.parametrize(("name", "of", "style"), [case(*each) for each in CASES])
def test_a_figure_fits_its_page(trained, name, of, style):  # noqa: F811
    figure, _ = draw(*trained[name], name, of, **style)
    assert settle(figure)
    assert faults(figure, caption_of("structure", CAPTIONS.get(name, name))) == []
