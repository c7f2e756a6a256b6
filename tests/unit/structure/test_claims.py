"""The claims file, the stage that tests it, and what the documentation says of its verdicts."""

import shutil

import pandas as pd
import pytest
import yaml
from claim_rows import by_kind_of
from figure_tables import read_figure_table
from pandas.testing import assert_frame_equal
from selections import some

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import read_claims
from repatlas.claims.judging import Tables, claims_table
from repatlas.claims.settings import grids_of, other_settings
from repatlas.claims.summary import ORDER, claims_page
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.command.publish import publish
from repatlas.experiments.clusters.spec import Grid
from repatlas.record import Refused


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
    def write_and_read(*claims, **more):
        path = tmp_path / "claims.yaml"
        path.write_text(yaml.safe_dump({"claims": list(claims)} | more))
        read_claims.cache_clear()
        return read_claims("structure", path)

    return write_and_read


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
def test_a_claims_file_with_a_mistake_is_refused_and_names_the_claim_by_its_id(
    read, entry, change, sentence
):
    wrong = entry | {"id": "7b"} | change
    with pytest.raises(Refused, match=f"claims.yaml: claim {wrong['id']}.*{sentence}"):
        read(entry, wrong)


def test_a_claim_about_networks_that_the_claims_file_does_not_describe_is_refused(read, entry):
    with pytest.raises(Refused, match="claim 1: settings: found 'wide', allowed: none"):
        read(entry | {"settings": ["wide"]})


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


# The stage.


def in_memory(header, frame):
    return {"fig03": (header, lambda claims: by_kind_of(frame))}


@pytest.fixture
def judged(results):
    """The claims of a folder with Figure 3 alone, of one seed."""
    header, table = read_table(results / "structure/claims/claims.parquet", "claims", CLAIMS_SCHEMA)
    return header, table.to_pandas()


def test_every_claim_of_the_claims_file_has_a_verdict(judged):
    _, rows = judged
    assert list(rows["claim"].unique()) == [claim.id for claim in read_claims("structure").claims]
    assert some(set(rows["claim_verdict"])) <= set(ORDER)


def test_a_claim_whose_figure_is_not_drawn_is_not_judged_and_says_so(judged):
    _, rows = judged
    others = rows[rows["figure"] != "fig03"]
    assert set(others["claim_verdict"]) == {"not judged"}
    assert "the config does not draw fig01" in set(others["why"])
    assert some(others["check"].isna()).all()
    assert others["claim"].is_unique


def test_a_claim_judged_on_other_settings_says_in_what_they_differ(results):
    header, table = read_figure_table(results / "structure/tables/fig03.parquet")
    file = read_claims("structure")
    [claim] = [claim for claim in file.claims if claim.id == "24"]
    claim = claim.model_copy(update={"learned": None})
    only = file.model_copy(update={"claims": [claim]})
    rows = table.to_pandas()
    [row] = claims_table(only, in_memory(header, rows), False).to_dict("records")
    assert row["other_networks"] == (
        "task.noise_variance: 0.0 | 1.0 | 4.0 instead of 10 values; task.inputs: 12 instead of 120;"
        " task.delta: 0.0 | 0.5 | 1.0 instead of 11 values; and 5 more"
    )
    assert row["data"] == "other setting"
    assert row["ours"] == "too few networks"


def test_the_rows_of_its_measures_alone_judge_a_claim_as_all_rows_do(results):
    path = results / "structure/tables/fig03.parquet"
    file = read_claims("structure")
    claims = [claim.model_copy(update={"learned": None}) for claim in file.claims]
    only = file.model_copy(update={"claims": [c for c in claims if c.figure == "fig03"]})
    header, table = read_figure_table(path)
    rows = table.to_pandas()
    of_all = claims_table(only, in_memory(header, rows), False)
    tables = Tables({"fig03": path})
    assert_frame_equal(claims_table(only, tables, False), of_all)
    _, read = tables["fig03"]
    kinds = read(only.claims[:1]).kinds
    assert set(kinds["measure"].to_pylist()) == only.claims[0].measures


def test_the_page_has_a_line_for_each_claim_and_is_the_table_s(results, judged):
    _, rows = judged
    page, header, _ = (results / "structure/claims/claims.md").read_text().rpartition("\n<!-- ")
    assert header, "at its end"
    assert page == claims_page(rows, preview=False)
    assert page.count("\n| ") - page.count("\n| claim |") == rows["claim"].nunique()


# The documentation.


def rows_with(**verdicts):
    return pd.DataFrame(
        {
            "claim": name.removeprefix("c"),
            "by": "paper",
            "says": f"Claim {name} holds.",
            "claim_verdict": "depends",
            "why": "steps",
            "limit": "null_model",
            "control": "fails",
            "holds_in": "3 of 10 training lengths",
            "data": "authors' setting",
            "other_networks": None,
            "ours": verdict,
            "check": 0,
            "statistic": "level: share",
            "number": "the share",
            "expected": "> 0.5",
            "value": 0.25,
            "low": 0.2,
            "high": 0.3,
            "seeds": 20,
            "verdict": verdict,
            "figure": "fig01",
            "place": "section 4",
            "networks_needed": None,
        }
        for name, verdict in verdicts.items()
    )


def test_a_line_of_the_page_has_the_number_that_stands_for_the_claim():
    first = rows_with(c1="contradicted")
    rows = pd.concat([first.assign(verdict="supported", value=1.0), first.assign(check=1)])
    *_, line = claims_page(rows, preview=False).splitlines()
    assert line == (
        "| 1. Claim c1 holds. | paper, section 4 | **depends**: steps"
        " | the share: 0.25 (0.2 to 0.3, 20 networks); limit > 0.5 | null model | fails"
        " | 3 of 10 training lengths | authors' setting | fig01 |"
    )


def test_a_preview_judges_no_claim():
    frame = claims_table(read_claims("structure"), {}, preview=True)
    assert set(frame["claim_verdict"]) == {"not judged"}
    page = claims_page(frame, preview=True)
    assert "It judges no claim." in page
    assert "supported" not in page


def test_a_claim_that_cannot_be_judged_takes_no_other_down(results):
    """Figure 3 with one variance has no curve over noise."""
    header, table = read_figure_table(results / "structure/tables/fig03.parquet")
    rows = table.to_pandas()
    rows = rows[rows["noise_variance"] == 1.0]
    file = read_claims("structure")
    everybody = [claim.model_copy(update={"learned": None}) for claim in file.claims]
    file = file.model_copy(update={"claims": everybody})
    frame = claims_table(file, in_memory(header, rows), preview=False)
    reasons = frame.drop_duplicates("claim").set_index("claim")["why"]
    assert reasons["24"] == "found 1 value of noise_variance, needed: 2 or more"
    assert reasons["27"].endswith("noise_variance is nowhere 16")
    assert set(reasons.index) == {claim.id for claim in read_claims("structure").claims}


@pytest.mark.parametrize("study", ["structure", "gating", "convergence", "law", "theories"])
def test_publishing_what_is_published_changes_no_page(study, repository, tmp_path):
    docs = tmp_path / "docs"
    (docs / study).mkdir(parents=True)
    for path in (repository / "docs" / study).glob("*.parquet"):
        shutil.copy(path, docs / study)
    publish([docs / study / "claims.parquet"], [], [], docs)
    page = (repository / f"docs/{study}/claims.md").read_text()
    assert (docs / study / "claims.md").read_text() == page


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
