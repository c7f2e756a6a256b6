"""How a refusal of a config reads: the key, what was found and what is allowed."""

import re
from difflib import get_close_matches
from typing import Any

from repatlas.config.sweeps import merged

LONGEST = 60
"""Characters of what was found, above which it is not shown."""
ALLOWED = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "string_too_short": "a text of at least {min_length}",
    "string_too_long": "a text of at most {max_length} characters",
    "string": "a text, in quotes where it looks like a number",
    "list": "a list",
    "tuple": "a list",
    "dict": "keys with values",
    "model": "keys with values",
    "finite": "a finite number",
    "greater_than_equal": "at least {ge:.10g}",
    "greater_than": "more than {gt:.10g}",
    "less_than_equal": "at most {le:.10g}",
    "less_than": "less than {lt:.10g}",
    "multiple_of": "multiples of {multiple_of:.10g}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "literal_error": "{expected}",
}
"""Sentences by the name of pydantic's error, or by what that starts with; braces hold its
context."""

OTHER_NAMES = {"cka": "alignment"}
"""What others call a measure, and what it is called here."""


def sentence(details: dict, values: dict, file: str, files: dict[str, str]) -> str:
    """Return one error of pydantic as a sentence about values of this file, or of the file of a
    study."""
    study, path, value = _locate(details["loc"], values)
    file = files.get(details.get("ctx", {}).get("study", study), file)
    message = _message(details)
    if details["type"] == "missing":
        value, message = None, "missing, and it has no default"
    if details["loc"] and details["loc"][-1] == "[key]":
        path, value = path.removesuffix(".[key]"), details["loc"][-2]
    if details["type"] == "union_tag":
        key, kind, allowed = (details["ctx"][name] for name in ("key", "tag", "allowed"))
        found = f"found {kind!r}" if kind else "missing"
        path, value = f"{path}.{key}" if path else key, None
        message = f"{found}, allowed: {', '.join(allowed)}" + _suggestion(kind, allowed)
    if details["type"] == "literal_error":
        message += _suggestion(value, details["ctx"]["expected"].split("'")[1::2])
    if path.endswith(".seeds") and details["type"].startswith("int"):
        message += ", n: the seeds are 0 to n - 1"
    if not path:
        return f"{file}: {message}"
    if not path.isprintable():  # a line break in a name of the user's, for example
        path = repr(path)
    found = "" if value is None or len(repr(value)) > LONGEST else f"found {value!r}, "
    return f"{file}: {path}: {found}{message}"


def _message(details: dict) -> str:
    for start, allowed in ALLOWED.items():
        if details["type"].startswith(start):
            return f"allowed: {allowed.format(**details.get('ctx', {}))}"
    return details["msg"].removeprefix("Input ").removeprefix("Value ")


def _suggestion(value: Any, allowed: list[str]) -> str:
    lower, word = {name.lower(): name for name in allowed}, str(value).lower()
    word = re.sub(r"^fig(?=\d(\D|$))", "fig0", word)  # fig2 is fig02
    close = get_close_matches(OTHER_NAMES.get(word, word), lower, n=1)
    return f"; did you mean {lower[close[0]]!r}?" if close else ""


def _locate(location: tuple, values: Any) -> tuple[str | None, str, Any]:
    """Return the study, the path as it is written in its file, and the value there. The location in
    pydantic's error also holds the tag of a union."""
    study, path = None, ""
    if location[:1] == ("studies",) and len(location) > 1:
        study, values, location = location[1], values["studies"][location[1]], location[2:]
    for part in location:
        if isinstance(part, int) and isinstance(values, dict) and part not in values:
            # A sweep has a list of grids, and a config may write a single grid without the list.
            if "each" in values:
                path, values = f"{path}.each[{part}]", merged(values, values["each"][part])
            continue
        if isinstance(values, dict) and part in values:
            path, values = f"{path}.{part}" if path else str(part), values[part]
        elif isinstance(values, list) and isinstance(part, int) and part < len(values):
            path, values = f"{path}[{part}]", values[part]
        elif isinstance(values, dict) and part != values.get("kind"):
            path, values = f"{path}.{part}" if path else str(part), None
    return study, path, values
