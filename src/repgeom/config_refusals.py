"""How a refusal of a config reads: the key, what was found and what is allowed."""

from typing import Any, get_args

from repgeom.tasks import FAMILIES

KINDS = [get_args(family.model_fields["kind"].annotation)[0] for family in FAMILIES]


def sentence(details: dict, values: dict, file: str) -> str:
    """One error of pydantic's, about the values of this file."""
    path, value = _locate(details["loc"], values)
    message = details["msg"].removeprefix("Input ").removeprefix("Value ")
    if details["type"].startswith("union_tag"):
        kind = details["ctx"].get("tag")
        found = f"found {kind!r}" if kind else "missing"
        path, value, message = f"{path}.kind", None, f"{found}, allowed: {', '.join(KINDS)}"
    if not path:
        return f"{file}: {message}"
    found = "" if isinstance(value, dict | list) or value is None else f"found {value!r}, "
    return f"{file}: {path}: {found}{message}"


def _locate(location: tuple, values: Any) -> tuple[str, Any]:
    """The path as it is written in the file, and what stands there. pydantic's location also holds
    the tag of a union, and an index where a single value stands for a list."""
    path = ""
    for part in location:
        if isinstance(values, dict) and part in values:
            path, values = f"{path}.{part}" if path else str(part), values[part]
        elif isinstance(values, list) and isinstance(part, int) and part < len(values):
            path, values = f"{path}[{part}]", values[part]
        elif isinstance(values, dict) and part not in _tags(values):
            path, values = f"{path}.{part}" if path else str(part), None
    return path, values


def _tags(values: dict) -> set:
    return {values.get("kind")}
