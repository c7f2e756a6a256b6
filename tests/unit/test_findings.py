"""What figures say, and that they say it only where the claims that carry it are judged so."""

import pytest
from selections import some

from repatlas.claims.ledger import read_ledger
from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.config.study import figures_of
from repatlas.figures.best import BEST
from repatlas.figures.figure import Figure, Finding
from repatlas.named import named
from repatlas.report.findings import found_by
from repatlas.report.gallery import published_claims

STUDIES = ("structure", "gating", "convergence")
WITHOUT = {"structure": {"figS4", "figS6"}}
"""Figures of networks about which there is no claim that could carry a sentence."""
every_study = pytest.mark.parametrize("study", STUDIES)


def findings_of(study):
    figures = {
        name: named(f"studies.{study}.figures.{name}", "figure").FIGURE
        for name in figures_of(study)
    }
    return {name: figure.finding for name, figure in figures.items() if figure.finding}


@every_study
def test_every_figure_says_something_in_one_sentence(study):
    found = findings_of(study)
    assert set(figures_of(study)) - found.keys() == WITHOUT.get(study, set())
    for finding in some(found.values()):
        assert finding.says.endswith(".") and ". " not in finding.says
        assert len(finding.says.split()) <= 20, finding.says


@every_study
def test_what_a_figure_of_networks_says_is_carried_by_claims_about_its_own_table(study):
    of_figure = {claim.id: claim.figure for claim in read_ledger(study).claims}
    for name, finding in findings_of(study).items():
        assert {of_figure[claim] for claim in finding.carried} <= {name}
        has_networks = bool(named(f"studies.{study}.figures.{name}", "figure").FIGURE.roles)
        assert bool(finding.carried) == has_networks


@every_study
def test_the_published_run_found_what_the_figures_say(repository, study):
    rows = published_claims(repository / "docs", study)
    published = {row.about.id for row in rows}
    said = {
        name: f"{finding.says}"
        for name, finding in some(findings_of(study)).items()
        if finding.carried.keys() <= published  # new claims wait for the next run
    }
    found = {
        name: found_by(named(f"studies.{study}.figures.{name}", "figure").FIGURE, name, rows)
        for name in said
    }
    assert found == said


FIGURE = Figure("What is drawn.", finding=Finding("It is so.", {"16": CONTRADICTED}))


def test_a_sentence_is_withdrawn_where_its_claim_is_judged_otherwise_or_not_at_all(repository):
    rows = published_claims(repository / "docs", "structure")
    [row] = [row for row in rows if row.about.id == "16"]
    assert found_by(FIGURE, "fig02", rows) == "It is so."
    assert found_by(FIGURE, "fig02", [row._replace(outcome=SUPPORTED)]) == ""
    assert found_by(FIGURE, "fig02", [row._replace(outcome=None)]) == ""
    assert found_by(FIGURE, "fig02", []) == ""
    # No claim is about the drawing of other sweeps.
    assert found_by(FIGURE, "mine", rows) == ""


@every_study
def test_the_best_figures_of_a_study_are_figures_that_say_something(study):
    assert set(BEST[study]) <= findings_of(study).keys()
