"""Judges every claim of a claims file, by the tables of its figures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import Check, Claim, ClaimsFile
from repatlas.claims.multiverse import Tried
from repatlas.claims.outcomes import CONTRADICTED
from repatlas.claims.rows import RowsByKind, by_kind
from repatlas.claims.rule import (
    DATA,
    FAILS,
    IN_OUR_SETTING,
    NOT_COMPUTED,
    NOT_REPRODUCED,
    PASSES,
    REPRODUCED,
    control_of,
    overall_verdict,
)
from repatlas.claims.selection import NO_SETTINGS, NoRows
from repatlas.claims.settings import grids_of, other_settings, sentence
from repatlas.claims.verdicts import (
    CLAIMS_SCHEMA,
    NOT_JUDGED,
    CheckResult,
    ClaimResult,
    checks_of,
    corrected,
    judge,
    outcome,
)
from repatlas.figures.columns import with_all_columns

Read = Callable[[list[Claim]], RowsByKind]
"""The rows of a table that these claims are about."""
ALWAYS = {"run", "step", "measure", "variant", "contrast"}
"""The settings that each claim may need."""
OF_KIND = {"choices": "choices", "length": "lengths"}
"""What settings are called, by what they vary."""


class Tables(Mapping[str, tuple[dict, Read]]):
    """The header of each figure's table, and the rows that claims need. These are the rows
    of their measures, in the columns that they name or that identify rows. Raises Unreadable if a
    table is not as it was written."""

    def __init__(self, paths: dict[str, Path]):
        self._paths = paths

    def __getitem__(self, figure: str) -> tuple[dict, Read]:
        header, table = read_table(self._paths[figure], "table")
        return header, partial(_rows_of, with_all_columns(table))

    def __contains__(self, figure: object) -> bool:
        return figure in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _rows_of(table: pa.Table, claims: list[Claim]) -> RowsByKind:
    filled = {name for name in table.column_names if table[name].null_count < len(table)}
    settings = filled - {*NO_SETTINGS}
    varying = {name for name in settings if pc.count_distinct(table[name], "all").as_py() > 1}
    needed = set.union(ALWAYS, varying, *(claim.words for claim in claims))
    measures = set.union(*(claim.measures for claim in claims))
    chosen = table.filter(pc.is_in(table["measure"], pa.array(sorted(measures))))
    return by_kind(chosen, [name for name in table.column_names if name in needed])


def claims_table(
    file: ClaimsFile, tables: Mapping[str, tuple[dict, Read]], preview: bool
) -> pd.DataFrame:
    """Return a row for each check of each claim, in the columns of CLAIMS_SCHEMA. `tables` has the
    header and the rows of each figure's table. A claim that cannot be tested says why, and does
    not stop the others."""
    abouts: dict[str, dict] = {}
    checks: dict[str, list[Check]] = {}
    findings: dict[str, list[CheckResult]] = {}
    for figure in dict.fromkeys(claim.figure for claim in file.claims):
        claims = [claim for claim in file.claims if claim.figure == figure]
        read = _read(figure, claims, tables, preview)
        for claim in claims:
            about = abouts[claim.id] = {
                "claim": claim.id,
                "by": claim.by,
                "says": claim.claim,
                "place": claim.where,
                "figure": figure,
                "limit": claim.limit.source,
                "data": claim.data and DATA[claim.data],
            }
            if isinstance(read, str):
                about["why"] = read
                continue
            header, table = read
            rows = table.with_measures(claim.measures)
            wanted = [file.settings[name] for name in claim.settings]
            differences = other_settings(wanted, grids_of(header["job"]))
            if differences and claim.data:
                about["data"] = DATA["other"]
            not_theirs = [f"not {claim.about}"] if claim.about else []
            about["other_networks"] = sentence([*not_theirs, *differences]) or None
            about["control"] = control_of(claim, rows)
            try:
                findings[claim.id] = judge(claim, rows)
                checks[claim.id] = checks_of(claim, rows)
            except NoRows as reason:
                about["why"] = f"it needs {claim.later}" if claim.later else str(reason)
    _add_ours(file.claims, abouts, findings)
    rows = [
        row
        for claim in file.claims
        for row in _rows(abouts[claim.id], checks.get(claim.id, []), findings.get(claim.id, []))
    ]
    return with_verdicts(pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names), file)


def _read(
    figure: str, claims: list[Claim], tables: Mapping[str, tuple[dict, Read]], preview: bool
) -> tuple[dict, RowsByKind] | str:
    """Return the header and the rows of a figure's table; or why its claims are not judged."""
    if preview:
        return "a preview has few networks on coarse grids"
    if figure not in tables:
        return f"the config does not draw {figure}"
    header, read = tables[figure]
    if (drawn := header["job"]["draw"]) != figure:
        return f"what the config calls {figure} is {drawn}"
    return header, read(claims)


def _add_ours(
    claims: list[Claim], abouts: dict[str, dict], findings: dict[str, list[CheckResult]]
) -> None:
    """Add what our own setting found. The claims of one source that are judged are corrected
    together."""
    families: dict[str, dict[str, ClaimResult]] = {}
    for claim in claims:
        if claim.id in findings:
            found = outcome(findings[claim.id])
            abouts[claim.id] |= {"claim_p": found.p, "ours": found.verdict}
            is_fact = claim.fact and found.verdict != CONTRADICTED
            if not (is_fact or claim.later or claim.limit.source == "ours"):
                families.setdefault(claim.by, {})[claim.id] = found
    for family in families.values():
        for name, after in zip(family, corrected([*family.values()]), strict=True):
            more = {"ours": after.verdict, "corrected_p": after.p, "networks_needed": after.needed}
            abouts[name] |= more


def with_verdicts(
    rows: pd.DataFrame, file: ClaimsFile, tried: Sequence[Tried] = ()
) -> pd.DataFrame:
    """Return the rows of claims with their verdicts by the rule. tried: other settings in which
    they were judged."""
    known = {claim.id: claim for claim in file.claims}
    found = []
    for name, own in rows.groupby("claim", sort=False):
        ours, claim = own["ours"].iloc[0], known.get(name)
        if not isinstance(ours, str):
            found.append(own.assign(claim_verdict=NOT_JUDGED))
        elif claim is None:  # published before the claims file lost it
            found.append(own)
        else:
            found.append(own.assign(**_by_the_rule(claim, ours, own["control"].iloc[0], tried)))
    return pd.concat(found)


def in_schema(rows: pd.DataFrame) -> pa.Table:
    """Return the rows of claims as a table of CLAIMS_SCHEMA."""
    whole = {n: "Int32" for n in CLAIMS_SCHEMA.names if CLAIMS_SCHEMA.field(n).type == "int32"}
    return pa.Table.from_pandas(rows.astype(whole), schema=CLAIMS_SCHEMA, preserve_index=False)


def _by_the_rule(
    claim: Claim, ours: str, control: str, tried: Sequence[Tried]
) -> dict[str, str | None]:
    designs = {each.varies: design for each in tried if (design := each.design(claim.id))}
    mine = {kind: design for kind, design in designs.items() if design.holds}
    if claim.is_tried_by("untrained"):
        [holds] = mine["untrained"].holds.values() if "untrained" in mine else [None]
        control = {True: PASSES, False: FAILS, None: NOT_COMPUTED}[holds]
    lacking = [OF_KIND[kind] for kind in claim.varies if kind not in mine]
    word, why = overall_verdict(
        claim, ours, control, [mine[kind] for kind in claim.varies if kind in mine]
    )
    # What depends on some settings depends, whatever the others say.
    if lacking and word in (REPRODUCED, NOT_REPRODUCED, IN_OUR_SETTING):
        word = IN_OUR_SETTING
        why = f"{ours}; other {' and '.join(lacking)} are missing"
    held = [
        f"{sum(mine[kind].holds.values())} of {len(mine[kind].holds)} {OF_KIND[kind]}"
        for kind in claim.varies
        if kind in mine
    ]
    return {
        "claim_verdict": word,
        "why": why,
        "control": control,
        "holds_in": ", ".join(held) or None,
    }


def _rows(about: dict, checks: list[Check], found: list[CheckResult]) -> list[dict]:
    return [
        about
        | {"check": place, "statistic": check.description, "expected": check.expected}
        | {"number": check.number}
        | finding._asdict()
        for place, (check, finding) in enumerate(zip(checks, found, strict=True))
    ] or [about]
