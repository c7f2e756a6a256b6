"""Recordings with times in a config: decoders of one time at another time, and their figure."""

import csv

import numpy as np
import pytest
from drawn_pages import LEAST_WIDTH
from layout_faults import faults
from stages import groups_of, make, make_data, rows_of

from repatlas.config.config import COLOURS, read_config
from repatlas.figures.columns import COLUMNS
from repatlas.plots.over_time import draw_over_time
from repatlas.plots.style import Style, applied, settle
from repatlas.record import Refused
from repatlas.report.captions import caption
from repatlas.workflow.plan import Plan

TIMES = ["-100 ms", "100 ms", "300 ms"]
SIDE = np.tile(["left", "right"], 20)


@pytest.fixture
def config():
    """Two sessions of 40 trials, with six and eight neurons, at three times."""
    rng = np.random.default_rng(0)
    with open("rows.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["image", "side"])
        rows.writerows((side, side) for side in SIDE)
    for session, neurons in (("a", 6), ("b", 8)):
        rates = rng.standard_normal((len(SIDE), neurons, 3))
        rates[:, :, 1:] += 2 * np.outer(SIDE == "left", rng.standard_normal(neurons))[:, :, None]
        np.save(f"{session}.npy", rates)
    sessions = {
        "arrays": "{session}.npy",
        "rows": "rows.csv",
        "item": "image",
        "trials": True,
        "unit": "session",
        "variables": {"side": ["left", "right"]},
        "times": TIMES,
        "null_draws": 19,
    }
    return {
        "study": "own",
        "representations": {"IT": sessions},
        "measures": ["over_time"],
        "figures": {"over_time": {"of": ["IT"]}},
    }


def measured(config):
    """Return the table of the figure, from the rows of all sessions."""
    table = rows_of(make(Plan(read_config(config)), "own/tables/over_time.parquet"), "table")
    return table.reindex(columns=[*dict.fromkeys([*COLUMNS, *table])])


def test_times_are_no_axis_of_a_sweep(config):
    [[grid]] = read_config(config).studies["own"].sweeps.values()
    assert [spec.times for spec in grid.specs()] == [tuple(TIMES)] * 2


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"times": "-100 ms"}, "representations.IT.times: found '-100 ms', allowed: a list"),
        ({"times": TIMES[:2]}, r"a.npy: has shape \(40, 6, 3\), and times has 2 names; allowed"),
        ({"times": None, "reduction": "flat"}, "IT: found measure 'over_time' without times"),
        ({"reduction": "pooled"}, "times: found with reduction: pooled, allowed: none"),
        ({"missing": "drop_features"}, "times: found with missing: drop_features"),
    ],
)
def test_times_that_do_not_fit_are_refused_before_any_job(config, change, sentence):
    config["representations"]["IT"] |= change
    with pytest.raises(Refused, match=sentence):
        plan = Plan(read_config(config))
        make_data(plan, groups_of(plan)[0].place)


def test_neurons_of_sessions_side_by_side_have_the_same_times(config):
    del config["representations"]["IT"]["unit"]
    config["representations"]["IT"]["pool"] = "session"
    rows = measured(config)
    both = np.concatenate([np.load(f"{session}.npy") for session in "ab"], axis=1)
    assert both.shape == (40, 14, 3)
    assert rows["neuron"].max() == 2 and rows["reason"].notna().all()
    late = rows[(rows["line"] == "100 ms") & (rows["place"] == "300 ms")]
    assert late["value"].iloc[0] > 0.9


@pytest.mark.parametrize("width", [5.5, LEAST_WIDTH])
def test_the_figure_fits_its_page(config, width):
    table = measured(config)
    style = Style(COLOURS, width, 7.0, False)
    with applied(style):
        figure = draw_over_time(table, style)
        assert settle(figure)
        said = caption(read_config(config), "own", "over_time")
        assert faults(figure, " ".join(str(said).split())) == []
