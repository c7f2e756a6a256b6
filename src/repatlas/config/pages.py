"""The pages of all keys: python -m repatlas.config.pages [STUDY or EXPERIMENT] prints one."""

import json
import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from repatlas.config.schema import Schema, entry, study_schema
from repatlas.config.study import OWN
from repatlas.named import names

LONGEST = 40
"""The most characters of a default that is shown."""
EVERY_STUDY = "Keys of every study"
LISTS = {"measures": names("measures"), "activations": names("networks.activations")}
"""The names that many keys take, by the title of their list."""
WORDS = {"integer": "whole number", "string": "text", "boolean": "true, false"}
WORDS["object"] = "keys with values"


@cache
def layout() -> dict[str, Schema]:
    """Return the records of each page, by the name of a study or an experiment. "" is the page of
    config.yaml. Records of several experiments are on the page of the first."""
    studies = {study: study_schema(study)["$defs"] for study in names("studies")}
    common = {
        name: record
        for name, record in studies["structure"].items()
        if name != "Figures" and all(name in studies[each] for each in {*studies} - {OWN})
    }
    pages: dict[str, Schema] = {}
    seen = {*entry()["$defs"], "Preview"}
    for name in common:
        if name.endswith("Sweep"):
            waiting, found = [name], {}
            while waiting:
                if (each := waiting.pop(0)) not in seen:
                    seen.add(each)
                    found[each] = common[each]
                    waiting += _references(common[each])
            pages[common[name]["properties"]["experiment"]["const"]] = found
    placed = {name for found in pages.values() for name in found}
    pages[""] = {name: common[name] for name in common if name not in placed}
    for study, records in studies.items():
        pages[study] = {name: records[name] for name in records if name not in common}
    return pages


def page(name: str = "") -> str:
    """Return the page in Markdown with the keys of config.yaml, of a study or of an experiment."""
    records = "".join(_record(*record) for record in layout()[name].items())
    if name in names("studies"):
        return _linked(_head(f"config/{name}.yaml") + _once(_study_keys(name) + records), name)
    if name:
        # All sweeps have keys of a sweep of clusters.
        first = "".join(_record(*record) for record in layout()["clusters"].items())
        known = _once(first) if name != "clusters" else ""
        found = _once(first + records if known else records).removeprefix(known)
        return _linked(_head(f"a sweep of `experiment: {name}`") + found, name)
    text, pages = _head("a config"), ""
    text += (
        "A config has the keys of config.yaml, except `studies`, and the keys of one study. A sweep"
        " has the keys of its experiment. Each *axis* takes a value, or a list of values.\n\n"
    )
    for other in filter(None, layout()):
        kind = "study" if other in names("studies") else "experiment"
        text += f"- {kind} [{other}](config-{other}.md)\n"
        pages += f"{kind} {other} <config-{other}>\n"
    text += f"\n## Keys of config.yaml\n\n{_keys(entry()['properties'])}"
    text += _once(f"## {EVERY_STUDY}\n\n{_keys(_shared_keys())}{records}")
    for title, options in LISTS.items():
        text += f"## {title}\n\n{', '.join(f'`{each}`' for each in options)}\n\n"
    return f"{_linked(text, name)}\n```{{toctree}}\n:hidden:\n\n{pages}```\n"


def _head(what: str) -> str:
    return f"# Every key of {what}\n\nWritten by `make format` from the code.\n\n"


def _study_keys(study: str) -> str:
    shared = entry()["properties"] | ({} if study == OWN else _shared_keys())
    link = f"[keys of every study](config.md#{EVERY_STUDY.lower().replace(' ', '-')})"
    also = "" if study == OWN else f"It has the {link}, and these.\n\n"
    keys = {k: v for k, v in study_schema(study)["properties"].items() if k not in shared}
    return f"## Keys of config/{study}.yaml\n\n{also}{_keys(keys)}"


def _shared_keys() -> Schema:
    """Return the keys of every study of networks, except `figures`, which differs."""
    first, *others = (study_schema(each)["properties"] for each in {*names("studies")} - {OWN})
    return {
        key: value
        for key, value in first.items()
        if key not in {"figures", *entry()["properties"]}
        and all(of.get(key) == value for of in others)
    }


def _linked(text: str, name: str) -> str:
    """Return a page whose links to other pages name these."""
    studies = names("studies")
    for other in (each for each in layout() if each != name and each not in studies):
        links = [*map(_link, layout()[other])]
        links += [] if other else [f"[{title}](#{title})" for title in LISTS]
        for link in links:
            file = f"config-{other}.md" if other else "config.md"
            text = text.replace(link, link.replace("(#", f"({file}#"))
    return text.rstrip() + "\n"


def _once(text: str) -> str:
    """Return a page whose keys that an earlier record has, in the same words, are links."""
    first: dict[str, str] = {}
    found = ""
    for record in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        about, *keys = re.split(r"^(?=### )", record, flags=re.MULTILINE)
        title = about.partition("\n")[0].removeprefix("## ")
        again: dict[str, list[str]] = {}
        for key in keys:
            if first.setdefault(key, title) != title:
                again.setdefault(first[key], []).append(key.partition("\n")[0].removeprefix("### "))
        found += about
        for before, keys_before in again.items():
            link = f"[{before}](#{before.lower().replace(' ', '-')})"
            found += f"As in {link}: {', '.join(keys_before)}.\n\n"
        found += "".join(key for key in keys if first[key] == title)
    return found


def _record(name: str, record: Schema) -> str:
    about = " ".join(record.get("description", "").split())
    if name == "Figures":
        links = (_link(each).replace("[figure ", "[") for each in _references(record))
        about, record = ", ".join(links), {}
    return f"## {_title(name)}\n\n{about}\n\n{_keys(record.get('properties', {}))}"


def _keys(keys: Schema) -> str:
    """Return a heading and a paragraph for each key, after the keys with one value. Each figure has
    the key `draw`, which the key `figures` describes."""
    fixed = [f"`{key}: {value['const']}`" for key, value in keys.items() if "const" in value]
    text = ", ".join(fixed) + "\n\n" if fixed else ""
    for key, value in keys.items():
        if "const" not in value and key != "draw":
            about = " ".join(value.get("description", "").split())
            text += f"### `{key}`\n\n{_with_default(value)} {about}".strip() + "\n\n"
    return text


def _with_default(value: Schema) -> str:
    """Return what a key takes, and its default unless its text describes it."""
    kind, default = _kind(value), value.get("default", math.nan)
    if default is math.nan:
        return f"{kind}, required."
    if default in (None, [], {}, [None]):
        return f"{kind.replace(' or null', '')}, optional."
    shown = json.dumps(default[0] if isinstance(default, list) and len(default) == 1 else default)
    return f"{kind}, default `{shown}`." if len(shown) <= LONGEST else f"{kind}."


def _kind(value: Schema) -> str:
    """Return the values that a key takes, in words."""
    match value:
        case {"$ref": reference}:
            return _link(reference.rpartition("/")[2])
        case {"anyOf": [one, {"uniqueItems": True, "items": items}]} if one == items:
            return f"{_kind(one)}, axis"
        case {"anyOf": options} | {"oneOf": options}:
            return " or ".join(dict.fromkeys(_kind(option) for option in options))
        case {"enum": options}:
            lists = [title for title in LISTS if sorted(options) == sorted(LISTS[title])]
            words = ", ".join(f"`{option}`" for option in options)
            return f"[{lists[0]}](#{lists[0]})" if lists else words
        case {"type": "array", "items": items}:
            return f"list of {_kind(items)}"
        case {"additionalProperties": dict(values)}:
            return f"by name: {_kind(values)}"
        case {"const": option}:
            return f"`{option}`"
    return WORDS.get(value.get("type", "any"), value.get("type", "any")) + _limits(value)


def _limits(value: Schema) -> str:
    """Return the limits that a user may meet, not the limits of float32 and int32."""
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    limits = [(sign, value[key]) for key, sign in signs.items() if abs(value.get(key, 1e9)) < 1e5]
    shown = [f"{sign} {n:.10g}" if n == 0 or n >= 1e-6 else "> 0" for sign, n in limits]
    return f" {', '.join(shown)}" if shown else ""


def _references(value: Any) -> Iterator[str]:
    """Yield the names of the records that a part of a schema refers to, in order."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        value = [inner for key, inner in value.items() if key != "discriminator"]
    if isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _link(name: str) -> str:
    title = _title(name)
    return f"[{title}](#{title.lower().replace(' ', '-')})"


def _title(name: str) -> str:
    """Return Options_fig02 and NetworkGrid in words. A title has two words, since keys have one."""
    if name.startswith("Options_"):
        return name.replace("Options_", "figure ")
    spaced = "".join(f" {sign.lower()}" if sign.isupper() else sign for sign in name).strip()
    title = spaced.removesuffix(" grid")
    return title if " " in title else f"{title} settings"


if __name__ == "__main__":
    print(page(*sys.argv[1:]), end="")
