"""make_tasks: draw the centres, labels and axes of every task of a shard."""

from pydantic import TypeAdapter

from repatlas.artifacts.files import write_arrays
from repatlas.artifacts.provenance import origin
from repatlas.experiments.clusters.grid import AnyTaskGrid, points
from repatlas.experiments.clusters.spec import geometry_key
from repatlas.experiments.clusters.tasks import AnyTask
from repatlas.stages.job import log, read_job, stage_parser


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    options = parser.parse_args(arguments)
    job = read_job(options.job, "make_tasks")

    arrays, tasks = {}, {}
    for values in job["tasks"]:
        for point in points(TypeAdapter(AnyTaskGrid).validate_python(values)):
            task = TypeAdapter(AnyTask).validate_python(point)
            key = geometry_key(task)
            tasks[key] = task.model_dump(exclude={"noise_variance"})
            for name, array in task.draw(job["seed"])._asdict().items():
                arrays[f"{key}/{name}"] = array
    header = {
        **origin(options.job, "make_tasks"),
        "tasks": tasks,
    }
    write_arrays(options.output, "tasks", header, arrays)
    log(f"drew {len(tasks)} tasks of seed {job['seed']}")
