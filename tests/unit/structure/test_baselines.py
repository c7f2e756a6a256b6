"""The lines that figures draw next to curves, for numbers that follow from the task alone."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from repatlas.plots.panels import draw_targets_own
from repatlas.studies.structure.fig06 import draw_inputs_own


def drawn(table, x):
    ax = Figure().subplots()
    return draw_targets_own(ax, table, x), ax.lines


def test_the_targets_own_input_alignment_is_that_of_the_closed_form(results):
    table = pd.read_parquet(results / "structure/tables/fig03.parquet")
    is_drawn, lines = drawn(table, "delta")
    [line] = lines
    delta = np.asarray(line.get_xdata(), float)
    assert is_drawn and list(delta) == [0.0, 0.5, 1.0]
    assert np.asarray(line.get_ydata()) == pytest.approx(delta**2 / np.sqrt(2 + delta**4), abs=1e-6)


def test_the_inputs_own_target_alignment_is_c_wherever_a_network_is():
    ax = Figure().subplots()
    assert draw_inputs_own(ax, pd.DataFrame({"alignment": [0.4, 0.0, 0.2, 0.4]}))
    assert ax.lines[0].get_xydata().tolist() == [[0, 0], [0.2, 0.2], [0.4, 0.4]]
    assert not draw_inputs_own(ax, pd.DataFrame({"alignment": [0.4, 0.4]}))


@pytest.mark.parametrize("measure", ["target_alignment", "input_output_alignment"])
def test_without_it_or_at_one_place_nothing_is_drawn(measure):
    rows = {"measure": [measure], "variant": ["centres"], "delta": [1.0], "value": [0.6]}
    is_drawn, lines = drawn(pd.DataFrame(rows), "delta")
    assert not is_drawn and not lines
