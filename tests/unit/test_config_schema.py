"""The shipped config is valid, and the stored schema and pages agree with the code."""

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import pytest
import yaml

from repatlas.config.config import read_config
from repatlas.config.pages import layout, page
from repatlas.config.schema import for_editors, study_schema, written
from repatlas.config.study import figures_of
from repatlas.config.sweeps import MeasureName
from repatlas.named import named, names

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow/schemas/config.schema.json"
SHIPPED = [
    path.relative_to(ROOT)
    for path in sorted(
        [ROOT / "config.yaml", *ROOT.glob("config/*.yaml"), *ROOT.glob("docs/**/*.yaml")]
    )
]


def test_the_config_of_the_repository_is_valid(config_values):
    figures = {f"fig{number:02}" for number in range(1, 11)}
    figures |= {"fig04C", "fig07C", *(f"figS{number}" for number in range(1, 9))}
    assert set(read_config(config_values).studies["structure"].figures) == figures


@pytest.fixture(scope="module")
def check():
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_schema_for_editors_is_that_of_the_code_and_not_longer_than_one_reads():
    text = SCHEMA.read_text(encoding="utf-8")
    assert text == written(for_editors()) + "\n", f"{SCHEMA.name} is out of date: run `make format`"
    assert text.count("\n") <= 600


@pytest.mark.parametrize("file", SHIPPED, ids=str)
def test_the_schema_accepts_every_shipped_config(check, file):
    check.validate(yaml.safe_load((ROOT / file).read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", ["", "style", "sweeps.noise", "sweeps.noise.network"])
def test_the_schema_refuses_a_wrong_key(check, config_values, path):
    part = config_values
    for key in path.split(".") if path else []:
        part = part.setdefault(key, {})
    part["wide"] = 3
    with pytest.raises(jsonschema.ValidationError, match="wide"):
        check.validate(config_values)


@pytest.mark.parametrize("name", layout())
def test_a_page_of_keys_is_that_of_the_code_and_its_links_lead_to_records(repository, name):
    path = repository / f"docs/reference/config{name and f'-{name}'}.md"
    text = path.read_text(encoding="utf-8")
    assert text == page(name), f"{path.name} is out of date: run `make format`"
    for file, anchor in re.findall(r"\]\((config[\w-]*\.md)?#([^)]+)\)", text):
        linked = (path.with_name(file) if file else path).read_text(encoding="utf-8")
        titles = re.findall(r"^## (.+)$", linked, re.MULTILINE)
        assert anchor in {title.lower().replace(" ", "-") for title in titles}
    for figure in figures_of(name) if name in names("studies") else []:
        assert f"## figure {figure}\n" in text


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
    figures = [named("studies.structure", name).FIGURE for name in figures_of("structure")]
    wanted = [role.measures for figure in figures for role in figure.roles.values()]
    assert measures >= set().union(*wanted)
