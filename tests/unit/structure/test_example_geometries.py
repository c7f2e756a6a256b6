"""Figure 9: the examples, their scores, and a figure for which no network is trained."""

import warnings

import numpy as np
import pytest
from drawn_pages import LEAST_WIDTH, faults_of
from figure_tables import as_drawn
from matplotlib.text import Text
from scipy.stats import norm
from selections import some
from stages import groups_of, rows_of

from repatlas.config.config import StyleSettings
from repatlas.plots.style import Style, applied
from repatlas.studies.structure import fig09
from repatlas.studies.structure.fig09 import (
    ANGLE,
    DEVIATION,
    DISTANCE,
    GEOMETRIES,
    LABELS,
)

VALUES = {"figures": {"fig09": {}}}


@pytest.fixture(scope="module")
def table():
    return as_drawn(fig09.tabulate({}, None))


def scores(table, measure, variable=1):
    rows = table[(table["measure"] == measure) & (table["variant"] == f"variable {variable}")]
    return rows.set_index("kernel")["value"].to_dict()


def places(rows, measure, **columns):
    rows = rows[rows["measure"] == measure]
    for column, value in columns.items():
        rows = rows[rows[column] == value]
    return rows[["x", "y", "value"]].to_numpy()


def test_parallelism_is_the_cosine_of_the_angle_between_the_contexts(table):
    turned = np.cos(np.radians(ANGLE))
    expected = {"square": 1, "turned": turned, "shifted": 1, "tetrahedron": 0}
    assert scores(table, "parallelism") == pytest.approx(expected, abs=1e-9)


def test_ccgp_is_how_much_of_the_other_context_lies_on_the_right_side(table):
    # The boundary is half-way between the classes of its context, across its coding vector.
    clear = norm.cdf(DISTANCE / 2 / DEVIATION)
    turned = norm.cdf(np.cos(np.radians(ANGLE)) * DISTANCE / 2 / DEVIATION)
    expected = {"square": clear, "turned": turned, "shifted": 0.5, "tetrahedron": 0.5}
    assert scores(table, "ccgp") == pytest.approx(expected, abs=2e-3)


def test_the_second_variable_is_abstract_in_the_square_and_not_in_the_tetrahedron(table):
    for measure, chance in (("parallelism", 0.0), ("ccgp", 0.5)):
        found = scores(table, measure, variable=2)
        assert found["square"] == pytest.approx(1, abs=1e-4)
        assert found["tetrahedron"] == pytest.approx(chance, abs=5e-3)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_what_is_drawn_as_right_or_wrong_is_what_the_decoder_of_the_table_says(table, name):
    rows = table[table["kernel"] == name]
    decoder = rows[rows["measure"] == "decoder"].set_index("variant")["value"]
    weights = decoder[["weight 1", "weight 2", "weight 3"]].to_numpy()
    for cluster, (label, context) in enumerate(LABELS):
        samples = {}
        for variant, is_right in (("own context", True), ("right", True), ("wrong", False)):
            said = places(rows, "sample", cluster=cluster, variant=variant) @ weights
            assert (((said + decoder["intercept"] > 0) == label) == is_right).all()
            samples[variant] = len(said)
        own = samples.pop("own context")
        assert (own > 0, sum(samples.values()) > 0) == (context == 0, context == 1)


@pytest.mark.parametrize("name", GEOMETRIES)
def test_the_plane_that_is_drawn_is_the_decoder_s_boundary(table, name):
    rows = table[table["kernel"] == name]
    corners, normal = fig09.decoder_plane(rows, GEOMETRIES[name])
    decoder = rows[rows["measure"] == "decoder"].set_index("variant")["value"]
    weights = decoder[["weight 1", "weight 2", "weight 3"]].to_numpy()
    assert corners @ weights == pytest.approx(-decoder["intercept"], abs=1e-9)
    assert some((corners + normal) @ weights + decoder["intercept"] > 0).all(), "the side of 1"
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    assert sides == pytest.approx([2 * fig09.PLANE_REACH] * 4), "a square"


def texts_of(table, **style):
    style = Style(**{"colours": StyleSettings().colours, "width": 5.5, "font_size": 7.0} | style)
    with applied(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = fig09.draw(table, style)
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    return " ".join(" ".join(texts).split())


def test_the_scores_stand_under_each_geometry_as_the_table_has_them(table):
    table = table.copy()
    table.loc[(table["measure"] == "ccgp") & (table["kernel"] == "turned"), "value"] = 0.123
    texts = texts_of(table, preview=False)
    for text in ("PS = 1.00", "PS = 0.26", "PS = 0.00", "CCGP = 1.00", "CCGP = 0.12", "75°"):
        assert text in texts


def test_each_panel_says_whether_its_score_is_high_as_the_table_has_it(table):
    table = table.copy()
    texts = texts_of(table, preview=False)
    for text in ("Square: high PS", "Turned: low PS", "Shifted: high PS", "Tetrahedron: low PS",
                 "Square: high CCGP", "Turned: high CCGP", "Shifted: low CCGP",
                 "Tetrahedron: low CCGP"):  # fmt: skip
        assert text in texts
    table.loc[(table["measure"] == "ccgp") & (table["kernel"] == "turned"), "value"] = 0.55
    assert "Turned: low CCGP" in texts_of(table, preview=False)


@pytest.mark.parametrize("width", [5.5, pytest.param(LEAST_WIDTH, marks=pytest.mark.slow)])
def test_the_figure_of_geometries_fits_its_page(table, width):
    assert faults_of("structure", "fig09", table, width=width) == []


def test_a_figure_without_networks_speaks_of_none_also_as_a_preview(table):
    texts = texts_of(table, preview=True)
    assert "network" not in texts
    assert "PREVIEW" not in texts


@pytest.mark.slow
def test_a_figure_may_have_no_sweep(tmp_path, monkeypatch, make_all):
    monkeypatch.chdir(tmp_path)
    plan = make_all(VALUES)
    assert groups_of(plan) == [] and plan.astray() == []
    rows = rows_of(plan.folder / "structure/tables/fig09.parquet", "table")
    assert not {"run", "seed"} & {*some(rows)}
