"""A finished run as an RO-Crate."""

import contextlib
import hashlib
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from asked import config_of

from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.report import crate

FOLDER = Path("results/crate")


def entities():
    graph = json.loads((FOLDER / "ro-crate-metadata.json").read_text(encoding="utf-8"))["@graph"]
    assert len({entity["@id"] for entity in graph}) == len(graph)
    return {entity["@id"]: entity for entity in graph}


def properties(claim):
    of_crate = entities()
    found = [of_crate[each["@id"]] for each in of_crate[claim]["additionalProperty"]]
    return {each["@id"].removeprefix(f"{claim}/"): each for each in found}


@pytest.fixture(scope="module")
def made(make_small_values, make_all, tmp_path_factory):
    """A folder with all results of a config with Figure 8 alone, from networks of one seed that
    learn their task."""
    values, folder = make_small_values(), tmp_path_factory.mktemp("figure-8")
    sweep = values["sweeps"]["random"] | {"seeds": 1, "steps": [0, 100]}
    sweep["task"] |= {"inputs": 40, "noise_variance": 0.25}
    sweep["training"] |= {"learning_rate": 0.1}
    values["sweeps"] = {"random": sweep}
    values["figures"] = {"fig08": {"sweep": "random"}}
    with contextlib.chdir(folder):
        config_of(values)
        make_all(values)
    return folder


@pytest.fixture
def results(made, tmp_path, monkeypatch):
    """A copy of these results, in the folder where the test runs."""
    shutil.copytree(made, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Path("results")


@pytest.fixture
def written(results, capsys):
    """What the command prints that has written a crate of these results."""
    crate.main(["config.yaml"])
    return capsys.readouterr().out


@pytest.fixture
def judged():
    return pd.read_parquet("results/structure/claims/claims.parquet")


def test_every_file_is_described_with_its_digest(written):
    described = {n: e for n, e in entities().items() if "File" in e["@type"]}
    there = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    assert there - described.keys() == {"ro-crate-metadata.json"}
    for name, entity in described.items():
        content = (FOLDER / name).read_bytes()
        assert entity["sha256"] == hashlib.sha256(content).hexdigest(), name
    assert written == f"{FOLDER}: 7 files of results, and the digests of 10\n"


def references(value):
    if isinstance(value, dict):
        return [value["@id"]] if value.keys() == {"@id"} else references([*value.values()])
    return [name for each in value for name in references(each)] if isinstance(value, list) else []


def test_every_reference_leads_to_an_entity_or_to_an_address(written):
    found = {name for entity in entities().values() for name in references(entity)}
    assert "#run" in found
    lost = found - entities().keys()
    assert lost == {"https://w3id.org/ro/crate/1.1"}


def test_networks_are_listed_with_their_digests_although_they_are_left_out(written):
    files = json.loads((FOLDER / "index.json").read_text())["files"]
    [networks] = Path("results/store").glob("runs/*/*/*/*.safetensors")
    digest = hashlib.sha256(networks.read_bytes()).hexdigest()
    assert files[networks.relative_to("results/store").as_posix()]["sha256"] == digest
    assert not list(FOLDER.rglob("*.safetensors"))


def test_a_claim_has_its_verdict_and_the_numbers_of_its_checks(written, judged):
    rows, found = judged[judged.claim == "43"], properties("#claim/structure/43")
    assert found["verdict"]["value"] == rows.claim_verdict.iloc[0]
    checks = [found[f"check-{number + 1}"]["value"] for number in range(len(rows))]
    assert checks == rows.value.tolist()


def test_a_claim_names_the_code_of_each_stage_behind_it(written):
    code = properties("#claim/structure/43")["#code/structure/fig08"]["value"]
    assert [part.split()[0] for part in code.split("; ")] == [
        *("prepare", "train", "measure", "tabulate"),
    ]


def test_the_claims_of_a_crate_are_about_figures_that_it_has(written, judged):
    claims = {n.rpartition("/")[2] for n, e in entities().items() if e["@type"] == "Claim"}
    assert claims == {*judged.claim[judged.figure == "fig08"]}


def test_a_run_that_is_not_finished_has_no_crate(results):
    next(results.glob("store/structure/figures/fig08/*.png")).unlink()
    with pytest.raises(crate.Refused, match=r"figures/fig08\.png: is missing: draw the figures"):
        crate.main(["config.yaml"])
    assert not FOLDER.exists()


def test_the_config_of_several_studies_is_one_file_in_a_crate(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(repository)
    several = load([])
    path = tmp_path / "config.json"
    path.write_text(json.dumps(several.values))
    again = load([path])
    assert read_config(again.values) == read_config(several.values)
