"""Running stages in the process of a test, one file after the other, as the workflow does."""

import json
from pathlib import Path

import pandas as pd

from repatlas.artifacts import layout
from repatlas.plan.places import Product
from repatlas.stages import measure, prepare, train


def make_metrics(plan, shard):
    """The file with what is measured of a shard's networks, which are trained for it."""
    data, runs, metrics = (
        make_data(plan, shard),
        make_runs(plan, shard),
        path_of(plan, layout.METRICS, shard),
    )
    twin = path_of(plan, layout.METRICS, shard, folder=plan.twin)
    files = ["--data", str(data), "--runs", str(runs), "--twin", str(twin)]
    return run(measure, plan.measure_job(shard), metrics, *files)


def make_runs(plan, shard):
    """The file with a shard's networks."""
    twin = path_of(plan, layout.RUNS, shard, folder=plan.twin)
    files = ["--data", str(make_data(plan, shard)), "--twin", str(twin)]
    return run(train, plan.train_job(shard), path_of(plan, layout.RUNS, shard), *files)


def make_data(plan, shard):
    """The file with what a shard's networks are trained on."""
    experiment, place = plan.data_place(shard)
    path = path_of(plan, layout.DATA, experiment=experiment, data=place)
    source = json.dumps(plan.source(experiment, place))
    return run(prepare, plan.data[experiment, place], path, "--source", source)


def run(stage, job, output, *options):
    """Run a stage in this process; returns its output."""
    stage.main(["--job", job.text, "--output", str(output), *options])
    return output


def whole_table(module, rows, step):
    """The table of a figure's module, from the rows of all networks."""
    if hasattr(module, "tabulate"):
        return module.tabulate(rows, step)
    own = module.per_network(rows, step)
    over = [module.over_networks(own)] if hasattr(module, "over_networks") else []
    return pd.concat([own, *over], ignore_index=True)


def product(name):
    """A figure of the study `structure`."""
    return Product("structure", name)


def figures_of(plan, names=None):
    """Figures of that study by their names, or all of a plan."""
    return list(plan.figures) if names is None else [product(name) for name in names]


def path_of(plan, place, of=None, folder=None, **parts):
    """Where a file of a plan lies: that of a shard or a figure, or of what its parts say."""
    parts = of.place if of else parts
    return Path(folder or plan.results) / place.format(**parts)
