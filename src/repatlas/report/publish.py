"""publish: a run into the documentation. Its claims: docs/<study>/claims.md and claims.parquet, and
the paragraph of the README that sums them up. How many networks each study has, in the README. Its
figures: docs/gallery.md, with a small picture of each. The picture at the head of the README, if
all studies that it shows are there. Each picture names the code that drew it (report/drawn_by.py).

Of a config with a multiverse, its claims in many settings alone: docs/<study>/multiverse.md,
.parquet and .png. The published verdicts are then followed by the number of settings in which each
claim holds."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from repatlas.artifacts import layout
from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import read_header, read_table, whole_file, write_table
from repatlas.artifacts.recipes.typed import parsed
from repatlas.artifacts.versions import link
from repatlas.claims.ledger import read_ledger
from repatlas.claims.multiverse_page import in_settings, multiverse_page
from repatlas.claims.summary import claims_page, result
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.operations.expected import expected_files, is_there
from repatlas.operations.options import parser_of, read_plan
from repatlas.plan.plan import Plan
from repatlas.plots.style import Style, applied, settle
from repatlas.record import Refused
from repatlas.report import hero
from repatlas.report.badges import badges
from repatlas.report.drawn_by import CODE, MODULES, drawn_by
from repatlas.report.gallery import DRAWS, FOLDER, gallery, published_claims, small
from repatlas.report.multiverse import read_multiverse
from repatlas.report.titles import without_title

START, END = "<!-- claims of {}: written by `make publish` -->\n", "<!-- end of claims -->\n"
NETWORKS = "<!-- networks of {} -->"
"""Precedes the number of networks of a study."""
STYLE = Style(colours={}, width=5.5, font_size=7, preview=False)
SHOWN = (
    "<!-- Written by `make publish`. -->\n\n"
    "![The share of settings in which each claim holds, and what decides](multiverse.png)"
)
HERO_DPI = 200
"""Pixels per inch of the picture, which a README shows at half of its 11 inches or less."""


def main(arguments: list[str]) -> None:
    parser = parser_of("publish", __doc__)
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="the folder of the pages")
    parser.add_argument("--readme", type=Path, default=Path("README.md"))
    options = parser.parse_args(arguments)
    plan = read_plan(options)
    results, judged = Path(plan.results), plan.judged
    if plan.multiverses:
        every = [
            results / place.format(study=study)
            for study, _ in plan.multiverses
            for place in (layout.MULTIVERSE_TABLE, layout.MULTIVERSE_PNG)
        ]
        _check(plan, every)
        for table, picture in zip(every[::2], every[1::2], strict=True):
            publish_multiverse(table, picture, options.docs, options.readme)
        _write(options.docs / "gallery.md", gallery(options.docs))
        return
    claims = [results / layout.CLAIMS.format(study=study) for study in judged]
    drawn = [
        page for study in judged for page in (*plan.overviews(study), *plan.study_figures(study))
    ]
    pictures = [path for page in drawn for path in plan.pictures(page) if path.suffix == ".png"]
    tables = [
        results / layout.TABLE.format(**f.place)
        for study in judged
        for f in plan.study_figures(study)
    ]
    _check(plan, [*claims, *pictures, *tables])
    publish(claims, pictures, tables, options.docs, options.readme)
    readme = options.readme.read_text(encoding="utf-8")
    _write(options.readme, with_networks(readme, networks_of_studies(plan)))


def networks_of_studies(plan: Plan) -> dict[str, int]:
    """Return the number of networks of each study of a config, of all its figures and sweeps."""
    whole = plan.whole
    return {
        study: len(set().union(*(whole.networks(p) for p in whole.products if p.study == study)))
        for study in whole.studies
    }


def with_networks(text: str, numbers: Mapping[str, int]) -> str:
    """Return a text with these numbers of networks behind the marks of their studies."""
    for study, number in numbers.items():
        mark = NETWORKS.format(study)
        text = re.sub(rf"{mark}[\d,]*", f"{mark}{number:,}", text)
    return text


def publish(
    claims: list[Path], pictures: list[Path], tables: list[Path], docs: Path, readme: Path
) -> None:
    """Write what these files of a run hold into the documentation. Raises Refused."""
    for path in claims:
        _publish(path, docs, readme)
    _publish_pictures(pictures, docs)
    _write(docs / "gallery.md", gallery(docs))
    _publish_hero(tables, docs)


def _check(plan: Plan, paths: list[Path]) -> None:
    """Let these names lead to what the config implies. Refuse to publish without claims, or if a
    file is not made yet."""
    if not paths:
        raise Refused("found no claims to publish: no study of the config has any")
    expected = expected_files(plan)
    for path in paths:
        if not is_there(expected[path]):
            raise Refused(f"{path}: is missing or out of date: draw the figures first")
        link(path, expected[path].path)


def _publish(claims: Path, docs: Path, readme: Path) -> None:
    """Write the claims of one study into docs/<study> and the README."""
    header, table = read_table(claims, "claims", CLAIMS_SCHEMA)
    _refuse_preview(header["job"], claims)
    study = header["job"]["study"]
    text = _with_claims(docs, readme, study, table.to_pandas())
    write_table(docs / study / "claims.parquet", "claims", header, table)
    _write(readme, text)


def publish_multiverse(path: Path, picture: Path, docs: Path, readme: Path) -> None:
    """Write the claims of a study in many settings into docs/<study>, and the number of settings
    after each verdict that was published last. Raises Refused."""
    header, table, found = read_multiverse(path)
    job = header["job"]
    _refuse_preview(job, path)
    folder = docs / job["study"]
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "multiverse.parquet", "multiverse", header, table)
    with whole_file(folder / "multiverse.png") as temporary:
        texts = _code_of("multiverse", header)
        temporary.write_bytes(small(picture.read_bytes(), texts=texts))
    title, _, rest = multiverse_page(found, job["settings"], job["values"], False).partition("\n")
    _write(folder / "multiverse.md", f"{title}\n\n{SHOWN}\n{rest}\n")
    claims = folder / "claims.parquet"
    if claims.exists():
        rows = read_table(claims, "claims", CLAIMS_SCHEMA)[1].to_pandas()
        _write(readme, _with_claims(docs, readme, job["study"], rows))


def _with_claims(docs: Path, readme: Path, study: str, rows: pd.DataFrame) -> str:
    """Write the page of a study's claims, and return the README with what was found."""
    multiverse = docs / study / "multiverse.parquet"
    settings = in_settings(read_multiverse(multiverse).found) if multiverse.exists() else {}
    paragraph = result(rows, f"docs/{study}/claims.md", settings)
    text = with_result(readme.read_text(encoding="utf-8"), study, paragraph)
    judged = set(rows["claim"])  # without claims that are newer than this run
    claims = [claim for claim in read_ledger(study).claims if claim.id in judged]
    page = claims_page(claims, rows, preview=False, settings=settings)
    _write(docs / study / "claims.md", page)
    return text


def _refuse_preview(job: dict[str, Any], path: Path) -> None:
    if job.get("preview"):  # a figure of claims has none
        raise Refused(f"{path}: a preview is not to be published")


def _publish_pictures(figures: list[Path], docs: Path) -> None:
    """Write small pictures of these figures, and remove all other pictures of their studies.

    Badges mark the claims that are contradicted in the last published claims.
    """
    pictures: dict[Path, bytes] = {}
    for path in figures:
        header = read_drawing(path)
        job = header["job"]
        _refuse_preview(job, path)
        claims = published_claims(docs, job["study"])
        tested = [row for row in claims if row.about.figure == job["figure"]]
        picture, panels = without_title(path.read_bytes(), header)
        texts = _code_of("plot" if "draw" in job else "plot_claims", header)
        texts[DRAWS] = job.get("draw", job["figure"])
        picture = small(picture, badges(panels, tested), texts)
        pictures[docs / FOLDER / job["study"] / f"{job['figure']}.png"] = picture
    for folder in {place.parent for place in pictures}:
        for old in folder.glob("*.png"):
            old.unlink()
    for place, picture in pictures.items():
        with whole_file(place) as temporary:
            temporary.write_bytes(picture)


def _code_of(stage: str, header: dict[str, Any]) -> dict[str, str]:
    """Return the texts that name the code of a drawing of a run."""
    job = parsed(stage, json.dumps(header["job"]))
    return {MODULES: " ".join(sorted({*job.modules()})), CODE: job.code}


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _publish_hero(paths: list[Path], docs: Path) -> None:
    """Draw the picture at the head of the README into `docs`, if the tables of all of its panels
    are among these files."""
    tables = {}
    for path in paths:
        job = read_header(path, "table")["job"]
        if hero.TABLES.get(job["study"]) == job["figure"]:
            tables[job["study"]] = pd.read_parquet(path)
    if tables.keys() != hero.TABLES.keys():
        return
    with applied(STYLE), whole_file(docs / "hero.png") as part:
        figure = hero.draw(tables, STYLE)
        settle(figure)
        figure.savefig(part, format="png", dpi=HERO_DPI, metadata=drawn_by("report.hero"))


def with_result(readme: str, study: str, paragraph: str) -> str:
    """Return the README with this paragraph between its marks. Raises Refused if it has no
    marks."""
    before, start, rest = readme.partition(START.format(study))
    _, end, after = rest.partition(END)
    if not (start and end):
        raise Refused(f"README: found no place for the claims, {START.format(study).strip()}")
    return f"{before}{start}{paragraph}\n{end}{after}"
