"""What a figure found is its title, in its files, as long as its table says so."""

import pytest
from PIL import Image
from test_figures import make_table, plotted  # noqa: F401

from repatlas.claims.claims_file import read_claims
from repatlas.claims.verdicts import CONTRADICTED, TOO_FEW
from repatlas.config.config import read_config
from repatlas.workflow.plan import Plan


@pytest.fixture(scope="module")
def drawings():
    """Drawings of this module, each made once, by what they are of."""
    return {}


@pytest.fixture
def files(drawings, tmp_path_factory, make_table, small_values):  # noqa: F811
    """Draw Figure 2 of two networks with a title that claim 16 carries; return its PDF and PNG."""

    def make(outcome):
        if outcome not in drawings:
            claims = [c.model_dump() for c in read_claims("structure").claims if c.id == "16"]
            title = {"says": "It is so.", "carried": {"16": outcome}, "claims": claims}
            title |= {"about": "What it draws."}
            folder, table = tmp_path_factory.mktemp("titles"), make_table("fig02")
            drawings[outcome] = plotted(folder, table, small_values, "fig02", title)
        pdf, png, _ = drawings[outcome]
        return pdf, png

    return make


def test_a_figure_has_its_title_where_its_own_table_carries_it(files):
    pdf, png = files(TOO_FEW)
    assert b"It is so. A: " in pdf.read_bytes()
    assert Image.open(png).info["Description"].startswith("It is so. A: ")


def test_its_title_is_what_it_draws_where_the_claim_is_judged_otherwise(files):
    pdf, _ = files(CONTRADICTED)
    assert b"What it draws. A: " in pdf.read_bytes()


def titles(values):
    """Return what each figure of a config may say, by its name."""
    recipes = [each.recipe for each in Plan(read_config(values)).results.values()]
    return {each["figure"]: each["title"] for each in recipes if each["stage"] == "plot"}


def test_an_edit_of_a_claim_draws_only_the_figure_whose_title_it_carries(small_values, monkeypatch):
    before = titles(small_values)
    file = read_claims("structure")
    claims = [
        claim.model_copy(update={"learned": "centres"}) if claim.id == "17" else claim
        for claim in file.claims
    ]
    edited = file.model_copy(update={"claims": claims})
    monkeypatch.setattr("repatlas.workflow.recipes.read_claims", lambda study: edited)
    after = titles(small_values)
    assert {name for name in before if before[name] != after[name]} == {"fig02"}


def test_a_preview_judges_no_claim_and_a_figure_of_another_name_says_what_it_draws(small_values):
    found = titles(small_values)["fig02"]
    assert "separability" in found["says"] and found["carried"]
    assert titles(small_values | {"preview": True})["fig02"] is None
    figures = {"mine": small_values["figures"]["fig02"] | {"draw": "fig02"}}
    [other] = titles(small_values | {"figures": figures}).values()
    assert other["says"].startswith("Measures against separability") and not other["carried"]
