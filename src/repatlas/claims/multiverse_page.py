"""The claims in all settings, as a page to read."""

import json
from collections.abc import Sequence
from typing import Any

from repatlas.claims.multiverse import HOLDS, NOT_APPLICABLE, Effect, Summary
from repatlas.inference.intervals import Interval

PREVIEW = "This is a preview: the first settings, with few networks on coarse grids."
HOW = """\
docs/guide/multiverse.md defines the words. Shares have Wilson's 95 % interval. The last column has
the value with the largest effect of the choices that decide. multiverse.parquet has each check in
each setting."""


def multiverse_page(
    found: list[Summary],
    settings: Sequence[dict[str, Any]],
    values: dict[str, list[Any]],
    preview: bool,
) -> str:
    """Return the page in Markdown: the choices, and a line for each claim."""
    lines = [f"# The claims in {len(settings)} settings", ""]
    lines += [PREVIEW, ""] if preview else []
    lines += [HOW, "", "| choice | values |", "|---|---|"]
    lines += [f"| `{key}` | {', '.join(map(word, of))} |" for key, of in values.items()]
    lines += [
        "",
        "| claim | holds in | share | not applicable | what decides |",
        "|---|---|---|---|---|",
    ]
    for each in found:
        lines.append(
            f"| {each.claim}. {each.says} | {held(each)} | {shown(each.share)} |"
            f" {each.counts[NOT_APPLICABLE]} | {decided(each.decisive)} |"
        )
    return "\n".join(lines)


def held(summary: Summary) -> str:
    """Return in how many of the applicable settings a claim holds."""
    if not summary.applicable:
        return "none is applicable" if summary.counts[NOT_APPLICABLE] else "not judged"
    return f"{summary.counts[HOLDS]} of {summary.applicable}"


def decided(effect: Effect | None) -> str:
    """Return the value that decides, with its effect."""
    if effect is None:
        return "no choice"
    return f"{effect.choice} = {word(effect.value)}: {shown(effect.difference)}"


def word(value: Any) -> str:
    """Return a value as text, spelled as in a config."""
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def shown(interval: Interval) -> str:
    """Return a number with its interval, or nothing for a number that does not exist."""
    value, low, high = (f"{each:.2f}".replace("-", "\N{MINUS SIGN}") for each in interval)
    return "" if interval.value != interval.value else f"{value} ({low}, {high})"
