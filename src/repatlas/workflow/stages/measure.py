"""Measures the networks of a group: a row for each number, with the settings of its network.

Each row says what it was made from, in the column `made`: its network, step, measure, decoders and
code. Rows of other files that were made from the same are taken as they are.
"""

import ctypes
import time
from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from threadpoolctl import threadpool_limits

from repatlas.artifacts.files import Arrays
from repatlas.named import named, only, package_of_measures, trains
from repatlas.representation import Decoders, Row
from repatlas.runs import Wanted
from repatlas.workflow import code, scopes
from repatlas.workflow.groups import Group
from repatlas.workflow.networks import Network, array_as_network, trained
from repatlas.workflow.results import MADE, MEASURED, with_columns, write_rows
from repatlas.workflow.stages import Job, log
from repatlas.workflow.stages.prepare import data_of_seed

# M_MMAP_THRESHOLD and M_TRIM_THRESHOLD in malloc.h of glibc.
LARGEST_KEPT, MOST_KEPT = -3, -1


class Part(NamedTuple):
    """The rows of a measure of a network, at a step or of the whole run."""

    made: str
    measure: str
    step: int | None


def make(job: Job) -> None:
    """Measure what no other file has, and write all rows of the group."""
    group: Group = job.what
    job.declare(*scopes.metrics(group))
    (path,) = job.inputs("data")
    arrays, known = Arrays(path, "data"), job.known("metrics", MEASURED)
    networks = trained(job) if trains(group.experiment) else None
    log(f"rows of {len(known)} parts are known")
    columns = named(f"experiments.{group.experiment}", "columns")
    _keep_memory()
    tables, names = [], set()
    # The last bits of BLAS, and of the decoders, depend on its number of threads.
    with threadpool_limits(limits=1):
        for seed in group.seeds:
            data = data_of_seed(arrays, seed)
            for decoders, own in _by_decoders(job, group):
                represent = named(f"experiments.{group.experiment}", "represent")
                source = represent.Source(data, seed, decoders, job.device)
                measuring = _Measuring(job, source, seed, decoders, known)
                for key, run in own.networks(seed).items():
                    network = networks(key, seed) if networks else array_as_network(run.spec, data)
                    settings = columns.columns_of(run.spec)
                    if hasattr(columns, "columns_of_data"):
                        settings |= columns.columns_of_data(source.about)
                    names |= settings.keys()
                    rows = measuring.rows(key, run, network)
                    tables.append(with_columns(*rows, settings, columns.COLUMNS))
                if hasattr(source, "check_unchanged"):
                    source.check_unchanged()
    about = {"settings": sorted(names)}
    write_rows(job.output(".parquet"), "metrics", job.header | about, tables)


def _by_decoders(job: Job, group: Group) -> Iterator[tuple[Decoders, Group]]:
    """Yield the grids that are measured with the same decoders, with these."""
    found: dict[str, tuple[Decoders, list]] = {}
    for grid, seeds in group.grids:
        decoders = job.plan.config.decoders_of(grid)
        found.setdefault(decoders.model_dump_json(), (decoders, []))[1].append((grid, seeds))
    for decoders, grids in found.values():
        yield decoders, group._replace(grids=grids)


def _keep_memory() -> None:
    """Let the C library keep the memory of arrays for the next ones. To take it from the system
    again, which clears it page by page, was a third of the time of a layer's activity."""
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # in glibc
        library.mallopt(LARGEST_KEPT, 2**25)  # the most that it allows
        library.mallopt(MOST_KEPT, 2**30)


class _Measuring:
    """Measures networks of a seed with the same decoders."""

    def __init__(self, job: Job, source: Any, seed: int, decoders: Decoders, known: dict):
        self.job, self.source, self.seed = job, source, seed
        self.decoders, self.known = decoders, known
        self.package = package_of_measures(job.what.experiment)

    def rows(self, key: str, run: Wanted, network: Network) -> tuple[pa.Table, dict[str, Any]]:
        """Return the rows of a network, and what all of them share."""
        parts = list(self._parts(run, network))
        missing = [part for part in parts if part.made not in self.known]
        rows = self._measured(key, run, network, missing)
        found = [rows.get(part.made, self.known.get(part.made)) for part in parts]
        found = pa.concat_tables([MEASURED.empty_table(), *found])  # of a set that is only compared
        last = run.steps[-1]
        lost = found.filter(pc.equal(found["variant"], "diverged"))["step"]
        ends = [network.end("diverged", last), *lost.to_pylist()]
        shared = {
            "run": key,
            "seed": self.seed,
            "diverged_step": min((step for step in ends if step is not None), default=None),
            "converged_step": network.end("converged", last),
        }
        return found, shared

    def _parts(self, run: Wanted, network: Network) -> Iterator[Part]:
        decoders = self.decoders.model_dump(mode="json")
        for name, steps in run.measures.items():
            by = self.job.plan.code(*scopes.row(run.spec, name))
            about = network.identity, name, by, decoders
            if getattr(named(self.package, name), "OF", "") == "run":
                own = [step for step in run.steps if step <= steps[-1]]
                yield Part(code.key(*about, own), name, None)
            else:
                yield from (Part(code.key(*about, step), name, step) for step in steps)

    def _measured(
        self, key: str, run: Wanted, network: Network, missing: list[Part]
    ) -> dict[str, pa.Table]:
        """Return the rows of these parts, by what they are made from."""
        started, rows = time.perf_counter(), {}
        diverged, logged = network.end("diverged", run.steps[-1]), set()
        for step in run.steps:
            parts = [part for part in missing if part.step == step]
            if not parts:
                continue
            lost = diverged is not None and step >= diverged
            seen = None if lost else self._seen(run.spec, network, step)
            if seen is not None and not seen.finite:
                diverged, lost = step, True  # tanh has finite outputs even then
            for made, name, _ in parts:
                found = [Row(name, "diverged", np.nan)]
                if not lost:
                    found = self._rows(run.spec, name, seen)
                where = getattr(run.spec, "label", f"network {key}, step {step}")
                rows[made] = _table(where, made, name, [(step, row) for row in found], logged)
        if of_run := [part for part in missing if part.step is None]:
            with only(code.digests(*scopes.showing(run.spec))):
                whole = self.source.whole_run(run.spec, network.file, network.identity)
            for made, name, _ in of_run:
                last = run.measures[name][-1]
                # Other sweeps may want the network at more steps, or later ones.
                own = {s: c for s, c in whole.checkpoints.items() if s in run.steps and s <= last}
                (seen := copy(whole)).checkpoints = own
                if hasattr(whole, "curves"):
                    seen.curves = {n: curve.until(last) for n, curve in whole.curves.items()}
                found = self._rows(run.spec, name, seen)
                rows[made] = _table(f"network {key}", made, name, found, logged)
        if missing:
            log(f"{key}: {len(missing)} parts in {time.perf_counter() - started:.1f} s")
        return rows

    def _seen(self, spec: Any, network: Network, step: int) -> Any:
        """Return a network at a step, as measures see it."""
        with only(code.digests(*scopes.showing(spec))):
            return self.source.of(spec, network.at(step))

    def _rows(self, spec: Any, measure: str, seen: Any) -> list[Any]:
        with only(code.digests(*scopes.row(spec, measure))):
            return list(named(self.package, measure).rows(seen, self.decoders))


def _table(where: str, made: str, by: str, rows: list[tuple[int, Any]], logged: set) -> pa.Table:
    """Return the rows of a part, with the step of each. logged: the sentences that the log has."""
    found = []
    for step, row in rows:
        values = row._asdict()
        if row.reason:
            noise = "" if values.get("deviation") is None else f" with noise of {row.deviation:g}"
            lost = "has no interval" if np.isfinite(row.value) else "is missing"
            of = f" of {row.about}" if values.get("about") else ""
            said = f"{where}: {row.measure}{of}, {row.variant}{noise}, {lost}: {row.reason}"
            if said not in logged:
                log(said)
            logged.add(said)
        if "about" not in values:  # the log alone says why a number of a network is missing
            del values["reason"]
        finite = {
            name: None if isinstance(v, float | np.floating) and not np.isfinite(v) else v
            for name, v in values.items()
        }
        found.append(finite | {"step": step, "by": by, MADE: made})
    return pa.Table.from_pylist(found, schema=MEASURED)
