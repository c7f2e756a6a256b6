"""Every claim of every study says what the rule for verdicts wants to know."""

import pandas as pd
import pytest
from selections import some

from repatlas.artifacts.files import read_table
from repatlas.claims.ledger import ledger_file, read_ledger
from repatlas.claims.plan_page import page
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.named import names

STUDIES = [study for study in names("studies") if ledger_file(study).exists()]
every_study = pytest.mark.parametrize("study", STUDIES)


@every_study
def test_every_claim_names_the_source_of_its_limit_and_its_control(study):
    for claim in read_ledger(study).claims:
        assert claim.limit and claim.control, claim.id


@every_study
def test_every_claim_of_others_says_what_our_networks_are_to_theirs(study):
    for claim in read_ledger(study).claims:
        assert (claim.data is None) == (claim.by == "ours"), claim.id
        if claim.data in ("near", "other"):
            assert claim.about, f"{claim.id}: what did the authors have?"


@every_study
def test_every_choice_and_length_has_its_reason_and_begins_with_our_value(study):
    ledger = read_ledger(study)
    every = [*ledger.choices.values(), *ledger.lengths]
    assert all(choice.why for choice in every)
    assert all(choice.factors[0] == 1 for choice in every if choice.factors)


@every_study
def test_a_claim_is_a_paraphrase_without_quotation_marks(study):
    ledger = read_ledger(study)
    for claim in (*ledger.claims, *ledger.dropped):
        assert not {*'“”„"'} & {*claim.claim}, claim.id


@every_study
def test_the_verdict_of_before_is_the_published_one_and_no_claim_is_lost(repository, study):
    """The published claims were judged by the rule before this one."""
    path = repository / "docs" / study / "claims.parquet"
    rows = read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas().drop_duplicates("claim")
    ledger = read_ledger(study)
    before = {each.id: each.before for each in (*ledger.claims, *ledger.dropped) if each.before}
    assert before == some(_published(rows))


def _published(rows: pd.DataFrame) -> dict[str, str]:
    columns = (rows["claim"], rows["claim_verdict"], rows["claim_corrected_verdict"])
    return {
        claim: alone if alone == together else f"{alone}; {together}"
        for claim, alone, together in zip(*columns, strict=True)
    }


@every_study
def test_a_claim_that_others_replace_names_one_that_is_there(study):
    ledger = read_ledger(study)
    known = {claim.id for claim in ledger.claims}
    for gone in ledger.dropped:
        assert gone.why and (gone.into is None or gone.into in known), gone.id


def test_the_plan_in_the_documentation_is_that_of_the_claims_files(repository):
    path = repository / "docs/studies/verdict-plan.md"
    assert path.read_text(encoding="utf-8") == page(), "run make format"
