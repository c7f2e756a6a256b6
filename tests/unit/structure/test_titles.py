"""What a figure found is its title, in its files, as long as its table says so."""

import io
import json

import pytest
from PIL import Image
from test_figures import make_table, plotted  # noqa: F401

from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.recipes.study import Title
from repatlas.claims.ledger import read_ledger
from repatlas.claims.verdicts import CONTRADICTED, TOO_FEW
from repatlas.config.config import read_config
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.report.titles import without_title

FIGURE = Product("structure", "fig02")


@pytest.fixture(scope="module")
def drawings():
    """Drawings of this module, each made once, by what they are of."""
    return {}


@pytest.fixture
def files(drawings, tmp_path_factory, make_table, small_values):  # noqa: F811
    """Draw Figure 2 of two networks with a title that claim 16 carries; return its PDF and PNG."""

    def make(outcome, partial=None):
        if (outcome, partial) not in drawings:
            claims = [c.model_dump() for c in read_ledger("structure").claims if c.id == "16"]
            title = Title(says="It is so.", carried={"16": outcome}, claims=claims)
            folder = tmp_path_factory.mktemp("titles") / "figure"
            drawings[outcome, partial] = plotted(
                *(folder, make_table("fig02"), small_values, "fig02"),
                title=title,
                partial=partial,
            )
        pdf, png, _ = drawings[outcome, partial]
        return pdf, png

    return make


def test_a_figure_has_its_title_where_its_own_table_carries_it(files):
    pdf, png = files(TOO_FEW)
    assert b"It is so. A: " in pdf.read_bytes()
    assert Image.open(png).info["Description"].startswith("It is so. A: ")
    assert read_drawing(png)["title"] > 0


@pytest.mark.parametrize(
    ("outcome", "partial"),
    [(CONTRADICTED, None), (TOO_FEW, "1 of 2 seeds")],
    ids=["judged otherwise", "some networks only"],
)
def test_it_has_none_where_the_claim_is_judged_otherwise_or_networks_are_missing(
    files, outcome, partial
):
    pdf, png = files(outcome, partial)
    assert b"It is so. A: " not in pdf.read_bytes()
    assert read_drawing(png)["title"] == 0


def test_a_file_of_a_figure_says_where_the_letters_of_its_panels_stand(files):
    panels = read_drawing(files(CONTRADICTED)[1])["panels"]
    assert list(panels) == ["A", "B", "C"]
    [(left, first)], [(_, second)], [(_, third)] = panels.values()
    assert 0 < left < 0.05 and 0 < first < second < third < 1


def test_a_title_makes_a_figure_higher_and_pages_cut_it_off(files):
    _, without = files(CONTRADICTED)
    _, titled = files(TOO_FEW)
    picture, panels = without_title(titled.read_bytes(), read_drawing(titled))
    heights = [Image.open(io.BytesIO(png)).height for png in (without.read_bytes(), picture)]
    assert heights[0] == pytest.approx(heights[1], abs=12)
    before = read_drawing(without)["panels"]
    assert panels.keys() == before.keys()
    for letter, places in panels.items():
        for place, old in zip(places, before[letter], strict=True):
            assert place == pytest.approx(old, abs=0.01)


def test_an_edit_of_a_claim_draws_only_the_figure_whose_title_it_carries(small_values, monkeypatch):
    def titles():
        plan = Plan(read_config(small_values))
        return {figure.name: plan.plot_job(figure).title for figure in plan.figures}

    before = titles()
    ledger = read_ledger("structure")
    claims = [
        claim.model_copy(update={"learned": "centres"}) if claim.id == "17" else claim
        for claim in ledger.claims
    ]
    monkeypatch.setattr(
        "repatlas.plan.plan.read_ledger", lambda study: ledger.model_copy(update={"claims": claims})
    )
    after = titles()
    assert {name for name in before if before[name] != after[name]} == {"fig02"}


def test_a_preview_judges_no_claim_and_a_figure_of_another_name_has_none(small_values):
    def title(**more):
        return Plan(read_config(small_values | more)).plot_job(FIGURE).title

    assert "separability" in title().says
    assert title(preview=True) is None
    figures = small_values["figures"]
    others = {"mine": figures["fig02"] | {"draw": "fig02"}}
    plan = Plan(read_config(small_values | {"figures": figures | others}))
    assert plan.plot_job(Product("structure", "mine")).title is None
    assert json.loads(plan.plot_job(FIGURE).text)["title"]["carried"]
