"""What own figures say of units, variables and pairs, from their tables alone."""

import numpy as np
import pandas as pd
from said_and_shown import texts_of

from repatlas.own.similarities import TITLES
from repatlas.plots.along import draw_along
from repatlas.plots.pair_matrix import draw_pairs
from repatlas.plots.points import draw_points
from repatlas.plots.style import Style

STYLE = Style({}, 7.0, 7.0, False)
COMMON = {"representation": "net", "label": "", "line": "", "chance": 0.5, "reason": None}


def values_of_units(values):
    """Return the table of seven units at two epochs, (2, 7) values, with their medians."""
    places = [{"place": f"{10 * n}", "order": n} for n in range(len(values))]
    common = COMMON | {"measure": "parallelism", "about": "side", "low": np.nan, "high": np.nan}
    rows = [
        common | place | {"unit": f"{unit}", "value": value, "n": 24, "of": "items"}
        for place, of_place in zip(places, values, strict=True)
        for unit, value in enumerate(of_place)
    ]
    rows += [
        common | place | {"unit": None, "of": "units", "n": int(np.isfinite(of).sum())}
        | {"value": np.nanmedian(of), "low": np.nanmin(of), "high": np.nanmax(of)}
        for place, of in zip(places, values, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_median_stands_only_where_every_unit_has_a_value():
    """Units that lack a value were left out by a test for noise, so the others are chosen."""
    values = np.full((2, 7), 0.9)
    values[0, 1:] = np.nan
    figure = draw_along(values_of_units(values), STYLE, "Epoch")
    [marked] = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert np.isnan(marked.get_ydata()).tolist() == [True, False]
    assert any("No marker where a unit has no value." in text for text in texts_of(figure))
    whole = draw_along(values_of_units(np.full((2, 7), 0.9)), STYLE, "Epoch")
    [note] = [text for text in texts_of(whole) if text.startswith("Hairlines")]
    assert "median over 7 units with its 95 % interval" in note and "No marker" not in note


def test_points_have_the_names_of_variables_in_the_order_of_the_config():
    conditions = ["1 · 0", "1 · 1", "0 · 0", "0 · 1"]
    common = COMMON | {"order": 0, "unit": None}
    rows = [
        common | {"measure": "geometry", "about": name, "cluster": n, "neuron": axis, "value": n}
        for n, name in enumerate(conditions)
        for axis in range(2)
    ]
    rows += [common | {"measure": "explained", "about": "size · colour", "neuron": 0, "value": 1.0}]
    table = pd.DataFrame(rows).sort_values("about", ignore_index=True)
    figure = draw_points(table, STYLE)
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said == ["size 1", "size 0", "colour 0", "colour 1"]
    assert any("solid: size" in text for text in texts_of(figure))


def pairs_of(names, measures):
    common = {"other_order": 1, "chance": 0.1, "p_family": 0.01, "n": 24, "of": "items"}
    common |= {"low": 0.4, "high": 0.6, "value": 0.5, "unit": None, "reason": None}
    common |= {"order": 0, "label": "", "other_label": ""}
    a, b = names
    both = {"representation": a, "other_representation": b}
    return pd.DataFrame([common | both | {"measure": measure} for measure in measures])


def test_one_pair_is_a_small_picture_with_the_names_of_both():
    figure = draw_pairs(pairs_of(("V4", "IT"), ["alignment", "procrustes"]), STYLE, TITLES)
    [ax] = figure.axes
    assert ax.get_title() == "V4\nand IT" and figure.get_figheight() < 2
    assert [text.get_text() for text in ax.get_yticklabels()] == ["Alignment", "Procrustes"]
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == [0.5, 0.5]
