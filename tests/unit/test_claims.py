"""The ledger, the stage that judges it, and what the documentation says of its verdicts."""

import inspect

import pandas as pd
import pytest
import yaml

from repgeom.claims.ledger import read_ledger
from repgeom.claims.statistics import STATISTICS
from repgeom.claims.summary import claims_page, result
from repgeom.claims.verdicts import CLAIMS_SCHEMA
from repgeom.config import read_config
from repgeom.files import read_table
from repgeom.plan import LEDGER
from repgeom.stages.publish import END, START, with_result
from repgeom.stages.publish import main as publish


@pytest.fixture
def entry():
    """A claim as the ledger has it."""
    return {
        "id": "1",
        "claim": "Tanh is above ReLU.",
        "by": "paper",
        "where": "section 4",
        "figure": "fig01",
        "sweeps": ["unstructured"],
        "statistic": "a difference",
        "contradicted_by": "a difference below 0",
        "checks": [
            {"statistic": "level", "options": {"of": {"measure": "target_alignment"}}, "above": 0}
        ],
    }


@pytest.fixture
def read(tmp_path):
    def read_claims(*claims):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump({"claims": list(claims)}))
        return read_ledger(path)

    return read_claims


def test_the_ledger_has_every_claim_of_the_paper():
    numbers = {claim.id for claim in read_ledger(LEDGER)}
    assert numbers >= {str(number) for number in range(1, 48)}


def test_each_entry_of_the_ledger_says_what_would_contradict_it():
    for claim in read_ledger(LEDGER):
        assert claim.contradicted_by and claim.statistic and claim.where, claim.id
        assert claim.checks, claim.id


def test_each_claim_rests_on_sweeps_of_its_figure(config_values):
    config = read_config(config_values)
    figures = config.figures.chosen()
    for claim in read_ledger(LEDGER):
        drawn = {name for names in figures[claim.figure].sweeps().values() for name in names}
        if figures[claim.figure].draws_images:
            drawn.add(config.images)
        assert set(claim.sweeps) <= drawn, claim.id
        assert bool(claim.sweeps) == bool(claim.checks), claim.id


def test_every_statistic_serves_a_claim_and_says_what_it_is():
    used = {check.statistic for claim in read_ledger(LEDGER) for check in claim.checks}
    assert used == STATISTICS.keys()
    assert all(inspect.getdoc(function) for function in STATISTICS.values())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"figure": "fig99"}, "figure"),
        ({"by": "me"}, "by"),
        ({"colour": 1}, "unknown key 'colour', allowed: id, claim"),
        ({"id": "one"}, "id"),
    ],
)
def test_a_ledger_with_a_mistake_is_refused_by_name(read, entry, change, sentence):
    with pytest.raises(ValueError, match=f"claims.yaml: claims.0.*{sentence}"):
        read(entry | change)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"statistic": "guess"}, "statistic"),
        ({"above": None}, "either above or below"),
        ({"below": 1}, "either above or below"),
        ({"options": {}}, "options of level: found , allowed: of"),
        ({"options": {"of": {}, "off": 1}}, "found of, off, allowed: of"),
    ],
)
def test_a_check_with_a_mistake_is_refused_by_name(read, entry, change, sentence):
    entry["checks"][0] |= change
    with pytest.raises(ValueError, match=f"claims.0.checks.0.*{sentence}"):
        read(entry)


def test_a_number_that_two_claims_have_is_refused(read, entry):
    with pytest.raises(ValueError, match="found claim 1 twice"):
        read(entry, entry)


def test_a_ledger_that_is_no_yaml_is_refused_in_one_line(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("claims: a: b")
    with pytest.raises(ValueError, match="mapping values are not allowed") as refusal:
        read_ledger(path)
    assert "\n" not in str(refusal.value)


# The stage.


@pytest.fixture
def judged(results):
    """The claims of a folder with Figure 3 alone, of one seed."""
    header, table = read_table(results / "claims/claims.parquet", "claims", CLAIMS_SCHEMA)
    return header, table.to_pandas()


def test_every_claim_of_the_ledger_has_a_verdict(judged):
    _, rows = judged
    assert list(rows["claim"].unique()) == [claim.id for claim in read_ledger(LEDGER)]
    assert set(rows["claim_verdict"]) <= {"supported", "contradicted", "undecided", "not run"}


def test_a_claim_whose_figure_is_not_drawn_is_not_run(judged):
    _, rows = judged
    others = rows[rows["figure"] != "fig03"]
    assert set(others["verdict"]) == {"not run"}
    assert others["check"].isna().all()
    assert others["claim"].is_unique


def test_the_page_has_a_line_for_each_claim_and_is_the_table_s(results, judged):
    _, rows = judged
    page, header, _ = (results / "claims/claims.md").read_text().rpartition("\n<!-- ")
    assert header, "at its end"
    assert page == claims_page(read_ledger(LEDGER), rows, preview=False)
    assert page.count("\n| ") - page.count("\n| claim |") - page.count("\n| check |") == (
        rows["claim"].nunique() + rows["check"].notna().sum()
    )


# The documentation.


def rows_with(**verdicts):
    return pd.DataFrame(
        {
            "claim": name.removeprefix("c"),
            "by": "paper",
            "says": f"Claim {name} holds.",
            "claim_verdict": verdict,
            "claim_family_verdict": "undecided",
        }
        for name, verdict in verdicts.items()
    )


def test_the_paragraph_counts_the_verdicts_and_names_what_is_not_supported():
    rows = rows_with(c1="supported", c2="supported", c3="contradicted", c4="undecided")
    text = result(pd.concat([rows, rows]))  # two checks of each
    assert "Of the paper's 4 claims: 2 supported, 1 contradicted, 1 undecided" in text
    assert "Contradicted: (3) Claim c3 holds." in text
    assert "Undecided: (4) Claim c4 holds." in text


def test_the_paragraph_of_the_readme_is_replaced_and_nothing_else():
    readme = f"# Title\n\n{START}old\ntext\n{END}\nThe end.\n"
    assert with_result(readme, "New.") == f"# Title\n\n{START}New.\n{END}\nThe end.\n"
    with pytest.raises(ValueError, match="found no place for the claims"):
        with_result("# Title\n", "New.")


def test_the_documentation_says_what_the_judged_claims_say(repository):
    _, table = read_table(repository / "docs/claims.parquet", "claims", CLAIMS_SCHEMA)
    rows = table.to_pandas()
    readme = (repository / "README.md").read_text(encoding="utf-8")
    assert with_result(readme, result(rows)) == readme
    not_run = set(rows.loc[rows["claim_verdict"] == "not run", "claim"])
    assert not_run == {claim.id for claim in read_ledger(LEDGER) if not claim.checks}
    page = (repository / "docs/claims.md").read_text(encoding="utf-8")
    assert page == claims_page(read_ledger(LEDGER), rows, preview=False)


def test_publishing_writes_page_table_and_paragraph(results, tmp_path):
    (tmp_path / "README.md").write_text(f"{START}{END}")
    files = ["--docs", str(tmp_path / "docs"), "--readme", str(tmp_path / "README.md")]
    claims = results / "claims/claims.parquet"
    publish(["--claims", str(claims), *files])
    assert "Of the paper's" in (tmp_path / "README.md").read_text()
    assert (tmp_path / "docs/claims.md").exists()
    _, rows = read_table(tmp_path / "docs/claims.parquet", "claims", CLAIMS_SCHEMA)
    assert rows.equals(read_table(claims, "claims", CLAIMS_SCHEMA)[1])
