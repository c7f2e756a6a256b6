"""What tables say of the tasks: inputs and targets, and which pathways see what of them."""

import numpy as np
import pandas as pd

from repatlas.experiments.items.networks.gated import Gated
from repatlas.experiments.items.tasks.contexts import Contexts

HETEROGENEOUS = Contexts(kind="contexts", blocks="heterogeneous")
TASKS = [HETEROGENEOUS, *(Contexts(kind="contexts", contexts=number) for number in (3, 4, 5))]
"""The paper's tasks of several contexts."""


def settings_of_task(task: Contexts) -> dict:
    return {"task": "contexts", "contexts": task.contexts, "blocks": task.blocks}


def cells(values: np.ndarray, measure: str, variant: str = "", **about) -> pd.DataFrame:
    """Return a row for each cell of a matrix: `neuron` is its row, `cluster` its column."""
    rows, columns = np.indices(values.shape)
    return pd.DataFrame(
        {"neuron": rows.ravel(), "cluster": columns.ravel(), "value": values.ravel().astype(float)}
    ).assign(measure=measure, variant=variant, **about)


def item_rows(task: Contexts) -> pd.DataFrame:
    """Return inputs and targets, with an item in each column."""
    items, about = task.draw(), settings_of_task(task)
    return pd.concat(
        [cells(items.inputs, "input", **about), cells(items.targets, "target", **about)]
    )


def pathway_rows(task: Contexts) -> pd.DataFrame:
    """Return the gates of the pathways over the items, and the masks over the inputs.

    There are a common pathway and the pathways of all contexts except one.
    """
    gates, about = Gated(kind="gated").gates(task), settings_of_task(task)
    parts = []
    for number, name in enumerate(gates.names):
        parts.append(cells(gates.gates[number : number + 1], "gate", name, **about))
        parts.append(cells(gates.masks[number : number + 1], "mask", name, **about))
    return pd.concat(parts)


def number_row(measure: str, value: float, variant: str = "", **about) -> pd.DataFrame:
    """Return the row of a number that belongs to no network."""
    return pd.DataFrame([{"measure": measure, "variant": variant, "value": float(value)} | about])
