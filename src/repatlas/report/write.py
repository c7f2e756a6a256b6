"""write_report: the page with the claims, the figures and their origins, in one file.

`verify` does not know it: it is packed from files that `verify` checks, and says in itself which of
them were not what the config and the code imply.
"""

import gzip
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
from docutils.core import publish_parts
from markupsafe import Markup

from repatlas import studies
from repatlas.artifacts import layout
from repatlas.artifacts.drawings import read_drawing
from repatlas.artifacts.files import read_table, whole_file
from repatlas.artifacts.recipes.study import ReportJob
from repatlas.claims.ledger import read_ledger
from repatlas.claims.multiverse_page import in_settings
from repatlas.claims.verdicts import CLAIMS_SCHEMA
from repatlas.config.config import read_config
from repatlas.figures.best import BEST
from repatlas.figures.captions import Caption, about_study
from repatlas.plan.captions import caption, caption_of_multiverse
from repatlas.plan.places import Overview, Product
from repatlas.plan.plan import Plan
from repatlas.record import canonical
from repatlas.report.findings import found_by
from repatlas.report.multiverse import read_multiverse
from repatlas.report.origins import origins
from repatlas.report.page import Shown, data_uri, report_page
from repatlas.report.rows import Row, claim_rows
from repatlas.report.titles import without_title
from repatlas.report.words import described
from repatlas.stages.job import log, stage_parser

STUDIES = Path(studies.__file__).parent
MOST_DATA = 300_000
"""Bytes of a figure's data on the page, which must stay one file that can be mailed."""
STRICT = {
    "halt_level": 2,  # a warning is a mistake in a caption, which should not reach the reader
    "file_insertion_enabled": False,
    "raw_enabled": False,
}
NO_RESULTS = {"accept_code", "only"}
"""Keys of a config that do not affect its results."""


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="the values of the config, as JSON")
    parser.add_argument("--results", default="results", help="their folder, with a preview's in it")
    parser.add_argument("--identity", default="", help="what the page is made from, to state it")
    parser.add_argument("--claims", type=Path, nargs="*", required=True, help="if there are any")
    parser.add_argument("--multiverse", type=Path, nargs="*", default=[], help="if there is one")
    options = parser.parse_args(arguments)
    job = ReportJob.read(options.job)
    plan = Plan(read_config(json.loads(options.config)), options.results)

    found, claims = CLAIMS_SCHEMA.empty_table().to_pandas(), []
    for path in options.claims:
        found, claims = (
            read_table(path, "claims", CLAIMS_SCHEMA)[1].to_pandas(),
            read_ledger(job.study).claims,
        )
    tables = [path for path in options.multiverse if path.suffix == ".parquet"]
    several = [each for path in tables for each in read_multiverse(path).found]
    rows = claim_rows(claims, found, in_settings(several))
    figures = [
        *(_shown_multiverse(plan, each) for each in plan.multiverses if each.study == job.study),
        *(_shown_claims(plan, page) for page in plan.overviews(job.study)),
        *(_shown(plan, figure, rows) for figure in plan.study_figures(job.study)),
    ]
    title, about = about_study(job.study)
    page = report_page(
        title,
        in_html(about),
        rows,
        figures,
        origins(plan, job.study),
        hashlib.sha256(canonical(plan.config, NO_RESULTS).encode()).hexdigest()[:12],
        job.preview,
        datetime.now(UTC),
        next(iter(BEST.get(job.study, ())), ""),
    )
    with whole_file(options.output) as temporary:
        stated = f"<!-- {json.dumps({'identity': options.identity})} -->\n"
        temporary.write_text(page + stated, encoding="utf-8")
    log(f"{len(figures)} figures, {found['claim'].nunique()} claims, {len(page) / 1e6:.1f} MB")


def _shown_claims(plan: Plan, page: Overview) -> Shown:
    """Return a page of the figure of claims, which the page has as a file alone: its rows are in
    the table of claims."""
    pdf, _ = plan.pictures(page)
    return Shown(page.name, b"", Markup(""), 0, "", _files(page.name, pdf), {})


def _shown_multiverse(plan: Plan, multiverse: Product) -> Shown:
    pdf, png = plan.pictures(multiverse)
    table = Path(plan.results) / layout.MULTIVERSE_TABLE.format(study=multiverse.study)
    return Shown(
        multiverse.name,
        png.read_bytes(),
        in_html(caption_of_multiverse(multiverse.study)),
        len(plan.networks(multiverse)),
        "A row for each claim: in what share of the settings it holds, and which choice decides."
        " The table of claims on this page has the numbers.",
        _files(multiverse.name, pdf),
        {},
        about="The claims in many settings of the choices that the paper leaves open.",
        data=compressed_csv(pd.read_parquet(table)),
        table=str(table),
    )


def _shown(plan: Plan, figure: Product, rows: list[Row]) -> Shown:
    pdf, png = plan.files(figure)[:2]
    table = Path(plan.results) / layout.TABLE.format(**figure.place)
    about = plan.figures[figure].figure
    finding = found_by(about, figure.name, rows)
    values = pd.read_parquet(table)
    source = STUDIES / figure.study / "figures" / plan.figures[figure].draw / "drawing.py"
    picture, panels = without_title(png.read_bytes(), read_drawing(png))
    return Shown(
        figure.name,
        picture,
        in_html(caption(plan, figure)),
        len(plan.networks(figure)),
        described(figure.name, values, finding, about.about),
        _files(figure.name, pdf, source),
        panels,
        finding,
        about.about,
        compressed_csv(values),
        str(table),
    )


def compressed_csv(table: pd.DataFrame) -> bytes:
    """Return the table as CSV, compressed with gzip, or nothing if that has more than MOST_DATA
    bytes. Columns that are empty or equal in all rows are left out."""
    varying = [name for name in table if table[name].nunique(dropna=False) > 1 or name == "value"]
    text = table[varying].to_csv(index=False, float_format="%.6g", lineterminator="\n")
    found = gzip.compress(text.encode(), mtime=0)
    return found if len(found) <= MOST_DATA else b""


def _files(figure: str, pdf: Path, source: Path | None = None) -> dict[str, str]:
    """Return addresses that hold the PDF of a figure and the module that drew it, by file name."""
    found = {f"{figure}.pdf": data_uri(pdf.read_bytes(), "application/pdf")}
    if source:
        found[f"{figure}.py"] = data_uri(source.read_bytes(), "text/x-python")
    return found


def in_html(caption: Caption | str) -> Markup:
    """Return a caption, or another text in reStructuredText, as HTML."""
    return Markup(publish_parts(str(caption), writer="html5", settings_overrides=STRICT)["body"])
