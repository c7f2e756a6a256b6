"""Figure S7: agreement in numbers, and what the closed forms assume of the tasks."""

import numpy as np
import pandas as pd

from repatlas.dynamics.correlations import commutator, linear_residual
from repatlas.experiments.items.task import Items
from repatlas.experiments.items.tasks.contexts import Contexts
from repatlas.streams import stream
from repatlas.studies.gating.rows.curves import (
    NETWORK,
    agreement_rows,
    curves_of,
    reference_rows,
)
from repatlas.studies.gating.rows.tasks import TASKS, number_row, settings_of_task

SAME = ("blocks", "contexts")
UNITS = 50
"""Hidden units of the network whose gates are tried out."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks, theories = rows["networks"], rows["theories"]
    of_kind = {name: networks[networks["network"] == name] for name in ("relu", "gated", "linear")}
    gated = {
        name: of_kind["gated"][of_kind["gated"]["gradient"] == name]
        for name in ("detached", "joint")
    }
    of_linear = theories[theories["network"] == "logistic"]
    others = theories[theories["network"] != "logistic"]
    parts = [
        agreement_rows(pd.concat([of_kind["gated"], others]), of_kind["relu"], "relu", SAME),
        agreement_rows(of_linear, of_kind["linear"], "linear", SAME),
        *(agreement_rows(_theories_of(name, others), of, name, SAME) for name, of in gated.items()),
        # Recruitment was fitted to the first network.
        _without_fitted(theories, of_kind["relu"]),
        *(reference_rows(each) for each in of_kind.values()),
        excess_rows(of_kind["linear"]),
        of_kind["relu"][of_kind["relu"]["measure"] == "input_residual"],
        *task_rows(),
    ]
    return pd.concat(parts, ignore_index=True)


def _theories_of(gradient: str, theories: pd.DataFrame) -> pd.DataFrame:
    """Return the theories of gated networks of this gradient; modes exist only for the detached
    one."""
    kinds = ["mean_field"] if gradient == "joint" else ["closed_form", "race", "mean_field"]
    found = theories[theories["network"].isin(kinds)]
    return found[found["gradient"].isna() | (found["gradient"] == gradient)]


def _without_fitted(theories: pd.DataFrame, relu: pd.DataFrame) -> pd.DataFrame:
    fits = theories[theories["network"] == "recruited"]
    return agreement_rows(fits, relu[relu["seed"] > 0], "relu, not fitted", SAME)


def excess_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return |final loss / least loss of a linear map - 1| of each linear network."""
    found = []
    for about, seeds, _, curves in curves_of(rows):
        task = Contexts(kind="contexts", contexts=int(about["contexts"]), blocks=about["blocks"])
        floor = floor_of(task)
        found += [
            about[NETWORK].to_dict()
            | {
                "seed": seed,
                "measure": "excess",
                "variant": "",
                "value": abs(curve[-1] / floor - 1),
            }
            for seed, curve in zip(seeds, curves, strict=True)
        ]
    return pd.DataFrame(found)


def floor_of(task) -> float:
    items = task.draw()
    return float(np.sum(linear_residual(items.inputs, items.targets) ** 2)) / 2


def task_rows() -> list[pd.DataFrame]:
    """Return three numbers of each task.

    The first is the largest entry of |R X^T|. The second is the distance of the task from one basis
    for all of its correlations. The third is the distance of a ReLU network from the gated linear
    network with its gates.
    """
    found = []
    for task in TASKS:
        items, about = task.draw(), settings_of_task(task)
        residual = linear_residual(items.inputs, items.targets)
        largest = float(np.abs(residual @ items.inputs.T).max())
        found.append(number_row("residual_correlation", largest, **about))
        found.append(number_row("commutator", commutator(items.inputs, items.targets), **about))
        found.append(number_row("gates_error", gates_error(items), **about))
    return found


def gates_error(items: Items) -> float:
    """Return the largest difference between a ReLU network and a gated linear network.

    It is over items and outputs. The ReLU network has normal weights. The gates are the units that
    are on at each item.
    """
    normal = stream(0, "a network and its gates")
    first = normal.standard_normal((UNITS, len(items.inputs)))
    second = normal.standard_normal((len(items.targets), UNITS))
    before = first @ items.inputs
    relu = second @ np.maximum(before, 0)
    by_item = zip((before > 0).T, items.inputs.T, strict=True)
    gated = np.stack([second @ ((on[:, None] * first) @ x) for on, x in by_item], axis=1)
    return float(np.abs(relu - gated).max())
