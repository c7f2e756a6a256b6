"""The JSON schema of config files, for editors: `python -m repatlas.config.schema` prints it.

The texts are read from the source of the records. pydantic can read them, too, but does so at each
import. That took a fifth of Snakemake's start time.
"""

import ast
import inspect
import json
import re
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field, create_model
from pydantic.json_schema import GenerateJsonSchema

from repatlas.config.config import Shared
from repatlas.config.study import OWN, figures_of, options_of, study_of
from repatlas.grids import RecordGrid
from repatlas.named import names
from repatlas.record import Record

Schema = dict[str, Any]
STUDIES = "Which studies there are. Each is a file in the folder config."


class _Described(GenerateJsonSchema):
    """The JSON schema of pydantic, with the docstrings of fields as descriptions."""

    def model_schema(self, schema):
        found = super().model_schema(schema)
        about = docstrings(schema["cls"])
        for name, value in found.get("properties", {}).items():
            if name in about:
                value.setdefault("description", about[name])
        return found


def schema_of(record: type[Record]) -> Schema:
    """Return the JSON schema of a record, with the texts of its source as descriptions."""
    return record.model_json_schema(schema_generator=_Described)


def entry() -> Schema:
    """Return the schema of config.yaml."""
    studies = (list[Literal[*names("studies")]], Field(min_length=1, description=STUDIES))
    return schema_of(create_model("Config", __base__=Shared, studies=studies))


def study_schema(study: str) -> Schema:
    """Return the schema of the config file of a study, and of a user's complete config."""
    known = {name: (options_of(study, name) | None, None) for name in figures_of(study)}
    figures = create_model("Figures", __doc__="Figures to draw, by name.", **known)
    fields = study_of(study).model_fields
    about = docstrings(study_of(study))
    own = {
        name: (
            fields[name].rebuild_annotation(),
            Field(fields[name].default, description=about[name]),
        )
        for name in _keys(study)
    }
    own["figures"] = (figures, Field(None, description=about["figures"]))
    whole = schema_of(create_model("Study", __base__=Shared, **own))
    if sweeps := whole["properties"].get("sweeps"):
        grids = sweeps["additionalProperties"]["items"]["oneOf"]
        # First the networks of a sweep that names no experiment.
        grids.sort(key=lambda grid: "Clusters" not in grid["$ref"])
        sweeps["additionalProperties"] = {"oneOf": grids}
    return whole


def _keys(study: str) -> list[str]:
    """Return the keys of the file of a study, except `figures`.

    A study has keys for networks, or for representations in files.
    """
    own = ["representations", "measures"] if study == OWN else ["sweeps", "multiverse"]
    return ["study", *own, "compare"]


def for_editors() -> Schema:
    """Return the schema of config.yaml and of all files of studies and of users.

    It has all keys, with their types, words and a sentence each. It has no limits of numbers, no
    keys of single figures, and does not tell kinds of networks and tasks apart.
    """
    files = [entry(), *(study_schema(study) for study in names("studies"))]
    whole = _merged([_without_references(file, file["$defs"]) for file in files])
    about: dict[str, str] = {}
    for study in names("studies"):
        for name in figures_of(study):
            said = f"{study}: {_first_sentence(str(options_of(study, name).__doc__))}"
            about[name] = f"{about[name]}; {said}" if name in about else said
    figures, kinds = whole["properties"]["figures"], {"type": ["object", "null"]}
    figures["properties"] = {name: {"description": said} | kinds for name, said in about.items()}
    figures["additionalProperties"] = kinds
    sweep = whole["properties"]["sweeps"]["additionalProperties"]
    about_each = "Several grids: the settings in which they differ"
    sweep["properties"]["each"] = {"description": about_each, "type": "array"}
    # A file that overrides several studies has their keys by name.
    whole["properties"]["studies"]["type"] = ["array", "object"]
    # null removes an entry of an earlier file.
    for part in (sweep, whole["properties"]["representations"]["additionalProperties"]):
        part["type"] = ["object", "null"]
    return whole


def _without_references(value: Any, records: Schema) -> Any:
    """Return a schema that has records where it had references to them."""
    if isinstance(value, list):
        return [_without_references(each, records) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        value = records[value["$ref"].rpartition("/")[2]] | value
    left_out = ("$ref", "$defs", "discriminator")
    return {k: _without_references(v, records) for k, v in value.items() if k not in left_out}


def _options(value: Schema) -> list[Schema]:
    """Return the alternatives that a schema has."""
    several = value.get("anyOf") or value.get("oneOf")
    return [option for each in several for option in _options(each)] if several else [value]


def _merged(values: list[Schema]) -> Schema:
    """Return a schema for what any of these schemas accepts, with the first sentence of the first
    description."""
    options = [option for value in values for option in _options(value)]
    said = [each["description"] for each in [*values, *options] if "description" in each]
    found = {"description": _first_sentence(said[0])} if said else {}
    words = [word for each in options for word in each.get("enum", [])]
    words += [each["const"] for each in options if "const" in each]
    others = [each for each in options if not {"enum", "const"} & each.keys()]
    if words and not others:
        return found | {"enum": [*dict.fromkeys(words)]}
    types = {each["type"] for each in others if "type" in each}
    types -= {"integer"} if "number" in types else set()
    other: Schema = {"type": sorted(types) if len(types) > 1 else types.pop()} if types else {}
    keys: dict[str, list[Schema]] = {}
    for each in others:
        for key, value in each.get("properties", {}).items():
            keys.setdefault(key, []).append(value)
    if keys:
        other["properties"] = {key: _merged(of) for key, of in keys.items()}
        other["additionalProperties"] = False
    for part in ("items", "additionalProperties"):
        if inner := [each[part] for each in others if isinstance(each.get(part), dict)]:
            other[part] = _merged(inner)
    return found | ({"anyOf": [{"enum": [*dict.fromkeys(words)]}, other]} if words else other)


def _first_sentence(text: str) -> str:
    return re.split(r"\.\s+(?=[A-Z`])", " ".join(text.split()))[0].rstrip(".")


def written(value: Any, indent: str = "", are_keys: bool = False) -> str:
    """Return a schema as JSON, with a line for each key of a config."""
    if not (are_keys or (isinstance(value, dict) and "properties" in json.dumps(value))):
        return json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    rows = [
        f"{inner}{json.dumps(key)}: {written(each, inner, key == 'properties')}"
        for key, each in value.items()
    ]
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


@cache
def docstrings(record: type[Record]) -> dict[str, str]:
    """Return the text below each field of a record: its own text, or the text of the record that it
    is made of or derived from."""
    if issubclass(record, RecordGrid):
        return docstrings(record.of)
    found = {}
    for ancestor in reversed(record.__mro__):
        if issubclass(ancestor, Record):
            found |= _in_module(inspect.getmodule(ancestor)).get(ancestor.__name__, {})
    return found


@cache
def _in_module(module) -> dict[str, dict[str, str]]:
    """Return the texts of the records of a module, by class and field."""
    nodes = ast.parse(inspect.getsource(module)).body
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    return {node.name: dict(_below_fields(node)) for node in classes}


def _below_fields(node: ast.ClassDef):
    for field, below in pairwise(node.body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                yield name, inspect.cleandoc(text)


if __name__ == "__main__":
    print(written(for_editors()))
