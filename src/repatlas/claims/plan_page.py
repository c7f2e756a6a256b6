"""The page that says of every claim how it will be judged: python -m repatlas.claims.plan_page"""

from collections.abc import Iterator, Sequence
from typing import Any

from repatlas.claims.ledger import NULL_MODELS, OWNERS, Claim, Control, Ledger, ledger_file
from repatlas.claims.ledger import read_ledger as read
from repatlas.claims.multiverse_page import word
from repatlas.claims.rule import DATA
from repatlas.named import names

HEAD = """\
# How every claim is judged

<!-- Written by `make format` from the claims files. -->

By [the rule for verdicts](../guide/verdicts.md). Limits, controls and settings on this page were
committed on 2026-11-28, before any number by this rule was computed. The verdicts in the last
column are those that are published today, by the rule before it; "A; B" means that the correction
for the number of claims made B of A.

The values by that rule were published when this page was written. So no limit here was chosen
blindly, and where a limit of ours became a sign or an order, the claim became easier to hold.
"What was changed" names values that were known and near the new limit.

- **limit**: what each check of the claim expects, and its source. The number of a claim without one
  is shown, and not judged.
- **control**: the null model on which the same checks must fail. Its rows are in today's tables,
  its number follows from its definition, or it is still to be computed.
- **settings**: ours, and with "choices" and "lengths" those of the tables below it. With fewer than
  ten settings the verdict is "in our setting".
- **data**: what our networks are to the authors'.
"""
TITLES = ("claim", "by, where", "limit", "control", "settings", "data", "before")


def page() -> str:
    """Return the page, in Markdown."""
    parts = [HEAD]
    for study in names("studies"):
        if ledger_file(study).exists():
            parts += [f"## {study}\n", *_study(read(study))]
    return "\n".join(parts)


def _study(ledger: Ledger) -> Iterator[str]:
    yield _table(TITLES, [_row(claim) for claim in ledger.claims])
    if changed := [claim for claim in ledger.claims if claim.changed]:
        alike: dict[str, list[Claim]] = {}
        for claim in changed:
            alike.setdefault(str(claim.changed), []).append(claim)
        rows = [(_named(claims), text) for text, claims in alike.items()]
        yield _table(("claim as it is judged now", "what was changed, and why"), rows)
    if ledger.dropped:
        rows = [
            (f"{gone.id}. {gone.claim}", f"into {gone.into}" if gone.into else "dropped", gone.why,
             gone.before)
            for gone in ledger.dropped
        ]  # fmt: skip
        yield _table(("no longer by itself", "where it is", "why", "before"), rows)
    if ledger.choices:
        rows = [
            (f"`{key}`", _values(choice.options), choice.why)
            for key, choice in ledger.choices.items()
        ]
        yield _table(("choice", "values, ours first", "why"), rows)
    if ledger.lengths:
        rows = [(", ".join(of.figures), _values(of.options), of.why) for of in ledger.lengths]
        yield _table(("figures", "training lengths, ours first", "why"), rows)


def _row(claim: Claim) -> tuple[str, ...]:
    about = f": {claim.about}" if claim.about else ""
    return (
        f"{claim.id}. {claim.claim}",
        f"{OWNERS[claim.by]}; {claim.where}",
        _limit(claim),
        _control(claim.control) + (f" The claim needs {claim.later}." if claim.later else ""),
        ", ".join(["ours", *map({"choices": "choices", "length": "lengths"}.get, claim.varies)]),
        f"{DATA[claim.data]}{about}" if claim.data else "",
        claim.before or "new",
    )


def _named(claims: Sequence[Claim]) -> str:
    """Return one claim with its words, and several by their numbers."""
    if len(claims) == 1:
        return f"{claims[0].id}. {claims[0].claim}"
    return ", ".join(claim.id for claim in claims)


def _limit(claim: Claim) -> str:
    if claim.fact:
        return f"exact fact: {claim.fact}"
    limit = claim.limit
    assert limit is not None  # as in every claims file
    if limit.source == "ours":
        return f"none: {limit.why}"
    source = NULL_MODELS[limit.null_model] if limit.null_model else limit.source
    expected = ", ".join(dict.fromkeys(check.expected for check in claim.checks))
    return f"{expected} ({source}): {limit.why}".strip()


def _control(control: Control | None) -> str:
    if control is None or control.null_model is None:
        return f"none: {control.why}." if control else ""
    name = NULL_MODELS[control.null_model]
    why = f"; {control.why}" if control.why else ""
    if control.rows:
        rows = ", ".join(f"{column} {value}" for column, value in control.rows.items())
        return f"{name}: rows with {rows}{why}."
    return f"{name}: {'to be computed' if control.value is None else f'{control.value:g}'}{why}."


def _values(values: Sequence[Any]) -> str:
    return ", ".join(map(word, values))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    cells = [[(text or "").replace("|", "\\|") for text in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n"


if __name__ == "__main__":
    print(page(), end="")
