"""make_tasks: draw the centres, labels and axes of every task of a shard."""

from pydantic import TypeAdapter

from repgeom.files import write_arrays
from repgeom.provenance import origin
from repgeom.spec import geometry_key
from repgeom.stages.job import log, read_job, stage_parser
from repgeom.sweeps import AnyTaskGrid, points
from repgeom.tasks import AnyTask


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
