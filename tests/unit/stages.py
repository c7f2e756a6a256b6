"""Run stages in the process of a test, one file after the other, as the workflow does."""

from pathlib import Path

import pandas as pd

from repatlas.artifacts import layout
from repatlas.artifacts.versions import link
from repatlas.named import named
from repatlas.operations.arguments import Arguments
from repatlas.operations.expected import expected_files, missing
from repatlas.plan.places import Product


def make_metrics(plan, shard):
    """Train and measure a shard's networks, and return the name of the file with their metrics."""
    return make(plan, path_of(plan, layout.METRICS, shard))


def make_runs(plan, shard):
    """Train a shard's networks, and return the name of the file with them."""
    return make(plan, path_of(plan, layout.RUNS, shard))


def make_data(plan, shard):
    """Prepare the data that a shard's networks are trained on, and return the file's name."""
    experiment, place = plan.data_place(shard)
    return make(plan, path_of(plan, layout.DATA, experiment=experiment, data=place))


def make(plan, *names):
    """Make files of a plan, and all that they are made from, as the workflow does. Return the name
    of the last one."""
    expected = expected_files(plan)
    arguments = Arguments(plan, expected)
    for name in missing(expected, names):
        if not expected[name].path.is_file():  # a job may have two outputs
            named("stages", expected[name].stage).main(arguments.words(name))
    for name in names:
        link(name, expected[name].path)
    return names[-1]


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


def path_of(plan, place, of=None, **parts):
    """Return the name of a file of a plan: of a shard or a figure, or the name with these parts."""
    parts = of.place if of else parts
    return Path(plan.results) / place.format(**parts)
