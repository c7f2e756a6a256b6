"""The page that says of every claim how it will be judged: python -m repatlas.claims.plan_page"""

from collections.abc import Iterator, Sequence
from typing import Any

from repatlas.claims.claims_file import Claim, ClaimsFile, Control, claims_path
from repatlas.claims.claims_file import read_claims as read
from repatlas.claims.multiverse_page import word
from repatlas.named import names

HEAD = """\
# How every claim is judged

<!-- Written by `make format` from the claims files. -->

By [the rule for verdicts](../guide/verdicts.md). Limits, controls and settings on this page were
committed on 2026-11-28, before any number by this rule was computed, but after those by the rule
before it. So no limit was chosen blindly, and a claim whose limit became a sign or an order became
easier to hold. On the same day, after the plan, the page of the rule got what claims had followed
without it: limits for fewer than all, several statements in a claim, words of which less is judged.

The words of the claims, and their verdicts, are on the pages of claims. `claims.yaml` of a study
has all reasons: of limits, controls, changes (with the values that were known), dropped claims,
claims in one setting, and other ways to judge.

- **limit**: what each check expects, and its source. Without one the number is shown, not judged.
- **control**: the null model on which the same checks must fail, with its rows in the figure's
  table, or its number, or "computed apart".
- **settings**: ours alone, or also those of the tables of choices and lengths. With fewer than ten
  the verdict is "in our setting".
- **data**: what our networks are to the authors'. Empty for our own claims.
"""
TITLES = ("claim", "limit", "control", "settings", "data")


def page() -> str:
    """Return the page, in Markdown."""
    parts = [HEAD]
    for study in names("studies"):
        if claims_path(study).exists():
            parts += [f"## {study}\n", *_study(read(study))]
    return "\n".join(parts)


def _study(file: ClaimsFile) -> Iterator[str]:
    yield _table(TITLES, [_row(claim) for claim in file.claims])
    tables: dict[tuple[str, ...], list[tuple[str, ...]]] = {
        ("choice", "values, ours first", "why"): [
            (f"`{key}`", _values(of.options), of.why) for key, of in file.choices.items()
        ],
        ("figures", "training lengths, ours first", "why"): [
            (", ".join(of.figures), _values(of.options), of.why) for of in file.lengths
        ],
    }
    yield from (_table(titles, rows) for titles, rows in tables.items() if rows)


def _row(claim: Claim) -> tuple[str, ...]:
    return (
        claim.id,
        _limit(claim),
        _control(claim.control),
        ", ".join({"choices": "choices", "length": "lengths"}[each] for each in claim.varies),
        claim.data or "",
    )


def _limit(claim: Claim) -> str:
    if claim.fact:
        return "exact fact"
    if claim.limit.source == "ours":
        return "none"
    source = claim.limit.null_model or claim.limit.source
    expected = ", ".join(dict.fromkeys(check.expected.replace(" ", "") for check in claim.checks))
    return f"{expected} ({source})".strip()


def _control(control: Control | None) -> str:
    if control is None or control.null_model is None:
        return ""
    if control.rows:
        found = ", ".join(f"{column} {value}" for column, value in control.rows.items())
    else:
        found = "computed apart" if control.value is None else f"{control.value:g}"
    return f"{control.null_model}: {found}"


def _values(values: Sequence[Any]) -> str:
    return ", ".join(map(word, values))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    cells = [[text.replace("|", "\\|") for text in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


if __name__ == "__main__":
    print(page(), end="")
