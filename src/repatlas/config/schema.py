"""The JSON schema of config files, for editors, and the pages that describe every key.

python -m repatlas.config.schema                  prints the schema
python -m repatlas.config.schema page [STUDY]     prints the page of shared keys, or of a study
"""

import json
import re
import sys
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, create_model
from pydantic.json_schema import GenerateJsonSchema

from repatlas.config.config import Shared
from repatlas.config.docstrings import docstrings
from repatlas.config.study import figures_of, options_of, study_of
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

    A study has keys for networks, and for representations in files, if its tables can have their
    settings.
    """
    experiments = names(f"studies.{study}.settings")
    of_networks = ["sweeps"] if set(experiments) - {"files"} else []
    of_files = ["representations", "measures"] if "files" in experiments else []
    of_networks += ["multiverse"] if of_networks else []
    return ["study", *of_networks, *of_files, "compare"]


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


WRITTEN = "Written by `make format` from the code."


def page() -> str:
    """Return the page in Markdown with the keys of config.yaml, and with the records that several
    studies share: sweeps, tasks, networks and training."""
    shared, common = entry(), _common()
    lines = ["# Every key of a config", "", WRITTEN, ""]
    lines += [
        "The file of a study, and a file given with `--configfile` (`CONFIG=` for make), has the"
        " keys of one of these pages, and all keys of config.yaml except `studies`:",
        "",
        *(f"- [{study}](config-{study}.md)" for study in names("studies")),
        "",
    ]
    seen: set[str] = set()
    lines += ["## config.yaml", "", *_described(shared, shared, seen)]
    lines += ["## Sweeps, tasks and networks", ""]
    rest = {name: record for name, record in common.items() if name not in seen}
    for name, record in rest.items():
        lines += _record(name, record)
    return "\n".join(lines).rstrip() + "\n"


def page_of(study: str) -> str:
    """Return the page in Markdown with the keys of the config file of a study."""
    shared, common = entry(), _common()
    whole = _told_apart(study_schema(study), study)
    own = {k: v for k, v in whole["properties"].items() if k not in shared["properties"]}
    lines = [f"# config/{study}.yaml", "", WRITTEN, "", "## Keys of the file", ""]
    lines += _described(whole | {"properties": own}, whole, {*common})
    text = "\n".join(lines).rstrip() + "\n"
    for name in common:
        anchor = _link(f"/{name}").partition("](")[2]
        text = text.replace(f"]({anchor}", f"](config.md{anchor}")
    return text


def _common() -> Schema:
    """Return the records of config.yaml, and the records that at least two studies have."""
    found, seen = dict(entry()["$defs"]), set()
    for study in names("studies"):
        records = _told_apart(study_schema(study), study)["$defs"]
        found |= {name: records[name] for name in records if name in seen}
        seen |= {*records}
    return found


def _told_apart(whole: Schema, study: str) -> Schema:
    """Return the schema of a study in which the names of figures have the name of the study, since
    two studies may have figures of the same name."""
    text = json.dumps(whole)
    for name in ("Figures", *(f"Options_{figure}" for figure in figures_of(study))):
        for before in ("#/$defs/", ""):
            text = text.replace(f'"{before}{name}"', f'"{before}{name}_of_{study}"')
    return json.loads(text)


def _described(part: Schema, whole: Schema, seen: set[str]) -> Iterator[str]:
    """Yield the table of the keys of a file, and below it a table for each of its records, each
    once."""
    yield from _table(part)
    waiting = list(_references(part["properties"]))
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        record = whole["$defs"][name]
        yield from _record(name, record)
        waiting += _references(record)


def _record(name: str, record: Schema) -> Iterator[str]:
    yield f"### {_title(name)}"
    yield ""
    yield " ".join(record.get("description", "").split())
    yield ""
    yield from _table(record)


def _table(record: Schema) -> Iterator[str]:
    yield "| key | value | if not given | |"
    yield "|---|---|---|---|"
    for key, value in record.get("properties", {}).items():
        about = " ".join(value.get("description", "").split())
        default = f"`{json.dumps(value['default'])}`" if "default" in value else "refused"
        if len(default) > LONGEST:
            default = "as described"
        yield f"| `{key}` | {_kind(value)} | {default} | {about} |".replace("  ", " ")
    yield ""


LONGEST = 40
"""The largest number of characters of a default that fits into a cell."""


def _kind(value: Schema) -> str:
    """Return the values that a key takes, in words."""
    match value:
        case {"$ref": reference}:
            return _link(reference)
        case {"anyOf": [one, {"type": "array", "uniqueItems": True, "items": items}]} if (
            one == items
        ):
            return f"{_kind(one)}; or a list"
        case {"anyOf": options} | {"oneOf": options}:
            return " or ".join(dict.fromkeys(_kind(option) for option in options))
        case {"enum": options}:
            return ", ".join(f"`{option}`" for option in options)
        case {"const": option}:
            return f"`{option}`"
        case {"type": "array", "items": items}:
            return f"list of {_kind(items)}"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"by name: {_kind(values)}"
        case {"type": "null"}:
            return "null"
        case {"type": "object"}:
            return "keys with values"
        case {"type": kind}:
            words = {"integer": "whole number", "string": "text", "boolean": "true, false"}
            return words.get(kind, kind) + _limits(value)
    return "any"


def _limits(value: Schema) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    found = [f"{sign} {value[key]:.10g}" for key, sign in signs.items() if key in value]
    return f" {', '.join(found)}" if found else ""


def _references(value: Any) -> Iterator[str]:
    """Yield the names of the records that a part of a schema refers to, in order."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        value = [inner for key, inner in value.items() if key != "discriminator"]
    if isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _link(reference: str) -> str:
    title = _title(reference.rpartition("/")[2])
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _title(name: str) -> str:
    """Return options_fig02_of_structure and NetworkGrid in words."""
    if "_of_" in name:
        figure, _, study = name.rpartition("_of_")
        return f"{figure.replace('Options_', 'figure ').replace('F', 'f')} of {study}"
    spaced = "".join(f" {sign.lower()}" if sign.isupper() else sign for sign in name).strip()
    return spaced.removesuffix(" grid")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            print(written(for_editors()))
        case ["page", *studies]:
            print(page_of(*studies) if studies else page(), end="")
