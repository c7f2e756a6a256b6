"""The panels of the law show every function."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

from repatlas.config.config import COLOURS
from repatlas.plots.style import Style
from repatlas.studies.law.fig01 import _draw_dots


@pytest.mark.parametrize(
    ("measure", "smallest", "least"), [("parallelism", -0.4, -0.45), ("ccgp", 0.01, 0.0)]
)
def test_axes_hold_negative_parallelism_scores_and_no_negative_shares(measure, smallest, least):
    about = {"measure": measure, "functions": "drawn", "delta": 0.0, "predicted": 0.5}
    dots = pd.DataFrame([about | {"value": value} for value in (smallest, 0.8)])
    ax = Figure().subplots()
    _draw_dots(ax, dots, measure, Style(COLOURS, 5.5, 7, False), "", large=True)
    assert ax.get_xlim()[0] == ax.get_ylim()[0] == pytest.approx(least)
