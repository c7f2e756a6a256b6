"""Run stages in the process of a test, one file after the other, as the workflow does."""

import pandas as pd

from repatlas.artifacts.files import ESTIMATES_SCHEMA, METRICS_SCHEMA, Arrays, read_table
from repatlas.figures.rows import settings_of
from repatlas.named import named
from repatlas.runs import STATE, Run, curves_of, run_arrays
from repatlas.workflow import store
from repatlas.workflow.results import MADE, read_json
from repatlas.workflow.stages import Job


def make(plan, *names, **resources):
    """Make files of a plan, by the names that users read, and all that they are made from. Return
    the path of the last one."""
    for name in names:
        _make(plan, plan.results[name], resources)
    return plan.folder / names[-1]


def _make(plan, result, resources):
    if all(store.is_there(plan.version(name)) for name in result.names):
        return
    for each in [each for of in result.inputs.values() for each in of]:
        _make(plan, each, resources)
    named("workflow.stages", result.stage).make(Job(plan, result, resources))
    for name in result.names:
        store.set_link(plan.folder / name, plan.version(name))


def make_runs(plan, group, **resources):
    """Train the networks of a group, such as "structure/delta/seeds-0". Return them by key and
    seed."""
    listed = read_json(make(plan, f"runs/{group}.json", **resources))["content"]["networks"]
    return {
        (key, int(seed)): _run(Arrays(plan.store / about["file"], store.NETWORKS), about)
        for name, about in listed.items()
        for key, seed in [name.rsplit("/", 1)]
    }


def _run(file, about):
    arrays = run_arrays(file, name := about["identity"])
    state = {n.removeprefix(STATE): a for n, a in arrays.items() if n.startswith(STATE)}
    parameters = {n: a for n, a in arrays.items() if "/" not in n}
    return Run(parameters, state, file.header["runs"][name], curves_of(arrays))


def groups_of(plan):
    return [result.what for result in plan.results.values() if result.stage == "measure"]


def make_data(plan, group):
    """Prepare the data of a group, and return its file."""
    runs = plan.results[f"metrics/{group}.parquet"]
    return Arrays(make(plan, *runs.inputs["data"][0].names), "data")


def make_metrics(plan, group, **resources):
    """Train and measure the networks of a group. Return the rows, with all columns."""
    rows = rows_of(make(plan, f"metrics/{group}.parquet", **resources), "metrics")
    names = [*METRICS_SCHEMA.names, *ESTIMATES_SCHEMA.names]
    return rows.reindex(columns=[*dict.fromkeys([*names, *rows])])


def rows_of(path, kind):
    """Return the rows of a file of results."""
    rows = read_table(path, kind)[1]
    return rows.drop_columns([MADE] if MADE in rows.column_names else []).to_pandas()


def whole_table(module, rows, step):
    """Return the table of a figure's module, from the rows of all networks."""
    if hasattr(module, "tabulate"):
        return module.tabulate(rows, step)
    own = module.per_network(rows, step)
    over = [module.over_networks(own)] if hasattr(module, "over_networks") else []
    return pd.concat([own, *over], ignore_index=True)


def network_rows(files, grid):
    """Return the rows of the grid's networks, with their settings as columns. files: header and
    rows of each."""
    of_data = getattr(named(f"experiments.{grid.experiment}", "columns"), "columns_of_data", None)
    rows = pd.concat(
        [rows.assign(**of_data(header["about"])) if of_data else rows for header, rows in files],
        ignore_index=True,
    )
    return rows.drop(columns="by", errors="ignore").merge(settings_of([grid]), on="run")
