"""prepare: the data that networks are trained on: tasks drawn, images read and checked."""

import json

from repatlas.artifacts.files import write_arrays
from repatlas.artifacts.recipes.networks import PrepareJob
from repatlas.named import named
from repatlas.stages.job import log, made_from, show, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--source", default="{}", help="where the user's files are, as JSON")
    options = parser.parse_args(arguments)
    job = PrepareJob.read(options.job)
    header = made_from(options, job, {})
    experiment = named(f"experiments.{job.experiment}", "prepare")
    source = json.loads(options.source)
    arrays, about, said = experiment.prepare(job.wanted, job.seed, source, log)
    write_arrays(options.output, "data", header | about, arrays)
    show(options)
    log(said)
