"""measure: everything that is measured of a shard's networks, one row each."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import (
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_table,
    set_aside,
    write_table,
)
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.runs import UNUSED
from repatlas.experiments.clusters.size import work
from repatlas.experiments.clusters.spec import Spec, geometry_key
from repatlas.experiments.clusters.tasks import TaskArrays
from repatlas.experiments.clusters.training import training_conditions, training_noise
from repatlas.measures.of_clusters import MEASURES, Checkpoint, Row, SeedSamples
from repatlas.networks.mlp import initial_parameters
from repatlas.representation import Decoders, Samples, balanced_samples
from repatlas.stages.job import (
    WORK,
    Wanted,
    log,
    made_from,
    read_job,
    shard_arrays,
    stage_parser,
    wanted_runs,
)


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--twin", type=Path, required=True, help="another file to take rows from")
    options = parser.parse_args(arguments)
    job = read_job(options.job, "measure")
    tasks = shard_arrays(options.tasks, "tasks", job)
    runs = shard_arrays(options.runs, "runs", job)
    header = made_from(options, "measure", {options.tasks: tasks.header, options.runs: runs.header})
    decoders = Decoders.model_validate(job["decoders"])
    # The bits of BLAS, and so of the decoders, go with its number of threads.
    with exclusive(options.output), threadpool_limits(limits=1):
        _complete_metrics(options, job, header, tasks, runs, decoders)


def _complete_metrics(
    options, job: dict, header: dict, tasks: Arrays, runs: Arrays, decoders: Decoders
) -> None:
    # What a run's rows rest on. A run that matches needs no new measurement.
    wanted = wanted_runs(job)
    if lacking := wanted.keys() - runs.header["runs"].keys():
        raise Unreadable(options.runs, f"lacks network {min(lacking)}")
    about = {
        key: {
            "measure": job["code"],
            "decoders": job["decoders"],
            "run": runs.header["runs"][key]["basis"],
            "measures": run.measures,
            "steps": run.steps,
        }
        for key, run in wanted.items()
    }
    tables = {}
    for path in (options.output, options.output.with_suffix(UNUSED), options.twin):
        tables |= _stored_rows(path, {k: a for k, a in about.items() if k not in tables})
    log(f"{len(wanted)} networks of seed {job['seed']}: rows of {len(tables)} kept")

    samples: dict[tuple, SeedSamples] = {}
    started, number, units = time.perf_counter(), 0, 0
    for key, run in wanted.items():
        if key not in tables:
            rows = _measure_run(key, run, job["seed"], tasks, runs, decoders, samples)
            tables[key] = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA)
            number += 1
            units += work(run.spec, run.measures, decoders)
            if number % 20 == 0:
                log(f"measured {number} networks in {time.perf_counter() - started:.0f} s")
    log(f"measured {number} networks in {time.perf_counter() - started:.0f} s: done")
    log(f"{WORK}{units}")

    _keep_unused(options.output, about)
    rows = pa.concat_tables([tables[key] for key in wanted])
    write_table(options.output, "metrics", header | {"runs": about}, rows)


def _stored_rows(path: Path, about: dict[str, dict]) -> dict[str, pa.Table]:
    """The rows of the runs that a file describes in the same words."""
    if not path.exists():
        return {}
    try:
        header, table = read_table(path, "metrics", METRICS_SCHEMA)
    except Unreadable as error:
        log(f"{error}; set aside as {set_aside(path).name}")
        return {}
    return {
        key: table.filter(pc.equal(table["run"], key))
        for key, expected in about.items()
        if header["runs"].get(key) == expected
    }


def _keep_unused(output: Path, about: dict[str, dict]) -> None:
    """Keep, beside the file, the rows of this code that it has and will not have once these runs
    are written to it: should the config want them again, they are not measured again."""
    place = output.with_suffix(UNUSED)
    code = {described["measure"] for described in about.values()}
    kept: dict[str, dict] = {}
    tables = []
    for path in filter(Path.exists, (output, place)):
        try:
            header, table = read_table(path, "metrics", METRICS_SCHEMA)
        except Unreadable:
            set_aside(path)
            continue
        left = {
            key: described
            for key, described in header["runs"].items()
            if described["measure"] in code and described != about.get(key) and key not in kept
        }
        if left:
            tables.append(table.filter(pc.is_in(table["run"], pa.array(left))))
            kept |= left
    if kept:
        write_table(place, "metrics", {"runs": kept}, pa.concat_tables(tables))
    else:
        place.unlink(missing_ok=True)


def _measure_run(
    key: str,
    run: Wanted,
    seed: int,
    tasks: Arrays,
    runs: Arrays,
    decoders: Decoders,
    samples: dict[tuple, SeedSamples],
) -> list[dict[str, Any]]:
    task = TaskArrays(*(tasks[f"{geometry_key(run.spec.task)}/{n}"] for n in TaskArrays._fields))
    stored = runs.header["runs"][key]
    trained = {name: runs[f"{key}/{name}"] for name in run.spec.network.trained}
    shapes = (run.spec.task.inputs, run.spec.task.targets)
    initial = initial_parameters(seed, run.spec.network, *shapes)
    diverged = stored["diverged_step"]
    shape = (run.spec.training.samples, *task.centres.shape)
    if shape not in samples:
        samples[shape] = _seed_samples(seed, run.spec, decoders)

    rows = []
    for step in run.steps:
        names = [name for name, steps in run.measures.items() if step in steps]
        if diverged is None or step < diverged:
            index = stored["steps"].index(step)
            parameters = initial | {name: values[index] for name, values in trained.items()}
            network = Checkpoint(run.spec, task, parameters, samples[shape], decoders)
            if all(np.isfinite(values).all() for values in parameters.values()):
                at_step = [row for name in names for row in MEASURES[name](network)]
            else:
                diverged = step  # of tanh, which has finite outputs all the same
        if diverged is not None and step >= diverged:
            at_step = [Row(name, "diverged", np.nan) for name in names]
        for row in at_step:
            if row.reason:
                lost = f"{row.measure}, {row.variant}, is missing"
                log(f"network {key}, step {step}: {lost}: {row.reason}")
        rows += [
            row._asdict() | {"step": step, "value": row.value if np.isfinite(row.value) else None}
            for row in at_step
        ]
    common = {
        "run": key,
        "seed": seed,
        "diverged_step": diverged,
        "converged_step": stored["converged_step"],
    }
    return [row | common for row in rows]


def _seed_samples(seed: int, spec: Spec, decoders: Decoders) -> SeedSamples:
    clusters, inputs, number = spec.task.clusters, spec.task.inputs, spec.training.samples
    training = Samples(
        training_conditions(seed, number, clusters), training_noise(seed, number, inputs)
    )
    return SeedSamples(
        training,
        balanced_samples(seed, "decoder training", decoders.train_samples, clusters, inputs),
        balanced_samples(seed, "decoder test", decoders.test_samples, clusters, inputs),
    )
