"""The rows of networks on clusters, with their settings as columns."""

import pandas as pd

from repatlas.experiments.clusters.spec import Grid
from repatlas.figures.rows import DTYPES, check_seeds, ending_at
from repatlas.studies.structure.columns import SETTINGS, setting_columns, settings_of

NUMBERS = ("double", "int32")
"""The types of settings that stay numbers where some networks lack them."""


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, wanted: list[int]
) -> pd.DataFrame:
    """Return the rows of the grid's networks and steps, of these seeds; files: header and rows of
    each.

    Raises Refused where a network lacks a seed.
    """
    metrics = pd.concat([frame for _, frame in files], ignore_index=True)
    networks = [{"run": spec.key} | settings_of(spec) for spec in grid.specs()]
    kinds = SETTINGS | setting_columns((type(grid.specs()[0].task),))
    dtypes = {name: DTYPES[str(kind)] for name, kind in kinds.items() if str(kind) in NUMBERS}
    settings = pd.DataFrame(networks).astype(dtypes)
    chosen = metrics["seed"].isin(wanted) & metrics["step"].isin(grid.steps)
    rows = ending_at(metrics[chosen], max(grid.steps)).merge(settings, on="run")
    # There is a row of each network at each step at which any is measured.
    seeds = rows.groupby(["run", "step"])["seed"].nunique().unstack(fill_value=0)
    found = seeds.min(axis="columns").reindex(settings["run"], fill_value=0)
    check_seeds(found, len(wanted))
    # These rows are about inputs: a task with a chosen alignment is equal for every seed.
    inputs = rows[rows["measure"] == "input_participation_ratio"].drop_duplicates("run")
    ratios = inputs.set_index("run")["value"]
    aligned = rows["alignment"].notna()
    rows["participation_ratio"] = rows["run"].map(ratios).where(aligned)
    return rows.drop(columns="by")
