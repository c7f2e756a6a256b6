"""plot: one figure, from its table alone, as PDF and PNG.

Their headers say in `panels` where the letters of panels stand, for marks that are laid over the
picture once claims are judged: the figure itself waits for no verdict.
"""

from pathlib import Path

from repatlas.artifacts.drawings import write_drawing
from repatlas.artifacts.files import read_table
from repatlas.artifacts.study_jobs import PlotJob
from repatlas.named import named
from repatlas.plots.style import Style, applied, places_of_letters, settle
from repatlas.stages.job import log, made_from, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--png", type=Path, required=True, help="beside the PDF in --output")
    options = parser.parse_args(arguments)
    job = PlotJob.read(options.job)

    room = f"studies.{job.study}"
    header, table = read_table(options.table, "table", named(room, "columns").TABLE_SCHEMA)
    module = named(f"{room}.figures", job.draw)
    style = Style(**job.style, preview=job.preview, step=job.step, partial=job.partial)
    own_header = made_from(options, job, {options.table: header})
    with applied(style):
        figure = module.draw(table.to_pandas(), style)
        settle(figure)
        own_header["panels"] = places_of_letters(figure)
        for path in (options.output, options.png):
            write_drawing(figure, path, own_header)
    log(f"drew {job.figure}")
