"""The metadata of a Workflow Run RO-Crate: its files, the run that made them, and the claims.

The crate follows the profile https://w3id.org/ro/wfrun/workflow/0.5. An entity is a dictionary of
JSON-LD, in which `@id` names another entity or a file of the crate.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from repatlas import __version__
from repatlas.artifacts import layout
from repatlas.artifacts.files import read_table
from repatlas.claims.ledger import read_ledger
from repatlas.claims.sentences import we_find
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.figures.captions import about_study
from repatlas.operations.bundle import entry_of
from repatlas.operations.expected import Expected
from repatlas.operations.freshness import stated, upstream
from repatlas.operations.sources import INDEX
from repatlas.plan.places import Product
from repatlas.plan.plan import Plan

METADATA, CONFIG, WORKFLOW = "ro-crate-metadata.json", "config.json", "Snakefile"
ACTION, LANGUAGE = "#run", "https://snakemake.github.io"
BASE = ("https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0")
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
"""The profiles that a crate follows."""
# RO-Crate 1.1 has all other terms.
CONTEXT = [f"{BASE[0]}/context", {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}]
MEDIA_TYPES = {
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
}
"""The types of files by their suffixes. Others are plain text."""
OUTPUTS = {"figures": (".pdf", ".png"), "tables": (".parquet", ".md")}
"""The outputs of the workflow, by the suffixes of their files."""
Entity = dict[str, Any]


def metadata(
    plan: Plan,
    expected: Mapping[Path, Expected],
    made: Mapping[Path, Expected],
    folder: Path,
    license: str,
) -> Entity:
    """Return the metadata of a crate as JSON-LD. `expected` are all files of the plan by their
    names, and `made` the files that exist. `folder` is the crate with all other files."""
    identities = {p.relative_to(plan.results).as_posix(): w.identity for p, w in made.items()}
    files = {
        name: _file(folder, name, identities.get(name))
        for name in (p.relative_to(folder).as_posix() for p in sorted(folder.rglob("*.*")))
    }
    results = [name for name in files if name in identities]
    parameters = [_parameter("config", [CONFIG], files)]
    for name, suffixes in OUTPUTS.items():
        of_type = [each for each in results if each.endswith(suffixes)]
        parameters.append(_parameter(name, of_type, files))
    packages = list(_packages(made.values()))
    files[INDEX]["description"] = "The size and the SHA-256 of each file that the run made"
    files[CONFIG]["description"] = "All values of the config"
    files[WORKFLOW] = _file(folder, WORKFLOW) | {
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "repatlas",
        "version": __version__,
        "programmingLanguage": _to(LANGUAGE),
        "input": _to("#config"),
        "output": _to(*(f"#{name}" for name in OUTPUTS)),
        "softwareRequirements": _to_all(packages),
    }
    begin, end = _times(made.values())
    action = {
        "@id": ACTION,
        "@type": "CreateAction",
        "name": f"Run of {', '.join(plan.studies)}",
        "description": "The times are those of its earliest and its latest file",
        "instrument": _to(WORKFLOW),
        "object": _to(CONFIG),
        "result": _to(*results),
        "startTime": begin,
        "endTime": end,
    }
    claims = [entity for study in plan.judged for entity in _claims(plan, study, expected)]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": "; ".join(about_study(study)[0] for study in plan.studies),
        "description": "Figures, tables and tested claims, with digests of the data and the code"
        " behind them, and the command that reproduces each claim",
        "datePublished": end,
        "license": _to(f"https://spdx.org/licenses/{license}"),
        "conformsTo": _to(*PROFILES),
        "hasPart": _to(*files),
        "mainEntity": _to(WORKFLOW),
        "mentions": _to_all([action, *(each for each in claims if each["@type"] == "Claim")]),
    }
    about = [_descriptor(), root, *_contexts(license), action]
    return {
        "@context": CONTEXT,
        "@graph": [*about, *files.values(), *parameters, *packages, *claims],
    }


def _to(*names: str) -> Entity | list[Entity]:
    """Return references to entities: a single one is no list."""
    found = [{"@id": name} for name in names]
    return found[0] if len(found) == 1 else found


def _to_all(entities: Iterable[Entity]) -> Entity | list[Entity]:
    return _to(*(entity["@id"] for entity in entities))


def _descriptor() -> Entity:
    return {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": _to(*BASE),
    }


def _contexts(license: str) -> list[Entity]:
    """Return the entities outside of the crate that others name."""
    profiles = [
        {"@id": url, "@type": "CreativeWork", "name": name, "version": url.rpartition("/")[2]}
        for url, name in PROFILES.items()
    ]
    licence = f"https://spdx.org/licenses/{license}"
    return [
        *profiles,
        {"@id": licence, "@type": "CreativeWork", "name": license, "description": licence},
        {"@id": LANGUAGE, "@type": "ComputerLanguage", "name": "Snakemake", "url": _to(LANGUAGE)},
    ]


def _file(folder: Path, name: str, identity: str | None = None) -> Entity:
    entry = entry_of(folder / name)
    found = {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": MEDIA_TYPES.get(Path(name).suffix, "text/plain"),
        "contentSize": str(entry.size),
        "sha256": entry.sha256,
    }
    return found | ({"identifier": identity} if identity else {})


def _parameter(name: str, examples: list[str], files: Mapping[str, Entity]) -> Entity:
    """Return an input or output of the workflow, after these files, its values, refer to it."""
    for example in examples:
        files[example]["exampleOfWork"] = _to(f"#{name}")
    return {
        "@id": f"#{name}",
        "@type": "FormalParameter",
        "name": name,
        "additionalType": "File",
        "workExample": _to(*examples),
    }


def _packages(made: Iterable[Expected]) -> Iterable[Entity]:
    """Yield the packages with which networks were trained and tables collected."""
    recorded = [each for each in made if each.stage in ("train", "tabulate")]
    found = [stated(each.path, each.stage)["versions"].items() for each in recorded]
    for name, version in sorted({each for of_file in found for each in of_file if each[1]}):
        url = f"https://pypi.org/project/{name}/{version.partition('+')[0]}/"  # without the device
        yield {
            "@id": url,
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
            "url": _to(url),
        }


def _times(made: Iterable[Expected]) -> tuple[str, str]:
    """Return the times of the earliest and of the latest file."""
    times = [wanted.path.stat().st_mtime for wanted in made]
    both = (datetime.fromtimestamp(time, UTC) for time in (min(times), max(times)))
    begin, end = (time.isoformat(timespec="seconds") for time in both)
    return begin, end


def _claims(plan: Plan, study: str, expected: Mapping[Path, Expected]) -> Iterable[Entity]:
    """Yield the claims about the figures of a study, and the entities that belong to each."""
    place = layout.CLAIMS.format(study=study)
    path = expected[Path(plan.results, place)].path
    rows = read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas()
    code = {figure: _code(plan, figure, expected) for figure in plan.study_figures(study)}
    yield from code.values()
    for claim in read_ledger(study).claims:
        figure = Product(study, claim.figure)
        if figure not in code:
            continue  # the config does not draw it
        name, of_claim = f"{study}/{claim.id}", rows[rows["claim"] == claim.id]
        about = list(_about(name, of_claim.iloc[0]))
        about += [_check(name, row) for row in of_claim.dropna(subset="check").itertuples()]
        kinds = (layout.PDF, layout.PNG)
        claim_of_crate = {
            "@id": f"#claim/{name}",
            "@type": "Claim",
            "name": f"Claim {name}",
            "identifier": name,
            "text": claim.claim,
            "citation": claim.where,
            "measurementTechnique": claim.statistic,
            "isBasedOn": _to(layout.TABLE.format(**figure.place), place),
            "appearance": _to(*(kind.format(**figure.place) for kind in kinds)),
            "additionalProperty": _to_all([*about, code[figure]]),
        }
        yield from (claim_of_crate, *about)


def _about(name: str, row: pd.Series) -> Iterable[Entity]:
    """Yield the verdict on a claim, and why it does not count."""
    values = {
        "verdict": row["claim_verdict"],
        "corrected verdict": row["claim_corrected_verdict"],
        "p": row["claim_p"],
        "corrected p": row["claim_corrected_p"],
        "outcome of the checks": row["claim_outcome"],
        "not judged": row["not_judged"],
        "other settings": row["other_settings"],
        "exact fact": row["fact"],
    }
    for key, value in values.items():
        if not pd.isna(value):
            yield _property(f"#claim/{name}/{key.replace(' ', '-')}", key, value)


def _check(name: str, row: Any) -> Entity:
    """Return a check of a claim: its number with the interval, and the same in a sentence."""
    named = row.number if isinstance(row.number, str) else row.statistic
    found = _property(f"#claim/{name}/check-{row.check + 1:.0f}", named, row.value)
    if not pd.isna(row.low):
        found |= {"minValue": row.low, "maxValue": row.high}
    return found | {
        "measurementTechnique": row.statistic,
        "description": f"{we_find(row)} {row.verdict.capitalize()}.",
    }


def _code(plan: Plan, figure: Product, expected: Mapping[Path, Expected]) -> Entity:
    """Return the fingerprints of the code of each stage behind the table of a figure."""
    table = Path(plan.results, layout.TABLE.format(**figure.place))
    codes: dict[str, set[str]] = {}
    for wanted in upstream(expected, [table]).values():
        codes.setdefault(wanted.stage, set()).add(json.loads(wanted.job)["code"])
    text = "; ".join(f"{stage} {' '.join(sorted(found))}" for stage, found in codes.items())
    name = "/".join(figure)
    return _property(f"#code/{name}", f"fingerprints of the code of {name}", text)


def _property(name: str, of: str, value: Any) -> Entity:
    return {"@id": name, "@type": "PropertyValue", "name": of, "value": value}
