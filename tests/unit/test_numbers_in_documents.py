"""The numbers that documents state about the project are true today."""

import re
from collections import Counter

import pandas as pd
import pytest

from repatlas.workflow.commands.plan import main as print_plan

ID = r"[A-Zbdn]?\d+[a-z]?"


@pytest.fixture
def text(repository):
    return lambda page: (repository / page).read_text(encoding="utf-8")


@pytest.fixture
def published(repository):
    return lambda study: pd.read_parquet(repository / "docs" / study / "claims.parquet")


@pytest.mark.parametrize("study", ["gating", "convergence"])
def test_an_outcome_in_the_findings_is_that_of_the_published_claim(text, published, study):
    outcomes = published(study).drop_duplicates("claim").set_index("claim")["ours"]
    stated = rf"[(;] ?({ID}(?:(?:, | to ){ID})*)(?:, ours)?: (supported|contradicted|undecided)"
    found = re.findall(stated, text(f"docs/{study}/findings.md"))
    assert len(found) > 10
    for ids, outcome in found:
        assert {outcomes[each] for each in re.findall(ID, ids)} == {outcome}, ids


def test_a_share_of_settings_is_that_of_the_page_of_its_study(text):
    _, *parts = re.split(r"^## (\w+)$", text("docs/studies/multiverse.md"), flags=re.MULTILINE)
    for study, part in zip(parts[::2], parts[1::2], strict=True):
        page = text(f"docs/{study}/multiverse.md")
        shares = {*re.findall(r"\b(\d+ of \d+) settings", part)}
        shares |= {f"{n} of {n}" for n in re.findall(r"in all (\d+) settings", part)}
        assert shares and shares <= {*re.findall(r"\| (\d+ of \d+) \|", page)}
        [settings] = re.findall(r"(\d+) settings of 3 networks", part)
        assert f"the claims in {settings} settings\n" in page


def test_the_page_of_the_theories_counts_the_published_claims(text, published):
    counts = Counter(published("theories").drop_duplicates("claim")["ours"])
    said = f"Of {counts.total()} claims {counts['supported']} are supported,"
    said += f" {counts['contradicted']} contradicted and {counts['undecided']} is undecided"
    assert said in text("docs/studies/theories.md")


def test_the_page_of_the_law_has_the_published_numbers(text, published):
    page = text("docs/studies/law.md")
    for _, checks in published("law").groupby("claim"):
        cells = [f"{of.value:.3f} ({of.low:.3f} to {of.high:.3f})" for of in checks.itertuples()]
        assert f"| {' | '.join([*cells, checks['ours'].iloc[0]])} |" in page


def test_the_benchmarks_of_the_site_are_those_that_were_measured(text):
    measured = {cell.strip() for cell in re.split(r"[|\n]", text("benchmarks/results.md"))}
    rows = re.findall(r"^\|.+(\| \d.+\| \d.+\|)$", text("docs/develop/benchmarks.md"), re.MULTILINE)
    assert set(re.findall(r"\d+(?:\.\d+)?", " ".join(rows))) <= measured and len(rows) == 5


def test_the_core_minutes_of_a_run_are_those_of_the_plan(
    text, repository, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    print_plan([str(repository / "config.yaml")])
    minutes = Counter()
    for study, *_, number in map(str.split, capsys.readouterr().out.splitlines()[1:]):
        minutes[study] += float(number)
    stated = r"^\| `make figures(?: STUDY=(\w+))?` \| (\d+) \|"
    found = re.findall(stated, text("docs/guide/running.md"), re.MULTILINE)
    planned = {name: round(number) for name, number in minutes.items() if name != "all"}
    assert {name or "in": int(number) for name, number in found} == planned
