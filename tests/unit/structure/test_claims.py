"""The claims file, the stage that tests it, and what the documentation says of its verdicts."""

import inspect
import json
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import yaml
from claim_rows import by_kind_of
from pandas.testing import assert_frame_equal
from selections import some

from repatlas.artifacts.files import Unreadable, read_table, write_table
from repatlas.claims import rows as claim_rows
from repatlas.claims.ledger import Limit, read_ledger
from repatlas.claims.rows import HAS_SEED
from repatlas.claims.selection import NO_SETTINGS
from repatlas.claims.settings import grids_of, other_settings
from repatlas.claims.statistics import STATISTICS
from repatlas.claims.summary import ORDER, claims_page, result
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.config.config import read_config
from repatlas.config.sweeps import merged
from repatlas.experiments.clusters.spec import Grid
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan
from repatlas.record import Refused
from repatlas.report.publish import END, START, publish, with_result
from repatlas.stages.in_order import typed
from repatlas.stages.judge import ALWAYS, Tables, claims_table
from repatlas.studies.structure.columns import TABLE_SCHEMA


@pytest.fixture
def entry():
    """Return a claim in the form of the claims file."""
    return {
        "id": "1",
        "claim": "Tanh is above ReLU.",
        "by": "paper",
        "where": "section 4",
        "figure": "fig01",
        "settings": [],
        "statistic": "a difference",
        "contradicted_by": "a difference below 0",
        "limit": {"source": "sign", "why": "it is above"},
        "control": {"null_model": "untrained"},
        "checks": [
            {"statistic": "level", "options": {"of": {"measure": "target_alignment"}}, "above": 0}
        ],
    }


@pytest.fixture
def read(tmp_path):
    def read_claims(*claims, **more):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump({"claims": list(claims)} | more))
        read_ledger.cache_clear()
        return read_ledger("structure", path)

    return read_claims


def test_the_ledger_has_every_claim_of_the_paper():
    numbers = {claim.id for claim in read_ledger("structure").claims}
    assert numbers >= some({str(number) for number in range(1, 48)})


def test_each_entry_of_the_ledger_says_what_would_contradict_it():
    for claim in read_ledger("structure").claims:
        assert claim.contradicted_by and claim.statistic and claim.where, claim.id
        assert claim.checks or claim.later, claim.id


def test_the_default_config_has_the_networks_that_each_claim_is_about(repository, config_values):
    """Networks on images are the paper's; a file that overrides the config adds them."""
    over = yaml.safe_load((repository / "config/paper-images.yaml").read_text(encoding="utf-8"))
    plan = Plan(read_config(merged(config_values, over)))
    ledger = read_ledger("structure")
    for claim in ledger.claims:
        wanted = [ledger.settings[name] for name in claim.settings]
        found = grids_of(json.loads(plan.tabulate_job(Product("structure", claim.figure)).text))
        assert not other_settings(wanted, found), claim.id
        assert claim.settings, claim.id


def test_every_statistic_serves_a_claim_and_says_what_it_is():
    claims = [claim for study in ("structure", "gating") for claim in read_ledger(study).claims]
    assert {check.statistic for claim in claims for check in claim.checks} == STATISTICS.keys()
    assert all(inspect.getdoc(function) for function in some(STATISTICS.values()))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"figure": "fig99"}, "figure"),
        ({"by": "me"}, "by"),
        ({"colour": 1}, "unknown key 'colour', allowed: id, claim"),
        ({"limit": None}, "limit, control: both are needed"),
        ({"varies": ["length"]}, "varies: lengths of this file has no fig01"),
        ({"id": "one"}, "id"),
    ],
)
def test_a_ledger_with_a_mistake_is_refused_and_names_the_claim_by_its_id(
    read, entry, change, sentence
):
    wrong = entry | {"id": "7b"} | change
    with pytest.raises(Refused, match=f"claims.yaml: claim {wrong['id']}.*{sentence}"):
        read(entry, wrong)


def test_a_claim_about_networks_that_the_ledger_does_not_describe_is_refused(read, entry):
    with pytest.raises(Refused, match="claim 1: settings: found 'wide', allowed: none"):
        read(entry | {"settings": ["wide"]})


def test_settings_with_a_mistake_are_refused(read, entry):
    wide = {"task": {"kind": "separable", "inputs": 4, "delta": 0.5, "noise_variance": 1.0}}
    wide |= {"network": {"activation": "tnah"}, "steps": [1]}
    with pytest.raises(Refused, match=r"claims.yaml: settings.wide.*network.activation"):
        read(entry, settings={"wide": wide})


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
    with pytest.raises(ValueError, match=f"claim 1.checks.0.*{sentence}"):
        read(entry)


def test_a_claim_without_a_measure_is_refused(read, entry):
    entry["checks"][0] |= {"options": {"of": {"step": "last"}}}
    with pytest.raises(ValueError, match="claim 1: checks: each should select a measure"):
        read(entry)


def test_a_number_that_two_claims_have_is_refused(read, entry):
    with pytest.raises(ValueError, match="found claim 1 twice"):
        read(entry, entry)


def test_a_ledger_that_is_no_yaml_is_refused_in_one_line(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("claims: a: b")
    read_ledger.cache_clear()
    with pytest.raises(ValueError, match="mapping values are not allowed") as refusal:
        read_ledger("structure", path)
    assert "\n" not in str(refusal.value)


# The stage.


def in_memory(header, frame):
    return {"fig03": (header, lambda claims: by_kind_of(frame))}


@pytest.fixture
def judged(results):
    """The claims of a folder with Figure 3 alone, of one seed."""
    header, table = read_table(results / "structure/claims/claims.parquet", "claims", CLAIMS_SCHEMA)
    return header, table.to_pandas()


def test_every_claim_of_the_ledger_has_a_verdict(judged):
    _, rows = judged
    assert list(rows["claim"].unique()) == [claim.id for claim in read_ledger("structure").claims]
    assert some(set(rows["claim_verdict"])) <= set(ORDER)


def test_a_claim_whose_figure_is_not_drawn_is_not_judged_and_says_so(judged):
    _, rows = judged
    others = rows[rows["figure"] != "fig03"]
    assert set(others["claim_verdict"]) == {"not judged"}
    assert "the config does not draw fig01" in set(others["not_judged"])
    assert some(others["check"].isna()).all()
    assert others["claim"].is_unique


def test_a_claim_judged_on_other_settings_says_in_what_they_differ(results):
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    ledger = read_ledger("structure")
    [claim] = [claim for claim in ledger.claims if claim.id == "24"]
    claim = claim.model_copy(update={"learned": None})
    only = ledger.model_copy(update={"claims": [claim]})
    rows = table.to_pandas()
    [row] = claims_table(only, in_memory(header, rows), False).to_dict("records")
    assert row["other_settings"] == (
        "task.noise_variance: 0.0 | 1.0 | 4.0 instead of 10 values; task.inputs: 12 instead of 120;"
        " task.delta: 0.0 | 0.5 | 1.0 instead of 11 values; and 5 more"
    )
    assert row["claim_verdict"] == row["claim_corrected_verdict"] == "judged on other settings"
    assert row["claim_outcome"] == "too few networks"


def test_a_claim_about_networks_that_nobody_here_trains_is_judged_on_other_settings(results):
    found = judged_on_fig03(results, about="AlexNet on ImageNet")
    assert found["other_settings"].startswith("not AlexNet on ImageNet; ")
    assert found["claim_verdict"] == "judged on other settings"


def test_a_claim_that_cannot_fail_is_an_exact_fact(results):
    found = judged_on_fig03(results, fact="it is a closed form")
    assert found["claim_verdict"] == found["claim_corrected_verdict"] == "exact fact"


def test_an_exact_fact_that_fails_is_contradicted(results):
    found = judged_on_fig03(results, fact="it is a closed form", above=2.0, seeds=12)
    assert found["claim_outcome"] == found["claim_verdict"] == "contradicted"


def judged_on_fig03(results, above=-2.0, seeds=1, **about):
    """Return the row of claim 24 with these fields. Its number is a correlation, which must be
    above a limit. The rows of the first seed stand for several."""
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    rows = table.to_pandas()
    rows = pd.concat([rows[rows["seed"] == 0].assign(seed=seed) for seed in range(seeds)])
    [claim] = [claim for claim in read_ledger("structure").claims if claim.id == "24"]
    [check] = claim.checks
    checks = [check.model_copy(update={"above": above})]
    settings = claim.settings if "about" in about else []
    claim = claim.model_copy(
        update={"learned": None, "checks": checks, "settings": settings} | about
    )
    only = read_ledger("structure").model_copy(update={"claims": [claim]})
    [row] = claims_table(only, in_memory(header, rows), False).to_dict("records")
    return row


def test_the_rows_of_its_measures_alone_judge_a_claim_as_all_rows_do(results):
    path = results / "structure/tables/fig03.parquet"
    ledger = read_ledger("structure")
    claims = [claim.model_copy(update={"learned": None}) for claim in ledger.claims]
    only = ledger.model_copy(update={"claims": [c for c in claims if c.figure == "fig03"]})
    header, table = read_table(path, "table", TABLE_SCHEMA)
    rows = table.to_pandas()
    of_all = claims_table(only, in_memory(header, rows), False)
    tables = Tables({"fig03": path}, TABLE_SCHEMA)
    assert_frame_equal(claims_table(only, tables, False), of_all)
    _, read = tables["fig03"]
    kinds = read(only.claims[:1]).kinds
    assert set(kinds["measure"].to_pylist()) == only.claims[0].measures


def test_a_table_of_more_seeds_than_a_block_is_judged_as_in_one_piece(
    results, tmp_path, monkeypatch
):
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    rows, rng = table.to_pandas(), np.random.default_rng(0)
    more = [
        rows.assign(seed=seed, value=rows["value"] + rng.normal(scale=0.1, size=len(rows)))
        for seed in range(12)
    ]
    path = tmp_path / "fig03.parquet"
    write_table(path, "table", header, typed(pd.concat(more), table.schema))
    ledger = read_ledger("structure")
    claims = [claim.model_copy(update={"learned": None}) for claim in ledger.claims]
    only = ledger.model_copy(update={"claims": [c for c in claims if c.figure == "fig03"]})
    whole = claims_table(only, Tables({"fig03": path}, TABLE_SCHEMA), False)
    monkeypatch.setattr(claim_rows, "ROWS_OF_A_BLOCK", len(rows))
    (folder := tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    in_blocks = claims_table(only, Tables({"fig03": path}, TABLE_SCHEMA), False)
    assert_frame_equal(in_blocks, whole, check_exact=True)
    assert 12 in {*whole["seeds"]}, "claim 24, which needs no more than three variances"
    assert not list(folder.iterdir()), "nothing is left"


def test_a_claim_about_rows_without_any_value_is_judged_as_from_all_rows(results, tmp_path):
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    path, nothing = tmp_path / "fig03.parquet", pa.nulls(len(table), pa.float64())
    empty = table.set_column(table.column_names.index("value"), "value", nothing)
    write_table(path, "table", header, empty)
    ledger = read_ledger("structure")
    claims = [claim.model_copy(update={"learned": None}) for claim in ledger.claims]
    only = ledger.model_copy(update={"claims": [c for c in claims if c.figure == "fig03"]})
    of_all = claims_table(only, in_memory(header, empty.to_pandas()), False)
    assert_frame_equal(claims_table(only, Tables({"fig03": path}, TABLE_SCHEMA), False), of_all)


def test_a_table_that_was_damaged_is_not_judged(results, tmp_path):
    path = tmp_path / "fig03.parquet"
    table = pq.read_table(results / "structure/tables/fig03.parquet")
    other = table.set_column(
        table.column_names.index("value"), "value", pc.add(table["value"], 1e-9)
    )
    pq.write_table(other, path)
    with pytest.raises(Unreadable, match="damaged, its rows are not what was written"):
        Tables({"fig03": path}, TABLE_SCHEMA)["fig03"]


def test_the_page_has_a_line_for_each_claim_and_is_the_table_s(results, judged):
    _, rows = judged
    page, header, _ = (results / "structure/claims/claims.md").read_text().rpartition("\n<!-- ")
    assert header, "at its end"
    assert page == claims_page(read_ledger("structure").claims, rows, preview=False)
    assert page.count("\n| ") - page.count("\n| claim |") - page.count("\n| check |") == (
        rows["claim"].nunique() + rows["check"].notna().sum()
    )


def test_a_limit_of_ours_and_a_claim_that_needs_more_are_not_judged(results):
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    ledger = read_ledger("structure")
    [claim] = [claim for claim in ledger.claims if claim.id == "24"]
    ours = Limit(source="ours", why="sharp has no number")
    changes = {"learned": None, "settings": []}
    claims = [
        claim.model_copy(update=changes | {"limit": ours}),
        claim.model_copy(update=changes | {"id": "24b", "later": "more noise"}),
    ]
    only = ledger.model_copy(update={"claims": claims})
    first, second = claims_table(only, in_memory(header, table.to_pandas()), False).to_dict(
        "records"
    )
    assert first["claim_verdict"] == first["claim_corrected_verdict"] == "no number in the words"
    assert np.isfinite(first["value"]), "its number is shown"
    assert (second["claim_verdict"], second["not_judged"]) == ("not judged", "it needs more noise")


# The documentation.


def test_a_published_claim_keeps_the_words_in_which_it_was_judged(read, entry):
    """How it is tested is left out where the claims file has other words, checks or limits."""
    check = {"check": 0, "statistic": "level: target_alignment", "expected": "> 0"}
    rows = rows_with(c1="supported").assign(**check, figure="fig01", place="section 4", p=0.1)
    rows = rows.assign(says=entry["claim"], claim_p=0.1, claim_corrected_p=np.nan, left_out=0)
    rows = rows.assign(agreeing=6, effect_size=1.0, networks_needed=None, fact=None)
    rows = rows.assign(not_judged=None, other_settings=None)

    def page(**changes):
        return claims_page(read(entry | changes).claims, rows, preview=False)

    assert "Tested by: a difference." in page()
    higher = [entry["checks"][0] | {"above": 0.5}]
    for changed in ({"claim": "Tanh wins."}, {"checks": higher}, {"checks": entry["checks"] * 2}):
        assert "| 1. Tanh is above ReLU. |" in page(**changed)
        assert "Tested by" not in page(**changed)
    assert "Tested by" not in claims_page([], rows, preview=False)


def rows_with(**verdicts):
    return pd.DataFrame(
        {
            "claim": name.removeprefix("c"),
            "by": "paper",
            "says": f"Claim {name} holds.",
            "claim_verdict": verdict,
            "claim_outcome": verdict,
            "claim_corrected_verdict": "undecided",
            "check": 0,
            "statistic": "level: share",
            "number": "the share",
            "expected": "> 0.5",
            "value": 0.25,
            "low": 0.2,
            "high": 0.3,
            "seeds": 20,
            "verdict": verdict,
        }
        for name, verdict in verdicts.items()
    )


WE_FIND = (
    "We find the share: 0.25 (95 % interval 0.2 to 0.3, 20 networks); we read the claim as more"
    " than 0.5."
)


def test_the_paragraph_has_three_points_with_the_numbers_found():
    rows = rows_with(c1="supported", c2="supported", c3="contradicted", c4="undecided")
    assert result(pd.concat([rows, rows.assign(check=1)]), "claims.md").split(
        "\n"
    ) == [  # two checks
        f"- **Held:** 2 of the paper's 4 tested claims. (1) Claim c1 holds. {WE_FIND}"
        " [All claims](claims.md).",
        "- **Not confirmed:** 1 claim.",
        "  - (3) Claim c3 holds. We find 0.25 (the share); we read the claim as more than 0.5.",
        "- **Not decided:** 1 undecided.",
    ]


def test_what_was_judged_on_other_settings_neither_held_nor_failed():
    rows = rows_with(c1="supported", c2="judged on other settings", c3="exact fact")
    assert result(rows, "claims.md").split("\n")[1:] == [
        "- **Not decided:** 1 judged on other settings."
    ]
    assert "Held:** 1 of the paper's 1 tested claims" in result(rows, "claims.md")


def test_a_preview_judges_no_claim():
    frame = claims_table(read_ledger("structure"), {}, preview=True)
    assert set(frame["claim_verdict"]) == set(frame["claim_corrected_verdict"]) == {"not judged"}
    page = claims_page(read_ledger("structure").claims, frame, preview=True)
    assert "It judges no claim." in page
    assert "supported" not in page.split("## Every check")[0]


def test_a_claim_that_cannot_be_judged_takes_no_other_down(results):
    """Figure 3 with one variance has no curve over noise."""
    header, table = read_table(results / "structure/tables/fig03.parquet", "table", TABLE_SCHEMA)
    rows = table.to_pandas()
    rows = rows[rows["noise_variance"] == 1.0]
    ledger = read_ledger("structure")
    everybody = [claim.model_copy(update={"learned": None}) for claim in ledger.claims]
    ledger = ledger.model_copy(update={"claims": everybody})
    frame = claims_table(ledger, in_memory(header, rows), preview=False)
    reasons = frame.drop_duplicates("claim").set_index("claim")["not_judged"]
    assert reasons["24"] == "found 1 value of noise_variance, needed: 2 or more"
    assert reasons["27"].endswith("noise_variance is nowhere 16")
    assert set(reasons.index) == {claim.id for claim in read_ledger("structure").claims}


def test_the_paragraph_of_the_readme_is_replaced_and_nothing_else():
    start = START.format("structure")
    readme = f"# Title\n\n{start}old\ntext\n{END}\nThe end.\n"
    found = with_result(readme, "structure", "New.")
    assert found == f"# Title\n\n{start}New.\n{END}\nThe end.\n"
    with pytest.raises(ValueError, match="found no place for the claims"):
        with_result("# Title\n", "structure", "New.")


@pytest.mark.parametrize("study", ["structure", "gating", "convergence", "law", "theories"])
def test_publishing_what_is_published_changes_no_page(study, repository, tmp_path):
    docs = tmp_path / "docs"
    (docs / study).mkdir(parents=True)
    readme = tmp_path / "README.md"
    pages = ["README.md", f"docs/{study}/claims.md"]
    tables = (repository / "docs" / study).glob("*.parquet")
    for path in (*tables, *(repository / page for page in pages)):
        shutil.copy(path, tmp_path / path.relative_to(repository))
    publish([docs / study / "claims.parquet"], [], [], docs, readme)
    for page in pages:
        assert (tmp_path / page).read_text() == (repository / page).read_text()


def test_publishing_writes_page_table_and_paragraph(results, tmp_path):
    (tmp_path / "README.md").write_text(START.format("structure") + END)
    claims = results / "structure/claims/claims.parquet"
    publish([claims], [], [], tmp_path / "docs", tmp_path / "README.md")
    assert "Held:" in (tmp_path / "README.md").read_text()
    assert (tmp_path / "docs/structure/claims.md").exists()
    _, rows = read_table(tmp_path / "docs/structure/claims.parquet", "claims", CLAIMS_SCHEMA)
    assert rows.equals(read_table(claims, "claims", CLAIMS_SCHEMA)[1])


# Other settings.


def grid(**changes):
    values = {
        "task": {"kind": "separable", "inputs": 4, "delta": [0.0, 0.5], "noise_variance": 1.0},
        "network": {"activation": ["tanh", "relu"], "width": 8},
        "steps": [0, 10],
    }
    for key, value in changes.items():
        part, _, name = key.partition("__")
        values[part] = values[part] | {name: value} if name else value
    return values


def differences(wanted, found, step=None):
    found = {"sweeps": {"sweep": [found | {"seeds": 3}]}, "step": step}
    return other_settings([Grid.model_validate(wanted)], grids_of(found))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"network__width": 24}, "network.width: 24 instead of 8"),
        ({"task__noise_variance": 4.0}, "task.noise_variance: 4.0 instead of 1.0"),
        ({"task__delta": [0.0]}, "task.delta: 0.0 instead of 0.0 | 0.5"),
        ({"task__delta": [0.0, 0.5, 1.0]}, "task.delta: 0.0 | 0.5 | 1.0 instead of 0.0 | 0.5"),
        ({"network__activation": ["tanh"]}, "network.activation: tanh instead of relu | tanh"),
        ({"steps": [10]}, "steps: 10 instead of 0 | 10"),
        ({"steps": [0, 10, 20]}, "steps: 0 | 10 | 20 instead of 0 | 10"),
    ],
)
def test_other_networks_than_a_claim_is_about_are_other_settings(change, difference):
    assert differences(grid(), grid(**change)) == [difference]


@pytest.mark.parametrize(
    "change", [{}, {"network__activation": ["gelu", "relu", "tanh"]}, {"steps": [0, 5, 10]}]
)
def test_more_activations_and_more_steps_on_the_way_are_no_other_settings(change):
    assert not differences(grid(), grid(**change))


def test_the_step_that_a_figure_shows_is_a_setting_and_those_after_it_are_not():
    assert not differences(grid(steps=[10]), grid(steps=[10, 80]), step=10)
    assert differences(grid(steps=[80]), grid(steps=[10, 80]), step=10) == [
        "steps: 10 instead of 80"
    ]


def test_a_run_without_such_networks_says_so():
    assert other_settings([Grid.model_validate(grid())], []) == ["no such networks"]


def test_a_claim_has_the_columns_that_it_names_or_that_tell_rows_apart(results):
    path = results / "structure/tables/fig03.parquet"
    _, table = read_table(path, "table", TABLE_SCHEMA)
    rows = table.to_pandas()
    varying = {name for name in rows if rows[name].nunique(dropna=False) > 1} - {*NO_SETTINGS}
    [claim, *_] = [c for c in read_ledger("structure").claims if c.figure == "fig03"]
    _, read = Tables({"fig03": path}, TABLE_SCHEMA)["fig03"]
    columns = set(read([claim]).kinds.column_names) - {HAS_SEED}
    assert varying <= columns < {*rows}
    assert columns - varying <= ALWAYS | claim.words
