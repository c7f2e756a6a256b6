"""The JSON schemas of config files, for editors, and the pages that describe every key.

python -m repatlas.config.schema NAME             prints the schema in NAME.schema.json
python -m repatlas.config.schema page [STUDY]     prints the page of shared keys, or of a study
"""

import json
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
OTHERWISE = "clusters"
"""The experiment of a sweep that names none."""
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
    """Return the schema of the config file of a study, which is also the schema of a user's
    complete config."""
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
    # A figure of another name says which it draws.
    whole["$defs"]["Figures"]["additionalProperties"] = {
        "type": "object",
        "required": ["draw"],
        "properties": {"draw": {"enum": list(figures_of(study))}},
    }
    if sweeps := whole["properties"].get("sweeps"):
        sweeps["additionalProperties"] = _sweep(sweeps["additionalProperties"]["items"])
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


def _sweep(grid: Schema) -> Schema:
    """Return the schema of a sweep from the schema of its grid. It uses conditions instead of a
    union, so that an editor names the wrong key instead of listing all alternatives."""
    found = grid["discriminator"]["mapping"]
    chosen: Schema = {"$ref": found.pop(OTHERWISE)}
    for experiment, reference in found.items():
        named = {"required": ["experiment"], "properties": {"experiment": {"const": experiment}}}
        chosen = {"if": named, "then": {"$ref": reference}, "else": chosen}
    # Any part of a grid may be common.
    each = {"type": "array", "items": {"type": "object"}, "minItems": 1}
    return {"if": {"required": ["each"]}, "then": {"properties": {"each": each}}, "else": chosen}


def written(file: str) -> Schema:
    """Return the schema in a file: of config.yaml, of the file of a study, or of the records that
    several studies share. Schemas of studies refer to these records."""
    if file == "config":
        return entry()
    if file == "records":
        return {"title": "Records", "$defs": _common()}
    whole, common = study_schema(file), _common()
    own = {name: record for name, record in whole["$defs"].items() if name not in common}
    text = json.dumps(whole | {"$defs": own})
    for name in common:
        text = text.replace(f'"#/$defs/{name}"', f'"records.schema.json#/$defs/{name}"')
    return json.loads(text)


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
        case {"then": {"properties": _}, "else": grid}:
            return _kind(grid)
        case {"then": one, "else": other}:
            return f"{_kind(other)} or {_kind(one)}"
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
    chosen = sys.argv[1]
    if chosen == "page":
        print(page_of(sys.argv[2]) if sys.argv[2:] else page(), end="")
    else:
        print(json.dumps(written(chosen), indent=2))
