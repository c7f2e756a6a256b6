"""What figures say, and that they say it only where the claims that carry it are judged so."""

import re

import pandas as pd
import pytest
from selections import some

from repatlas.claims.claims_file import read_claims
from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED, UNDECIDED
from repatlas.claims.rule import REPRODUCED
from repatlas.config.study import figures_of
from repatlas.figures.figure import Figure, Finding
from repatlas.named import named
from repatlas.report.findings import found_by
from repatlas.report.gallery import BEST, published_claims
from repatlas.workflow.config import plan_of, read

STUDIES = ("structure", "gating", "convergence", "law", "theories")
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NAMES = {
    "activation": {
        "tanh": "[Tt]anh",
        "relu": r"\bReLU\b",
        "clipped_relu": "saturation on both sides",
        "relu+1": r"offset of \+1",
        **{name: rf"offset of \\{name[4:]}" for name in ("relu+0.5", "relu-0.5", "relu-1")},
    },
    "network": {"mlp": "perceptron", "small_cnn": "convolutional", "tanh": "[Tt]anh"},
    "variant": {"pwcca": "PWCCA", "svcca": "SVCCA"},
    "frozen": {"linear": "linear schedule", "none": ""},
    "depth": {n: f"{NUMBERS[n]} hidden layer|[Dd]eep" for n in range(1, 11)},
    "contexts": {n: f"{NUMBERS[n]}( and \\w+)? contexts" for n in range(3, 6)},
    "targets": {n: f"{NUMBERS[n]} target|with {NUMBERS[n]}|few dimensions" for n in range(1, 6)}
    | dict.fromkeys([7, 31], "targets of many"),
    "delta": {delta / 20: "separab|XoR" for delta in range(41)},
}
"""How a sentence names networks, by the column of the tables and its values."""
NETWORKS = ("activation", "network")
every_study = pytest.mark.parametrize("study", STUDIES)


def findings_of(study):
    figures = {name: named(f"studies.{study}", name).FIGURE for name in figures_of(study)}
    return {name: figure.finding for name, figure in figures.items() if figure.finding}


@every_study
def test_every_figure_says_something_in_one_sentence(study):
    found = findings_of(study)
    assert set(figures_of(study)) == found.keys()
    for finding in some(found.values()):
        assert finding.says.endswith(".") and ". " not in finding.says
        assert len(finding.says.split()) <= 20, finding.says


@every_study
def test_what_a_figure_of_networks_says_is_carried_by_claims_about_its_own_table(study):
    of_figure = {claim.id: claim.figure for claim in read_claims(study).claims}
    for name, finding in findings_of(study).items():
        assert {of_figure[claim] for claim in finding.carried} <= {name}
        has_networks = bool(named(f"studies.{study}", name).FIGURE.roles)
        assert bool(finding.carried) == has_networks


def selected(options, column):
    """Return the values of a column that the options of a check select, at any depth."""
    if isinstance(options, list):
        return {value for part in options for value in selected(part, column)}
    if not isinstance(options, dict):
        return set()
    found = {value for part in options.values() for value in selected(part, column)}
    own = options.get(column, [])
    return found | {*(own if isinstance(own, list) else [own])}


def drawn(repository, study):
    """Return the values of each column of `NAMES` that the networks of each figure have, in the
    config of the study."""
    config = [repository / "config.yaml"]
    if study in ("law", "theories"):
        config = [repository / f"config/{study}.yaml"]
    plan = plan_of(read(config, {}))
    found = {}
    for name, options in plan.studies[study].figures.items():
        of_figure = found[name] = {column: set() for column in NAMES}
        for grid in plan.grids_of(study, options):
            columns_of = named(f"experiments.{grid.experiment}", "columns").columns_of
            for spec in grid.specs():
                settings = columns_of(spec)
                for column in NAMES:
                    of_figure[column].add(settings.get(column))
        similarities = {
            s
            for keys in options.comparisons().values()
            for key in keys
            for s in plan.studies[study].comparison(key).similarities
        }
        of_figure["variant"] = similarities & {"pwcca", "svcca"}
    return found


@pytest.mark.parametrize("study", STUDIES[:4])
def test_a_title_names_the_networks_that_its_claims_are_about(repository, study):
    """A claim about ReLU networks, or about one number of targets, carries no sentence about all
    that the figure draws."""
    networks = drawn(repository, study)
    claims = {claim.id: claim for claim in read_claims(study).claims}
    unnamed = []
    for figure, finding in findings_of(study).items():
        for claim in map(claims.get, finding.carried):
            options = [check.options for check in claim.checks]
            for column, words in NAMES.items():
                checked = selected(options, column) & words.keys()
                others = networks[figure][column] & words.keys() - checked
                unnamed += [
                    (figure, claim.id, column, value)
                    for value in checked
                    if others and not re.search(words[value], finding.says)
                ]
    assert unnamed == []


@every_study
def test_a_title_names_no_networks_that_its_claims_are_not_about(study):
    claims = {claim.id: claim for claim in read_claims(study).claims}
    for figure, finding in findings_of(study).items():
        options = [c.options for name in finding.carried for c in claims[name].checks]
        checked = {v for column in NETWORKS for v in selected(options, column)}
        known = {name: words for column in NETWORKS for name, words in NAMES[column].items()}
        named = {value for value, words in known.items() if re.search(words, finding.says)}
        assert named <= checked or not checked & known.keys(), figure


@every_study
def test_a_title_says_that_its_claim_is_undecided_or_not_judged(study):
    claims = {claim.id: claim for claim in read_claims(study).claims}
    for figure, finding in findings_of(study).items():
        for name, outcome in finding.carried.items():
            word = {UNDECIDED: "undecided", None: "not judged"}.get(outcome, "")
            assert word in finding.says, figure
            assert bool(claims[name].later) == (outcome is None), figure


@every_study
def test_a_claim_that_no_panel_shows_carries_no_title(study):
    """A figure without letters has no panels that a claim could name."""
    claims = read_claims(study).claims
    with_letters = {claim.figure for claim in claims if claim.panels}
    for figure, finding in findings_of(study).items():
        carrying = [claim for claim in claims if claim.id in finding.carried]
        assert all(claim.panels for claim in carrying) or figure not in with_letters, figure


@every_study
def test_the_published_run_found_what_the_figures_say(repository, study):
    rows = published_claims(repository / "docs", study)
    published = judged_as_today(repository, study)
    said = {
        name: f"{finding.says}"
        for name, finding in some(findings_of(study)).items()
        if finding.carried.keys() <= published  # new and changed claims wait for the next run
    }
    found = {name: found_by(named(f"studies.{study}", name).FIGURE, name, rows) for name in said}
    assert {name: of.replace(", in our setting.", ".") for name, of in found.items()} == said


def test_a_title_whose_claim_is_judged_in_one_setting_says_so(repository):
    rows = published_claims(repository / "docs", "structure")
    figure = named("studies.structure", "fig05").FIGURE
    assert found_by(figure, "fig05", rows).endswith("aligned with the targets, in our setting.")
    settled = [row._replace(verdict=REPRODUCED) for row in rows]
    assert found_by(figure, "fig05", settled).endswith("aligned with the targets.")


def judged_as_today(repository, study):
    """Return the claims whose checks are those that the published run made."""
    claims = {claim.id: claim for claim in read_claims(study).claims if not claim.later}
    today = {name: {(of.description, of.expected) for of in claims[name].checks} for name in claims}
    checks = pd.read_parquet(repository / "docs" / study / "claims.parquet").groupby("claim")
    made = {name: {*zip(of["statistic"], of["expected"], strict=True)} for name, of in checks}
    return {name for name in today if made.get(name) == today[name]}


FIGURE = Figure("What is drawn.", finding=Finding("It is so.", {"16": SUPPORTED}))


def test_a_sentence_is_withdrawn_where_its_claim_is_judged_otherwise_or_not_at_all(repository):
    rows = published_claims(repository / "docs", "structure")
    [row] = [row for row in rows if row.about.id == "16"]
    assert found_by(FIGURE, "fig02", rows).startswith("It is so")
    assert found_by(FIGURE, "fig02", [row._replace(ours=CONTRADICTED)]) == ""
    assert found_by(FIGURE, "fig02", [row._replace(ours=None)]) == ""
    assert found_by(FIGURE, "fig02", []) == ""
    # No claim is about the drawing of other sweeps.
    assert found_by(FIGURE, "mine", rows) == ""


@pytest.mark.parametrize("study", STUDIES[:3])
def test_the_best_figures_of_a_study_are_figures_that_say_something(study):
    assert set(BEST[study]) <= findings_of(study).keys()
