"""The shipped config is valid, and the stored schemas and pages agree with the code."""

import json
import re
from typing import get_args

import jsonschema
import pytest
import yaml
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from repatlas.config import schema
from repatlas.config.config import read_config
from repatlas.config.schema import page, page_of, study_schema
from repatlas.config.study import figures_of
from repatlas.config.sweeps import MeasureName
from repatlas.named import named, names


def test_the_config_of_the_repository_is_valid(config_values):
    figures = {f"fig{number:02}" for number in range(1, 11)}
    figures |= {"fig04C", "fig07C", *(f"figS{number}" for number in range(1, 9))}
    assert set(read_config(config_values).studies["structure"].figures) == figures


def test_the_config_of_the_repository_passes_the_schema(config_values):
    jsonschema.validate(config_values, study_schema("structure"))


def test_the_schema_refuses_an_unknown_key_too(config_values):
    config_values["sweeps"]["noise"]["colour"] = "red"
    with pytest.raises(jsonschema.ValidationError, match="colour"):
        jsonschema.validate(config_values, study_schema("structure"))


@pytest.mark.parametrize("file", ["config", "records", *names("studies")])
def test_a_schema_in_the_repository_is_that_of_the_code(repository, file):
    path = repository / f"workflow/schemas/{file}.schema.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored == schema.written(file), f"{path.name} is out of date: run `make format`"


@pytest.mark.parametrize("study", names("studies"))
def test_a_record_of_a_study_that_others_share_is_the_shared_one(study):
    shared, own = schema.written("records")["$defs"], study_schema(study)["$defs"]
    assert shared.keys() & own.keys()
    assert all(own[name] == shared[name] for name in shared.keys() & own.keys())


@pytest.mark.parametrize("study", sorted({*names("studies")} - {"own"}))
def test_the_files_of_schemas_together_accept_the_config_of_a_study_and_refuse_another(
    repository, study
):
    files = (repository / "workflow/schemas").glob("*.json")
    contents = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in files}
    resources = {name: DRAFT202012.create_resource(each) for name, each in contents.items()}
    registry = Registry().with_resources(resources.items())
    check = jsonschema.Draft202012Validator(contents[f"{study}.schema.json"], registry=registry)
    values = yaml.safe_load((repository / f"config/{study}.yaml").read_text(encoding="utf-8"))
    check.validate(values)
    first = next(iter(values["sweeps"]))
    values["sweeps"][first]["network"] = {"wide": 3}
    with pytest.raises(jsonschema.ValidationError, match="wide"):
        check.validate(values)


def test_the_page_of_all_keys_is_that_of_the_code(repository):
    stored = (repository / "docs/reference/config.md").read_text(encoding="utf-8")
    assert stored == page(), "docs/reference/config.md is out of date: run `make format`"


@pytest.mark.parametrize("study", names("studies"))
def test_the_page_of_a_study_has_its_keys_and_links_to_the_others(repository, study):
    path = repository / f"docs/reference/config-{study}.md"
    text = path.read_text(encoding="utf-8")
    assert text == page_of(study), f"{path.name} is out of date: run `make format`"
    shared = (repository / "docs/reference/config.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert not {*headings} & {*re.findall(r"^### (.+)$", shared, re.MULTILINE)}
    for page_text, anchors in (
        (text, re.findall(r"\]\(#([^)]+)\)", text)),
        (shared, re.findall(r"\]\(\.\./config\.md#([^)]+)\)", text)),
    ):
        titles = re.findall(r"^### (.+)$", page_text, re.MULTILINE)
        assert {*anchors} <= {title.lower().replace(" ", "-") for title in titles}
    assert all(
        f"figure {figure} of {study}" in headings for figure in names(f"studies.{study}.figures")
    )


def test_every_key_of_the_schema_is_described():
    whole = study_schema("structure")
    for record in [whole, *whole["$defs"].values()]:
        for key, entry in record.get("properties", {}).items():
            is_record = "$ref" in json.dumps(entry)  # which describes itself
            assert key in ("kind", "experiment") or is_record or entry.get("description"), (
                f"{record['title']}.{key}"
            )


def test_every_measure_can_be_named_and_every_name_is_a_measure():
    measures = set(names("measures"))
    assert set(get_args(MeasureName)) == measures
    figures = [
        named(f"studies.structure.figures.{name}", "figure").FIGURE
        for name in figures_of("structure")
    ]
    wanted = [role.measures for figure in figures for role in figure.roles.values()]
    assert measures >= set().union(*wanted)
