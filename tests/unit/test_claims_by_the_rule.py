"""Every claim of every study says what the rule for verdicts wants to know."""

import re

import pytest

from repatlas.claims.claims_file import claims_path, read_claims
from repatlas.claims.plan_page import page
from repatlas.claims.settings import grids_of, other_settings
from repatlas.named import names
from repatlas.workflow.config import plan_of, read

STUDIES = [study for study in names("studies") if claims_path(study).exists()]
every_study = pytest.mark.parametrize("study", STUDIES)


@every_study
def test_the_limit_of_a_sign_is_that_of_the_rule(study):
    """64 is all neurons of a layer."""
    for claim in read_claims(study).claims:
        if claim.limit.source == "sign" and not claim.fact:
            limits = {float(check.expected[2:]) for check in claim.checks}
            assert limits <= {0, 1, 0.5, 64}, claim.id


@every_study
def test_a_claim_that_is_judged_at_other_lengths_names_no_step(study):
    for claim in read_claims(study).claims:
        if "length" in claim.varies:
            named = str([check.options for check in claim.checks])
            assert not re.search(r"'step': (?!'last'|0\b)", named), claim.id


CONFIGS = {"law": "config/law.yaml", "theories": "config/theories.yaml"}
"""The configs of studies that config.yaml does not have."""


@every_study
def test_each_claim_is_about_networks_that_its_figure_draws(repository, study):
    """Some networks on images are the paper's; a file that overrides the config has them."""
    config, file = repository / CONFIGS.get(study, "config.yaml"), read_claims(study)
    more = [repository / "config/paper-images.yaml"] if study == "structure" else []
    plans = [plan_of(read(files, {})) for files in ([config], [config, *more])]
    for claim in file.claims:
        wanted, name = [file.settings[name] for name in claim.settings], f"tables/{claim.figure}"
        found = [grids_of(plan.results[f"{study}/{name}.parquet"].recipe) for plan in plans]
        assert not all(other_settings(wanted, each) for each in found), claim.id


@every_study
def test_each_claim_that_is_judged_in_our_setting_alone_has_a_reason(study):
    file = read_claims(study)
    alone = {c.id for c in file.claims if not (c.varies or c.fact or c.limit.source == "ours")}
    assert {claim for claims in file.ours_alone.values() for claim in claims} == alone


@every_study
def test_every_claim_of_others_says_what_our_networks_are_to_theirs(study):
    for claim in read_claims(study).claims:
        assert (claim.data is None) == (claim.by == "ours"), claim.id
        if claim.data in ("near", "other"):
            assert claim.about, f"{claim.id}: what did the authors have?"


@every_study
def test_every_choice_and_length_has_its_reason_and_begins_with_our_value(study):
    file = read_claims(study)
    for choice in (*file.choices.values(), *file.lengths):
        assert choice.why and (choice.factors or [1])[0] == 1


def test_the_plan_in_the_documentation_is_that_of_the_claims_files(repository):
    path = repository / "docs/studies/verdict-plan.md"
    assert path.read_text(encoding="utf-8") == page(), "run make format"
