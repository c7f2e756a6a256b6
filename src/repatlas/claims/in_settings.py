"""The verdicts on the claims of a study in each setting of the choices that a paper leaves open."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from repatlas.artifacts.files import read_table
from repatlas.claims.claims_file import Claim
from repatlas.claims.judging import Tables
from repatlas.claims.multiverse import (
    MULTIVERSE_SCHEMA,
    NO_SEEDS,
    NOT_APPLICABLE,
    Seeds,
    Summary,
    Verdict,
    verdict,
    with_limit,
)
from repatlas.claims.multiverse_page import decided, held
from repatlas.claims.rule import verdict_untrained
from repatlas.claims.settings import grids_of
from repatlas.figures.columns import with_all_columns
from repatlas.named import named, names
from repatlas.plots.multiverse import Row


def seeds_of_figures(study: str, paths: dict[str, Path]) -> dict[str, Seeds]:
    """Return the seeds of each figure's networks, and the seeds that did not learn, for studies
    with a module `learned`. Tables of the others have the test accuracy of their networks."""
    if "learned" not in names(f"studies.{study}"):
        return {}
    rule = named(f"studies.{study}", "learned")
    found: dict[str, pd.Series] = {}
    runs: dict[str, set[str]] = {}
    columns = ["run", "seed", "step", "measure", "value", *rule.COLUMNS]
    for figure, path in paths.items():
        header, table = read_table(path, "table")
        rows = with_all_columns(table).select(columns).to_pandas()
        counts = rows["measure"].isin(rule.MEASURES) & rows["run"].notna() & rows["seed"].notna()
        found[figure] = rule.learned(rows[counts])
        grids = grids_of(header["job"])
        runs[figure] = {spec.key for grid in grids for spec in grid.specs()}
    if rule.KNOWN_BY_ALL:
        every = pd.concat([*found.values()])
        found = {f: every[every.index.get_level_values("run").isin(runs[f])] for f in found}
    seeds = {f: of.groupby(level="seed").all() for f, of in found.items()}
    return {f: Seeds({*of.index}, {*of.index[~of]}) for f, of in seeds.items()}


def verdicts(
    claims: list[Claim],
    settings: list[dict[str, Any]],
    figures: dict[str, int],
    tables: Tables,
    seeds: dict[str, Seeds],
    untrained: bool = False,
) -> pd.DataFrame:
    """Return the verdict on each claim in each setting, in the columns of MULTIVERSE_SCHEMA.

    figures: the setting of each figure; seeds: the seeds of each figure, and the seeds that did not
    learn; untrained: whether no network was trained.
    """
    found: dict[str, list[dict[str, Any]]] = {claim.id: [] for claim in claims}
    for figure, number in figures.items():
        header, read = tables[figure]
        own = [claim for claim in claims if claim.figure == header["job"]["draw"]]
        rows = read([with_limit(claim) for claim in own]) if own else None
        for claim in own:
            about = {
                "claim": claim.id,
                "says": claim.claim,
                "by": claim.by,
                "figure": claim.figure,
                "setting": number,
                "choices": json.dumps(settings[number]),
            }
            chosen = rows.with_measures(with_limit(claim).measures)
            if untrained:
                found[claim.id] += _rows(about, verdict_untrained(claim, chosen))
            else:
                of_figure = verdict(claim, chosen, seeds.get(figure, NO_SEEDS))
                found[claim.id] += _rows(about, of_figure)
    every = [row for of_claim in found.values() for row in of_claim]
    return pd.DataFrame(every).reindex(columns=MULTIVERSE_SCHEMA.names)


def shown(summary: Summary) -> Row:
    """Return a claim as the figure shows it."""
    out = summary.counts[NOT_APPLICABLE]
    effect = summary.decisive
    return Row(
        summary.claim,
        summary.says,
        held(summary) + (f"\n{out} not applicable" if out else ""),
        summary.share if summary.applicable else None,
        decided(effect).replace(": ", "\n") if summary.applicable else "",
        effect.difference if effect else None,
    )


def _rows(about: dict[str, Any], found: Verdict) -> list[dict[str, Any]]:
    outcome, reason, checks = found
    about |= {"outcome": outcome, "reason": reason}
    return [
        about
        | {"check": place, "number": check.number or check.description}
        | {"expected": check.expected, "value": finding.value}
        for place, (check, finding) in enumerate(checks)
    ] or [about]
