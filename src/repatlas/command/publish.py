"""publish: a run into the documentation. Its claims: docs/<study>/claims.md and claims.parquet. How
many networks each study has, and its verdicts, in the README. Its figures: docs/gallery.md, with a
small picture of each. The picture at the head of the README, if it has all studies.

Of a config with a multiverse, its claims in many settings: docs/<study>/multiverse.*, or lengths.*
or untrained.parquet. The published claims are then judged again."""

import argparse
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import read_table, whole_file, write_table
from repatlas.claims.claims_file import read_claims
from repatlas.claims.judging import in_schema, with_verdicts
from repatlas.claims.multiverse import read_tried
from repatlas.claims.multiverse_page import multiverse_page
from repatlas.claims.summary import claims_page, counts_of_others
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.config.multiverse import UNTRAINED
from repatlas.config.study import Study
from repatlas.figures.columns import with_all_columns
from repatlas.plots.style import Style, applied, settle
from repatlas.record import Refused
from repatlas.report import hero
from repatlas.report.gallery import DRAWS, FOLDER, gallery, small
from repatlas.report.write import networks_of
from repatlas.workflow import store
from repatlas.workflow.config import plan_of, read
from repatlas.workflow.plan import Plan

MARK = "<!-- {} of {} -->"
"""Precedes the number of networks of a study, or the verdicts on its claims."""
CLAIMS = "claims"
PAGES = {"choices": "multiverse", "length": "lengths", UNTRAINED: UNTRAINED}
"""The names of pages, by what their settings vary."""
STYLE = Style(colours={}, width=5.5, font_size=7, preview=False)
SHOWN = """\
<!-- Written by `make publish`. -->

![The share of settings in which each claim holds, and what decides]({}.png)"""
HERO_DPI = 200
"""Pixels per inch of the picture, which a README shows at half of its 11 inches or less."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser("repatlas publish", description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", type=Path)
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="the folder of the pages")
    parser.add_argument("--readme", type=Path, default=Path("README.md"))
    options = parser.parse_args(arguments)
    plan, docs, readme = plan_of(read(options.configs, {})), options.docs, options.readme
    if plan.config.preview:
        raise Refused("preview: a preview is not to be published")
    tried = _files(plan, ["multiverse"], ".parquet")
    for path in tried:
        publish_multiverse(path, docs)
    whole = [study for study, of in plan.studies.items() if not of.multiverse or _is_whole(of)]
    claims = _files(plan, ["judge"], ".parquet", whole)
    if not claims and not tried:
        raise Refused("found no claims to publish: no study of the config has any")
    if not claims:
        _write(docs / "gallery.md", gallery(docs))
        return
    judged = [path.parts[-4] for path in claims]
    pictures = _files(plan, ["plot"], ".png", judged)
    publish(claims, pictures, _files(plan, ["plot"], ".parquet", judged), docs)
    networks = {name: f"{len(networks_of(of, of.sweeps)):,}" for name, of in plan.studies.items()}
    text = with_numbers(readme.read_text(encoding="utf-8"), "networks", networks)
    verdicts = {study: counts_of_others(published(docs, study)) for study in judged}
    _write(readme, with_numbers(text, "verdicts", verdicts))


def _is_whole(study: Study) -> bool:
    """Return whether the config of a study has the figures of all its claims."""
    return {claim.figure for claim in read_claims(study.study).claims} <= study.figures.keys()


def _files(
    plan: Plan, stages: list[str], suffix: str, studies: Iterable[str] | None = None
) -> list[Path]:
    """Return the files of some stages of a run, of these studies or of all. Raises Refused for one
    that is not made yet."""
    found = []
    for name, made in plan.results.items():
        is_of_study = studies is None or name.split("/")[0] in studies
        if made.stage in stages and name.endswith(suffix) and is_of_study:
            found.append(path := plan.version(name))
            if not path.is_file() or not store.is_there(path):
                raise Refused(
                    f"{plan.folder / name}: is missing or out of date: draw the figures first"
                )
    return found


def with_numbers(text: str, what: str, numbers: Mapping[str, str]) -> str:
    """Return a text with these numbers behind the marks of their studies, in cells of a table."""
    for study, number in numbers.items():
        mark = MARK.format(what, study)
        text = re.sub(rf"{mark}[^|]*", f"{mark}{number} ", text)
    return text


def published(docs: Path, study: str) -> pd.DataFrame:
    """Return the claims of a study that were published last."""
    return read_table(docs / study / f"{CLAIMS}.parquet", "claims", CLAIMS_SCHEMA)[1].to_pandas()


def publish(claims: list[Path], pictures: list[Path], tables: list[Path], docs: Path) -> None:
    """Write what these files of a run hold into the documentation. Raises Refused."""
    for path in claims:
        _publish(path, docs)
    _publish_pictures(pictures, docs)
    _write(docs / "gallery.md", gallery(docs))
    _publish_hero(tables, docs)


def _publish(claims: Path, docs: Path) -> None:
    """Write the claims of one study into docs/<study>."""
    header, table = read_table(claims, "claims", CLAIMS_SCHEMA)
    study = header["job"]["study"]
    folder = docs / study
    tried = [read_tried(each) for each in sorted(folder.glob("*.parquet")) if each.stem != CLAIMS]
    rows = with_verdicts(table.to_pandas(), read_claims(study), tried)
    write_table(folder / f"{CLAIMS}.parquet", "claims", header, in_schema(rows))
    page = claims_page(rows, False).replace("# The", f"# {study}: the", 1)
    _write(folder / f"{CLAIMS}.md", page)


def publish_multiverse(path: Path, docs: Path) -> None:
    """Write the claims of a study in many settings into docs/<study>, and judge the published
    claims again. path: their table, next to their picture. Raises Refused."""
    tried = read_tried(path)
    job, picture = tried.header["job"], path.with_suffix(".png")
    folder = docs / job["study"]
    folder.mkdir(parents=True, exist_ok=True)
    name = PAGES[tried.varies]
    write_table(folder / f"{name}.parquet", "multiverse", tried.header, tried.table)
    if tried.varies != UNTRAINED:
        read_drawing(picture)
        with whole_file(folder / f"{name}.png") as temporary:
            temporary.write_bytes(small(picture.read_bytes()))
        page = multiverse_page(tried.found, job["settings"], job["values"], False)
        title, _, rest = page.replace("# The", f"# {job['study']}: the", 1).partition("\n")
        _write(folder / f"{name}.md", f"{title}\n\n{SHOWN.format(name)}\n{rest}\n")
    claims = folder / f"{CLAIMS}.parquet"
    if claims.exists():
        _publish(claims, docs)


def _publish_pictures(figures: list[Path], docs: Path) -> None:
    """Write small pictures of these figures, and remove all other pictures of their studies."""
    pictures: dict[Path, bytes] = {}
    for path in figures:
        job = read_drawing(path)["job"]
        picture = small(path.read_bytes(), {DRAWS: job["draw"]})
        pictures[docs / FOLDER / job["study"] / f"{job['figure']}.png"] = picture
    for folder in {place.parent for place in pictures}:
        for old in folder.glob("*.png"):
            old.unlink()
    for place, picture in pictures.items():
        with whole_file(place) as temporary:
            temporary.write_bytes(picture)


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _publish_hero(paths: list[Path], docs: Path) -> None:
    """Draw the picture at the head of the README into `docs`, if the tables of all of its panels
    are among these files."""
    tables = {}
    for path in paths:
        study, _, figure = path.parts[-4:-1]
        if hero.TABLES.get(study) == figure:
            tables[study] = with_all_columns(read_table(path, "table")[1]).to_pandas()
    if tables.keys() != hero.TABLES.keys():
        return
    with applied(STYLE), whole_file(docs / "hero.png") as part:
        figure = hero.draw(tables, STYLE)
        settle(figure)
        figure.savefig(part, format="png", dpi=HERO_DPI)
