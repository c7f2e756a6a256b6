"""Figures along an axis: where the names of its places stand."""

import numpy as np
import pandas as pd

from repatlas.plots.along import draw_along
from repatlas.plots.representations import CUT
from repatlas.plots.style import Style


def test_names_of_layers_stand_under_the_lowest_panels_alone_and_long_ones_are_cut():
    layers = ["features.0", "encoder.layers.encoder_layer_11.mlp.0"]
    rows = [
        {"measure": "ccgp", "about": f"variable {n}", "place": layer, "order": order, "value": 0.6}
        for n in range(6)
        for order, layer in enumerate(layers)
    ]
    table = pd.DataFrame(rows).assign(
        representation="network", line="", unit=None, low=np.nan, high=np.nan
    )
    table = table.assign(chance=0.5, reason=None, n=24, of="items")
    figure = draw_along(table, Style({}, 7.0, 7.0, False), "layer")
    named = [ax.xaxis.get_tick_params()["labelbottom"] for ax in figure.axes[:6]]
    assert named == [False, False, True, True, True, True]
    names = [text.get_text() for text in figure.axes[5].get_xticklabels()]
    assert names[0] == layers[0]
    assert len(names[1]) == CUT and names[1].startswith("…") and names[1].endswith("mlp.0")


def test_a_single_panel_takes_the_whole_width():
    row = {"measure": "ccgp", "about": "side", "place": "fc", "order": 0, "value": 0.6}
    row |= {"representation": "network", "line": "", "unit": None, "low": np.nan, "high": np.nan}
    table = pd.DataFrame([row | {"chance": 0.5, "reason": None, "n": 24, "of": "items"}])
    figure = draw_along(table, Style({}, 7.0, 7.0, False), "layer")
    figure.draw_without_rendering()
    assert figure.axes[0].get_position().width > 0.7
