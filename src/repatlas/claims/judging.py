"""Judges every claim of a claims file, by the tables of its figures."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import Check, Claim, ClaimsFile
from repatlas.claims.rows import RowsByKind, by_kind
from repatlas.claims.selection import NO_SETTINGS, NoRows
from repatlas.claims.settings import grids_of, other_settings, sentence
from repatlas.claims.verdicts import (
    CLAIMS_SCHEMA,
    FACT,
    NO_NUMBER,
    NOT_JUDGED,
    OTHER_SETTINGS,
    SUPPORTED,
    TOO_FEW,
    CheckResult,
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
                "fact": claim.fact,
                "ours": claim.limit is not None and claim.limit.source == "ours",
            }
            if isinstance(read, str) or claim.later:
                about["not_judged"] = read if isinstance(read, str) else f"it needs {claim.later}"
            else:
                header, table = read
                rows = table.with_measures(claim.measures)
                wanted = [file.settings[name] for name in claim.settings]
                differences = [f"not {claim.about}"] if claim.about else []
                differences += other_settings(wanted, grids_of(header["job"]))
                about["other_settings"] = sentence(differences) or None
                try:
                    findings[claim.id] = judge(claim, rows)
                    checks[claim.id] = checks_of(claim, rows)
                except NoRows as reason:
                    about["not_judged"] = str(reason)
    _add_verdicts(abouts, findings)
    rows = [
        row
        for claim in file.claims
        for row in _rows(abouts[claim.id], checks.get(claim.id, []), findings.get(claim.id))
    ]
    return pd.DataFrame(rows).reindex(columns=CLAIMS_SCHEMA.names)


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


def _add_verdicts(abouts: dict[str, dict], findings: dict[str, list[CheckResult]]) -> None:
    """Add the verdict on each claim. The claims of one source that count are corrected together."""
    outcomes = {name: outcome(found) for name, found in findings.items()}
    families: dict[str, list[str]] = {}
    for name, found in outcomes.items():
        about = abouts[name]
        about |= {"claim_p": found.p, "claim_outcome": found.verdict}
        if verdict := _uncounted(about):
            about |= {"claim_verdict": verdict, "claim_corrected_verdict": verdict}
        else:
            families.setdefault(about["by"], []).append(name)
    for names in families.values():
        for name, after in zip(names, corrected([outcomes[n] for n in names]), strict=True):
            before = outcomes[name]
            abouts[name] |= {
                "claim_verdict": before.verdict,
                "claim_corrected_p": after.p,
                "claim_corrected_verdict": after.verdict,
                "networks_needed": after.needed,
            }


def _uncounted(about: dict) -> str | None:
    """Return the verdict on a claim that does not count, and None for a claim that counts. A fact
    that fails is an error of the code, and counts."""
    if about["fact"] is not None and about["claim_outcome"] in (SUPPORTED, TOO_FEW):
        return FACT
    if about["ours"]:
        return NO_NUMBER
    return OTHER_SETTINGS if about["other_settings"] is not None else None


def _rows(about: dict, checks: list[Check], found: list[CheckResult] | None) -> list[dict]:
    if found is None:
        return [about | {"claim_verdict": NOT_JUDGED, "claim_corrected_verdict": NOT_JUDGED}]
    return [
        about
        | {"check": place, "statistic": check.description, "expected": check.expected}
        | {"number": check.number}
        | finding._asdict()
        for place, (check, finding) in enumerate(zip(checks, found, strict=True))
    ]
