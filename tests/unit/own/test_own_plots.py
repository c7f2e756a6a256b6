"""Plots of results on matplotlib axes."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

from repatlas.own import compare, measure, plot_layers, plot_nulls, plot_pairs

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def layers():
    rng = np.random.default_rng(0)
    side, place = np.tile(["left", "right"], 40), np.repeat(["a", "b"], 40)
    codes = np.column_stack([side == "right", place == "b"])
    return {
        f"layer {number}": (
            (1 + number) * codes @ rng.standard_normal((2, 12)) + rng.standard_normal((80, 12))
        )
        for number in range(3)
    }, {"side": side, "place": place}


@pytest.fixture(scope="module")
def found(layers):
    arrays, labels = layers
    names = ["decoding", "parallelism", "dimensionality"]
    return {
        name: measure(of, labels, "trials", None, names, draws=19) for name, of in arrays.items()
    }


@pytest.fixture(scope="module")
def pairs(layers):
    return compare(layers[0], None, ["alignment", "procrustes"], draws=19)


def marked(ax):
    """Return the values at markers."""
    [line] = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata()) > 1]
    return line.get_ydata()


def test_each_panel_has_the_values_of_its_measure_in_the_order_of_layers(found):
    axes = plot_layers(found)
    titles = [ax.get_title() for ax in axes]
    assert titles == [
        "Decoding\nside", "Decoding\nplace", "Parallelism score\nside", "Parallelism score\nplace",
        "Dimensionality",
    ]  # fmt: skip
    expected = [table.query("measure == 'parallelism' and about == 'side'").value.item()
                for table in found.values()]  # fmt: skip
    assert marked(axes[2]) == pytest.approx(expected)
    assert [text.get_text() for text in axes[2].get_xticklabels()] == [*found]
    assert axes[2].get_xlabel() == "Layer"


def test_the_axes_and_the_session_stay_as_matplotlib_has_them(found):
    before = dict(matplotlib.rcParams)
    axes = plot_layers(found)
    assert dict(matplotlib.rcParams) == before
    assert not axes[0].spines["top"].get_visible()


def test_units_are_hairlines_around_their_median_with_its_interval(found):
    table = pd.concat(
        [
            of.assign(layer=name, unit=unit, value=of.value + unit, chance=np.nan)
            for name, of in found.items()
            for unit in range(7)
        ]
    )
    ax = plot_layers(table)[0]
    one = [of.query("about == 'side'").value.iloc[0] for of in found.values()]
    assert marked(ax) == pytest.approx(np.array(one) + 3)
    assert len(ax.lines) - 1 >= 7
    ends = [bar[:, 1] for bar in ax.collections[0].get_segments()]
    assert np.array(ends) == pytest.approx(np.array([one, np.add(one, 6)]).T)


def test_a_measure_without_values_says_why(found):
    table = found["layer 0"].assign(value=np.nan, reason="6 conditions, 8 or more needed")
    ax = plot_layers({"layer 0": table})[0]
    assert ax.texts[0].get_text() == "6 conditions, 8 or more\nneeded"


def test_a_matrix_has_each_pair_on_both_sides_in_the_order_of_the_user(pairs):
    axes = plot_pairs(pairs)
    assert [ax.get_title() for ax in axes] == ["Alignment", "Procrustes"]
    for ax, measure_of in zip(axes, ["alignment", "procrustes"], strict=True):
        shown = np.array(ax.collections[0].get_array().filled(np.nan))
        names = [text.get_text() for text in ax.get_yticklabels()]
        assert names == [text.get_text() for text in ax.get_xticklabels()]
        assert names == ["layer 0", "layer 1", "layer 2"]
        for row in pairs[pairs.measure == measure_of].itertuples():
            i, j = names.index(row.a), names.index(row.b)
            assert shown[i, j] == shown[j, i] == pytest.approx(row.value)
        assert np.isnan(shown.diagonal()).all()


def test_a_pair_that_is_not_sure_has_a_cross(layers, pairs):
    unsure = pairs.assign(p_family=[0.5, 0.01, 0.01] * 2)
    ax = plot_pairs(unsure)[0]
    [crosses] = [line for line in ax.lines if line.get_marker() == "x"]
    assert sorted(map(tuple, crosses.get_xydata())) == [(0.5, 1.5), (1.5, 0.5)]


def test_two_sets_are_a_matrix_of_rows_and_columns(layers):
    arrays = layers[0]
    ax = plot_pairs(compare(arrays, {"x": arrays["layer 0"], "y": arrays["layer 1"]}, draws=2))[0]
    assert ax.collections[0].get_array().shape == (3, 2)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["x", "y"]


def test_nulls_are_beside_their_values(found):
    axes = plot_nulls(found["layer 2"])
    assert [ax.get_title() for ax in axes] == ["Decoding", "Parallelism score"]
    assert [len(ax.collections) for ax in axes] == [2, 4 + 2]  # parallelism has intervals
    dots = [line.get_ydata()[0] for line in axes[0].lines if line.get_marker() == "o"]
    expected = found["layer 2"].query("measure == 'decoding'").value
    assert dots == pytest.approx(expected.tolist())
    medians = [line.get_ydata()[0] for line in axes[0].lines if len(line.get_xdata()) == 2][:2]
    for each, median in zip(found["layer 2"].attrs["nulls"], medians, strict=False):
        assert median == pytest.approx(np.median(each["draws"]))
        assert len(each["draws"]) == 19


def test_the_draws_go_with_a_table_that_is_written(found, tmp_path):
    path = tmp_path / "found.parquet"
    found["layer 0"].to_parquet(path)
    assert plot_nulls(pd.read_parquet(path)) is not None


REFUSED = {
    "no column of layers": (
        lambda found: plot_layers(found["layer 0"]),
        "found has no column 'layer'; allowed are results of measure by the name of the layer",
    ),
    "nothing": (lambda found: plot_layers({}), "found is empty"),
    "two values at one place": (
        lambda found: plot_layers(pd.concat([of.assign(layer="one") for of in found.values()])),
        "found has 3 values of decoding at 'one'; allowed is one, or a column 'unit'",
    ),
    "measures in the place of pairs": (
        lambda found: plot_pairs(found["layer 0"]),
        "found is no result of compare",
    ),
    "no draws": (
        lambda found: plot_nulls(pd.DataFrame(found["layer 0"].to_dict())),
        "found has no draws of nulls",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_in_a_sentence(found, case):
    call, sentence = REFUSED[case]
    with pytest.raises(ValueError) as refused:
        call(found)
    assert str(refused.value).startswith(sentence)


def test_matplotlib_is_imported_by_a_plot_alone():
    code = "import sys, repatlas.own; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_matplotlib_one_sentence_says_so(found, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot_layers(found)
