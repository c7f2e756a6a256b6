"""Measuring the networks of the study `structure`: CPU time by part, and of the whole study.

python benchmarks/metrics.py prints the section. It trains some networks of each family, at most
2000 steps, and measures them in this process, as the measure stage does.
"""

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before numpy reads them

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from measuring import ROOT, in_a_process, markdown

from repatlas.artifacts.files import METRICS_SCHEMA, write_table
from repatlas.artifacts.recipes.networks import Wanted
from repatlas.config.config import read_config
from repatlas.config.load import load
from repatlas.experiments.clusters.prepare import prepare
from repatlas.experiments.clusters.represent import Source
from repatlas.experiments.clusters.train import train
from repatlas.named import named
from repatlas.plan.places import Shard
from repatlas.plan.plan import Plan
from repatlas.stages.measure import keep_memory

NETWORKS, STEPS = 12, 2000
MEASURES = ("accuracy", "alignment", "parallelism", "ccgp", "decoding")
SPLITS = ("fitted", "scored")
START = """
import repatlas.stages.measure
from repatlas.geometry import linear_svm, nearest_pairing
linear_svm([[1.0], [-1.0]], [1, -1])
nearest_pairing([[0.0], [1.0]], [1, -1])
print(0)
"""


def report(smoke: bool = False) -> str:
    """Return the section, in Markdown."""
    keep_memory()
    plan = Plan(read_config(load([ROOT / "config.yaml"]).values))
    drawn = {s for figure in plan.study_figures("structure") for s in plan.shards_of(figure)}
    shards = sorted(shard for shard in drawn if shard.experiment == "clusters")
    families = {shard.family: shard for shard in reversed(shards)}  # the first seed of each
    start = in_a_process([sys.executable, "-c", START]).cpu
    rows, total = [], start * len(shards)
    for family, shard in sorted(families.items())[: 1 if smoke else None]:
        networks = sum(len(plan.measure_job(s).wanted()) for s in shards if s.family == family)
        parts = _parts(plan, shard, *((2, 5) if smoke else (NETWORKS, STEPS)))
        whole = sum(parts.values())
        total += whole * networks
        forward = [sum(parts[f"forward {split}"] for split in SPLITS)]
        named_parts = [*forward, *(parts[name] for name in MEASURES)]
        rest = whole - sum(named_parts) - parts["stored"]
        cells = [1e3 * s for s in (*named_parts, rest, parts["stored"], whole)]
        rows.append([_shape(plan, shard), networks, *cells, whole * networks / 60])
    return "\n\n".join(
        [
            "## Measuring",
            "CPU milliseconds for a network of the study `structure`, all its checkpoints together:"
            f" the mean over up to {NETWORKS} networks of each family, trained for up to {STEPS}"
            " steps; one thread, on a CPU. *Activity*: of the samples that decoders are fitted on"
            " and that they are scored on. *Rest*: other measures, and"
            " the making of a network from its parameters. *Rows*: to Arrow and to a file. A job"
            f" starts in {start:.2f} s (imports, compiled code). All {len(shards)} jobs:"
            f" {total / 60:.1f} core-minutes.",
            markdown(
                [
                    *("clusters, targets, layers", "networks", "activity", *MEASURES),
                    *("rest", "rows", "whole", "all, core-minutes"),
                ],
                rows,
            ),
        ]
    )


def _shape(plan: Plan, shard: Shard) -> str:
    spec = next(iter(plan.measure_job(shard).wanted().values())).spec
    width = f", width {spec.network.width}" if spec.network.width > 128 else ""
    kind = spec.task.kind.replace("_", " ")
    return f"{kind}: {spec.task.clusters}, {spec.task.targets}, {spec.network.depth}{width}"


def _parts(plan: Plan, shard: Shard, most: int, steps: int) -> Counter[str]:
    """Return CPU seconds for a network of a shard, by part."""
    job = plan.measure_job(shard)
    wanted = job.wanted()
    # In twos: networks that follow one another share their inputs.
    apart = 2 * max(1, len(wanted) // most)
    places = [place for first in range(0, len(wanted), apart) for place in (first, first + 1)]
    chosen = dict(list(wanted.items())[place] for place in places[:most] if place < len(wanted))
    of_shard = plan.data[plan.data_place(shard)].wanted
    data, *_ = prepare(of_shard, shard.seed, {}, print)
    brief = {
        key: Wanted(run.spec, sorted({0, *(min(step, steps) for step in run.steps)}), {})
        for key, run in chosen.items()
    }
    runs = {}
    for trained in train(brief, {}, data, shard.seed, "cpu", lambda text: None):
        runs |= trained
    decoders = plan.decoders_of(shard)
    source, parts, rows = Source(data, shard.seed, decoders, "cpu"), Counter(), []
    for number in (1, len(chosen)):  # once to warm up: imports, compilation
        parts.clear()
        rows.clear()
        for key in list(chosen)[:number]:
            run, parameters = chosen[key], runs[key].parameters
            for step in run.steps:
                place = brief[key].steps.index(min(step, steps))
                arrays = {name: values[place] for name, values in parameters.items()}
                names = [name for name, at in run.measures.items() if step in at]
                rows += _measured(key, source, run.spec, arrays, names, decoders, parts)
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            table = pa.Table.from_pylist(rows, schema=METRICS_SCHEMA)
            write_table(Path(folder) / "rows.parquet", "metrics", {}, table)
            parts["stored"] += time.process_time() - begun
    return Counter({part: seconds / len(chosen) for part, seconds in parts.items()})


def _measured(key, source, spec, parameters, names, decoders, parts) -> Iterator[dict]:
    """Yield the rows of a checkpoint, and add the CPU seconds of each part to `parts`."""
    begun = time.process_time()
    seen = source.of(spec, parameters)
    parts["network"] += time.process_time() - begun
    samples = seen.samples

    def timed(split, deviation):
        begun = time.process_time()
        found = samples(split, deviation)
        spent = time.process_time() - begun
        parts[f"forward {split}"] += spent
        parts[measure] -= spent
        return found

    seen.samples = timed
    for measure in names:
        begun = time.process_time()
        found = list(named("measures", measure).rows(seen, decoders))
        parts[measure] += time.process_time() - begun
        for row in found:
            stored = row._asdict()
            stored.pop("reason")
            yield stored | {"run": key, "seed": source.seed, "step": 0, "by": measure}


if __name__ == "__main__":
    print(report())
