"""The rows of representations in files, with what their braces stand for as columns."""

from typing import Any

import pandas as pd

from repatlas.experiments.files.spec import Grid
from repatlas.record import Refused
from repatlas.studies.own.roles import axis_of, columns_of

OF_NETWORKS = ("seed", "step", "by", "deviation", "layer", "other_cluster")
OF_NETWORKS += ("diverged_step", "converged_step")
"""What metrics say of networks alone: braces may have these names."""


def with_settings(
    files: list[tuple[dict, pd.DataFrame]], grid: Grid, seeds: list[int]
) -> pd.DataFrame:
    """Return the rows of all representations; files: header and rows of each.

    `first_axis` is the brace along which figures over settings draw them. For the measure over_time
    `line` is the time of the fit and `place` the time of the test.
    """
    metrics = pd.concat([frame for _, frame in files], ignore_index=True)
    metrics = metrics.drop(columns=list(OF_NETWORKS))
    if grid.times:
        names = dict(enumerate(map(str, grid.times)))
        over_time = metrics["measure"] == "over_time"
        metrics["line"] = metrics["cluster"].map(names).where(over_time)
        metrics["place"] = metrics["neuron"].map(names).where(over_time)
    settings = _settings(grid).assign(first_axis=axis_of(grid))
    return metrics.merge(settings, on="run", validate="many_to_one")


def pairs_with_settings(pairs: pd.DataFrame, first: list[Grid], second: list[Grid]) -> pd.DataFrame:
    """Return the rows of pairs of two sets, one grid each, with the columns of both sides.

    Columns of the second side begin with "other_".
    """
    (one,), (other,) = first, second
    a, b = _settings(one), _settings(other)
    named = {name: f"other_{name}" for name in ("representation", "label", "unit", "order")}
    b = b[["run", *named]].rename(columns=named)
    found = pairs.merge(a.rename(columns={"run": "a"}), on="a")
    found = found.merge(b.rename(columns={"run": "b"}), on="b")
    if len(found) < len(pairs):
        raise Refused(f"the pairs of {one.name} and {other.name} are of other representations")
    return found


def _settings(grid: Grid) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    alone = len({each.columns.get("draw") for each in grid.arrays}) == 1
    for order, spec in enumerate(grid.specs()):
        every = columns_of(spec.columns)
        unsaid = {spec.unit} | ({"pseudo_population"} if alone else set())
        columns = {name: value for name, value in every.items() if name not in unsaid}
        rows.append(
            every
            | {
                "run": spec.key,
                "representation": spec.name,
                "label": label_of(columns),
                "unit": None if spec.unit is None else str(spec.columns[spec.unit]),
                "order": order,
            }
        )
    return pd.DataFrame(rows)


def label_of(columns: dict[str, Any]) -> str:
    """Return the values of braces as text; layers have no word before them.

    >>> label_of({"layer": "conv1", "epoch": 3})
    'conv1, epoch 3'
    """
    return ", ".join(str(v) if name == "layer" else f"{name} {v}" for name, v in columns.items())
