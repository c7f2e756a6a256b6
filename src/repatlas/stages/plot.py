"""plot: one figure, from its table alone, as PDF and PNG.

Above it stands what it found, if the claims that carry this sentence are judged so. They are about
its own table, and are judged here, too, so that a figure does not wait for other figures.

The headers of the files record the positions of the letters of panels, for marks that pages add,
and the height of the title, which pages print as text.
"""

from pathlib import Path

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_table
from repatlas.artifacts.recipes.study import PlotJob
from repatlas.claims.ledger import Claim
from repatlas.claims.rows import RowsByKind
from repatlas.claims.selection import NoRows
from repatlas.claims.verdicts import judge, outcome
from repatlas.figures.figure import Finding
from repatlas.named import named
from repatlas.plots.style import (
    Style,
    applied,
    height_of_title,
    places_of_letters,
    settle,
    title_above,
)
from repatlas.stages.job import log, made_from, show, stage_parser
from repatlas.stages.judge import Tables


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument(
        "--png",
        type=Path,
        required=True,
        help="the same picture as PNG, next to the PDF in --output",
    )
    options = parser.parse_args(arguments)
    job = PlotJob.read(options.job)

    room = f"studies.{job.study}"
    schema = named(room, "columns").TABLE_SCHEMA
    header, table = read_table(options.table, "table", schema)
    module = named(f"{room}.figures.{job.draw}", "drawing")
    style = Style(**job.style, preview=job.preview, step=job.step, partial=job.partial)
    own_header = made_from(options, job, {options.table: header})
    with applied(style):
        figure = module.draw(table.to_pandas(), style)
        title_above(figure, style, found(job, Tables({job.figure: options.table}, schema)))
        settle(figure)
        own_header |= {"panels": places_of_letters(figure), "title": height_of_title(figure)}
        for path in (options.output, options.png):
            write_drawing(figure, path, own_header)
    show(options, options.png)
    log(f"drew {job.figure}")


def found(job: PlotJob, tables: Tables) -> str:
    """Return the sentence that the figure says, or an empty text where its table says otherwise.
    Figures of some of the networks say nothing."""
    if job.title is None or job.partial:
        return ""
    finding = Finding(job.title.says, job.title.carried)
    if not finding.carried:
        return finding.says
    claims = [Claim(**claim) for claim in job.title.claims]
    _, read = tables[job.figure]
    rows = read(claims)
    return finding.sentence_if({claim.id: _outcome(claim, rows) for claim in claims})


def _outcome(claim: Claim, rows: RowsByKind) -> str | None:
    if claim.later:
        return None
    try:
        return outcome(judge(claim, rows.with_measures(claim.measures))).verdict
    except NoRows:
        return None
