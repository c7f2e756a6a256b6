"""Run stages in the process of a test, one file after the other, as the workflow does."""

import json
from pathlib import Path

import pandas as pd

from repatlas.artifacts import layout
from repatlas.plan.places import Product
from repatlas.stages import measure, prepare, train


def make_metrics(plan, shard):
    """Train and measure a shard's networks, and return the file with their metrics."""
    data, runs, metrics = (
        make_data(plan, shard),
        make_runs(plan, shard),
        path_of(plan, layout.METRICS, shard),
    )
    twin = path_of(plan, layout.METRICS, shard, folder=plan.twin)
    files = ["--data", str(data), "--runs", str(runs), "--twin", str(twin)]
    return run(measure, plan.measure_job(shard), metrics, *files)


def make_runs(plan, shard):
    """Train a shard's networks, and return the file with them."""
    twin = path_of(plan, layout.RUNS, shard, folder=plan.twin)
    files = ["--data", str(make_data(plan, shard)), "--twin", str(twin)]
    return run(train, plan.train_job(shard), path_of(plan, layout.RUNS, shard), *files)


def make_data(plan, shard):
    """Prepare the data that a shard's networks are trained on, and return the file."""
    experiment, place = plan.data_place(shard)
    path = path_of(plan, layout.DATA, experiment=experiment, data=place)
    source = json.dumps(plan.source(experiment, place))
    return run(prepare, plan.data[experiment, place], path, "--source", source)


def run(stage, job, output, *options):
    """Run a stage in this process, and return its output."""
    stage.main(["--job", job.text, "--output", str(output), *options])
    return output


def whole_table(module, rows, step):
    """Return the table of a figure's module, from the rows of all networks."""
    if hasattr(module, "tabulate"):
        return module.tabulate(rows, step)
    own = module.per_network(rows, step)
    over = [module.over_networks(own)] if hasattr(module, "over_networks") else []
    return pd.concat([own, *over], ignore_index=True)


def product(name):
    """Return a figure of the study `structure`."""
    return Product("structure", name)


def figures_of(plan, names=None):
    """Return the figures of the study `structure` with these names, or all figures of a plan."""
    return list(plan.figures) if names is None else [product(name) for name in names]


def path_of(plan, place, of=None, folder=None, **parts):
    """Return the path of a file of a plan: of a shard or a figure, or the path with these parts."""
    parts = of.place if of else parts
    return Path(folder or plan.results) / place.format(**parts)
