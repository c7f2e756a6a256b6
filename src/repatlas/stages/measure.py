"""measure: everything that is measured of a shard's networks, one row each."""

import ctypes
import time
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from threadpoolctl import threadpool_limits

from repatlas.artifacts.begun import Begun
from repatlas.artifacts.files import (
    ESTIMATES_SCHEMA,
    METRICS_SCHEMA,
    Arrays,
    Unreadable,
    read_table,
    set_aside,
    write_table,
)
from repatlas.artifacts.locks import exclusive
from repatlas.artifacts.recipes.networks import (
    MeasureJob,
    Wanted,
    package_of_measures,
    trains,
    untrained,
    without_measures,
)
from repatlas.artifacts.runs import Parameters, run_arrays
from repatlas.artifacts.versions import versions
from repatlas.named import named
from repatlas.representation import Decoders, Row
from repatlas.stages.job import (
    WORK,
    arrays_of_seed,
    is_made,
    log,
    made_from,
    show,
    stage_parser,
)

# M_MMAP_THRESHOLD and M_TRIM_THRESHOLD in malloc.h of glibc.
LARGEST_KEPT, MOST_KEPT = -3, -1


def main(arguments: list[str]) -> None:
    parser = stage_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, nargs="?", help="none where nothing is trained")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--flush-seconds", type=float, default=10, help="work that is lost at most")
    options = parser.parse_args(arguments)
    job = MeasureJob.read(options.job)
    data = arrays_of_seed(options.data, "data", job.seed)
    inputs, runs = {options.data: data.header}, None
    if trains(job.experiment):
        runs = arrays_of_seed(options.runs, "runs", job.seed)
        inputs[options.runs] = runs.header
    header = made_from(options, job, inputs)
    if runs and (lacking := job.wanted().keys() - runs.header["runs"].keys()):
        raise Unreadable(options.runs, f"lacks network {min(lacking)}")
    keep_memory()
    # The last bits of BLAS, and of the decoders, depend on its number of threads.
    with exclusive(options.output), threadpool_limits(limits=1):
        if not is_made(options.output):
            _complete_metrics(options, job, header, data, runs)
    show(options)


def keep_memory() -> None:
    """Let the C library keep the memory of arrays for the next ones. To take it from the system
    again, which clears it page by page, was a third of the time of a layer's activity."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # in glibc
        library.mallopt(LARGEST_KEPT, 2**25)  # the most that it allows
        library.mallopt(MOST_KEPT, 2**30)


def _complete_metrics(
    options, job: MeasureJob, header: dict, data: Arrays, runs: Arrays | None
) -> None:
    wanted = job.wanted()
    stored = untrained(job, data.header) if runs is None else runs.header["runs"]
    about = job.basis(stored)
    package = package_of_measures(job.experiment)
    schema = METRICS_SCHEMA if trains(job.experiment) else ESTIMATES_SCHEMA
    tables: dict[tuple[str, str], pa.Table] = {}
    begun = Begun(options.output, schema, options.flush_seconds)
    for path in dict.fromkeys([options.output, *versions(options.output), begun.path]):
        if any((key, name) not in tables for key in about for name in about[key]["measures"]):
            tables = _stored_rows(path, about, schema) | tables
    missing = {
        key: [name for name in run.measures if (key, name) not in tables]
        for key, run in wanted.items()
    }
    kept = sum(not names for names in missing.values())
    if runs is None:
        lacking = sum(map(len, missing.values()))
        log(f"representations: {len(wanted)}; measures to make: {lacking}; kept: {len(tables)}")
    else:
        log(f"{len(wanted)} networks of seed {job.seed}: rows of {kept} kept")

    experiment = f"experiments.{job.experiment}"
    decoders = Decoders.model_validate(job.decoders)
    source = named(experiment, "represent").Source(data, job.seed, decoders, options.device)
    sizes = named(experiment, "size")
    # All measures of a network are one part, since they share its activity. Each measure of a
    # user's array is a part, since it may take minutes.
    parts = [
        (key, some)
        for key, names in missing.items()
        if names
        for some in ([[name] for name in names] if runs is None else [names])
    ]
    units = [
        sizes.measuring(
            wanted[key].spec,
            {name: wanted[key].measures[name] for name in names},
            decoders,
            data.header,
        )
        for key, names in parts
    ]
    started, number = time.perf_counter(), 0
    new: list[dict[str, Any]] = []
    places: dict[tuple[str, str], slice] = {}  # in it, of each network and measure
    at: Callable[[int], Any] | None = None
    last = ""
    for key, names in parts:
        of_run = [name for name in names if named(package, name).OF == "run"]
        at_steps = [name for name in names if name not in of_run]
        if at is None or key != last:
            at, last = _checkpoints(source, wanted[key].spec, key, runs), key
        rows = list(_measured(key, wanted[key], at_steps, stored[key], at, decoders, package))
        if of_run:
            whole = source.whole_run(wanted[key].spec, runs, key)
            diverged = stored[key]["diverged_step"]
            ends = {name: max(wanted[key].measures[name]) for name in of_run}
            rows += _measured_of_run(key, whole, ends, diverged, decoders, package)
        common = _common(key, job.seed, stored[key], rows)
        for name in names:
            start = len(new)
            new += [row | common for row in rows if row["by"] == name]
            places[key, name] = slice(start, len(new))
        number += 1
        seconds = time.perf_counter() - started
        if runs is None:
            left = seconds * sum(units[number:]) / max(sum(units[:number]), 1)
            log(
                f"measured {names[0]} of {wanted[key].spec.label}: {number} of {len(parts)}"
                f" measures in {seconds:.0f} s, about {left:.0f} s left"
            )
        elif number % 20 == 0:
            log(f"measured {number} networks in {seconds:.0f} s")
        begun.keep(about, tables, new, places)
    what = "measures" if runs is None else "networks"
    log(f"measured {number} {what} in {time.perf_counter() - started:.0f} s: done")
    if source.device == "cpu":  # costs are given for one core
        log(f"{WORK}{sum(units)}")

    measured = pa.Table.from_pylist(new, schema=schema)
    tables |= {of: measured[place] for of, place in places.items()}
    found = [tables[key, name] for key, run in wanted.items() for name in run.measures]
    rows = pa.concat_tables(found) if found else schema.empty_table()
    write_table(options.output, "metrics", header | {"about": source.about, "runs": about}, rows)
    begun.remove()


def _checkpoints(source: Any, spec: Any, key: str, runs: Arrays | None) -> Callable[[int], Any]:
    """Return a function that makes the representation of a network at a checkpoint, given its
    number. What is not trained has only one representation."""
    if runs is None:
        return cache(lambda index: source.of(spec))
    arrays = run_arrays(runs, key)
    return lambda index: source.of(spec, Parameters(runs, key, arrays, index))


def _measured(
    key: str,
    run: Wanted,
    names: list[str],
    stored: dict,
    at: Callable[[int], Any],
    decoders: Decoders,
    package: str,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of these measures of a network, at each step that they need."""
    diverged, logged = stored["diverged_step"], set()
    for step in run.steps:
        at_step = [name for name in names if step in run.measures[name]]
        rows = [(name, Row(name, "diverged", np.nan)) for name in at_step]
        if diverged is None or step < diverged:
            seen = at(stored["steps"].index(step))
            if seen.finite:
                rows = [
                    (name, row)
                    for name in at_step
                    for row in named(package, name).rows(seen, decoders)
                ]
            else:
                diverged = step  # tanh has finite outputs even then
        where = getattr(run.spec, "label", f"network {key}, step {step}")
        for name, row in rows:
            yield _stored_row(where, name, step, row, diverged, logged)


def _measured_of_run(
    key: str,
    whole: Any,
    ends: dict[str, int],
    diverged: int | None,
    decoders: Decoders,
    package: str,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of measures of a run. `ends` has the last step of each measure. The same
    network may be stored at later steps for another sweep. A measure that compares with the last
    step must not use these."""
    logged: set[str] = set()
    for name in ends:
        seen = copy(whole)
        seen.checkpoints = {s: c for s, c in whole.checkpoints.items() if s <= ends[name]}
        for step, row in named(package, name).rows(seen, decoders):
            yield _stored_row(f"network {key}, step {step}", name, step, row, diverged, logged)


def _stored_row(
    where: str, by: str, step: int, row: Any, diverged: int | None, logged: set[str]
) -> dict[str, Any]:
    """Return a row to be stored. row: a Row, or another named tuple with fields of the schema;
    where: the subject of the row, for the log; logged: the sentences that the log has."""
    stored = row._asdict()
    if row.reason:
        noise = "" if stored.get("deviation") is None else f" with noise of {row.deviation:g}"
        lost = "has no interval" if np.isfinite(row.value) else "is missing"
        of = f" of {row.about}" if stored.get("about") else ""
        sentence = f"{where}: {row.measure}{of}, {row.variant}{noise}, {lost}: {row.reason}"
        if sentence not in logged:
            log(sentence)
        logged.add(sentence)
    finite = {
        name: None if isinstance(value, float | np.floating) and not np.isfinite(value) else value
        for name, value in stored.items()
    }
    return finite | {"by": by, "step": step, "diverged": diverged}


def _common(key: str, seed: int, stored: dict, rows: list[dict]) -> dict[str, Any]:
    """Return the columns that all rows of a network share."""
    diverged = [row.pop("diverged") for row in rows]
    return {
        "run": key,
        "seed": seed,
        "diverged_step": diverged[-1] if diverged else stored["diverged_step"],
        "converged_step": stored["converged_step"],
    }


def _stored_rows(
    path: Path, about: dict[str, dict], schema: pa.Schema
) -> dict[tuple[str, str], pa.Table]:
    """Return the rows that a file has with the same dependencies, by key and measure."""
    if not path.exists():
        return {}
    try:
        header, table = read_table(path, "metrics", schema)
    except Unreadable as error:
        log(f"{error}; set aside as {set_aside(path).name}")
        return {}
    found = {}
    for key, wanted in about.items():
        stored = header["runs"].get(key)
        if stored is None or without_measures(stored) != without_measures(wanted):
            continue
        rows = table.filter(pc.equal(table["run"], key))
        for name, basis in wanted["measures"].items():
            if stored["measures"].get(name) == basis:
                found[key, name] = rows.filter(pc.equal(rows["by"], name))
    return found
