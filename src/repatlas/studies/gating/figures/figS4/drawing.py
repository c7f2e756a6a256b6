"""Figure S4: gates that clusters of units show, and null controls."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import Style, finish, letter, say, small_type
from repatlas.studies.gating.look import NAMES, number_of_seeds

NONE = "\N{EN DASH}"
"""The text of a cell without networks."""

VARIANTS = {
    "contexts": "method: mean over objects",
    "last epoch": "variant: last epoch alone",
    "items": "variant: items, naive",
    "signs": "variant: signs, naive",
    "permuted": "control: permuted",
    "initial": "control: untrained",
    "linear": "control: linear network",
}
"""The ways to look for gates: the study's method, its variants, and its null controls."""
GROUPS = (1, 4)
"""The rows before which a line parts the method, its variants and the controls."""
DARK = 0.6
"""Numbers on darker cells are white."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    rows = table[table["measure"] == "gate_recall"]
    tasks = sorted(
        rows[["blocks", "contexts"]].dropna().drop_duplicates().itertuples(index=False, name=None)
    )
    figure = Figure(figsize=(style.width, 0.86 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 0.7])
    letter(top, "A")
    _draw_recall(top.subplots(), rows, tasks)

    letter(bottom, "B")
    axes = bottom.subplots(1, max(len(tasks), 1), squeeze=False)[0]
    image = None
    for ax, task in zip(axes, tasks, strict=False):
        image = _draw_centroids(ax, _of(table[table["measure"] == "centroid"], task), int(task[1]))
        ax.set_title(_name(task))
    axes[0].set_ylabel("Cluster")
    if image is not None:
        bottom.colorbar(image, ax=axes, label="Activity divided\nby the largest")
    missing = f" {NONE}: no such networks." * _is_incomplete(rows, tasks)
    finish(
        figure,
        table,
        style,
        f"A: medians over {number_of_seeds(rows)} each; below, the range where they differ."
        f"{missing} B: the clusters of one network.",
    )
    return figure


def _of(rows: pd.DataFrame, task: tuple) -> pd.DataFrame:
    return rows[(rows["blocks"] == task[0]) & (rows["contexts"] == task[1])]


def _name(task: tuple) -> str:
    blocks, contexts = task
    return "heterogeneous" if blocks == "heterogeneous" else f"{contexts} contexts"


def _recalls(rows: pd.DataFrame, task: tuple, variant: str) -> pd.Series:
    """Return the share of gates that are found, for each network of a task."""
    of_task = _of(rows, task)
    linear = of_task["network"] == "linear"
    if variant == "linear":
        return of_task.loc[linear & (of_task["variant"] == "contexts"), "value"].dropna()
    return of_task.loc[~linear & (of_task["variant"] == variant), "value"].dropna()


def _is_incomplete(rows: pd.DataFrame, tasks: list[tuple]) -> bool:
    return any(_recalls(rows, task, variant).empty for task in tasks for variant in VARIANTS)


def _draw_recall(ax: Any, rows: pd.DataFrame, tasks: list[tuple]) -> None:
    """Draw a table of medians over networks, a column for each task. Higher medians are darker."""
    if not tasks:
        say(ax, "Not in this run")
        return
    found = [[_recalls(rows, task, variant) for task in tasks] for variant in VARIANTS]
    medians = np.array([[values.median() for values in row] for row in found], dtype=float)
    ax.imshow(medians, cmap="Greys", vmin=0, vmax=1.4, aspect="auto")
    for (row, column), median in np.ndenumerate(medians):
        values = found[row][column]
        text = NONE if values.empty else f"{median:.2g}"
        if len(values) and values.min() < values.max():
            text += f"\n{values.min():.2g} to {values.max():.2g}"
        ax.text(column, row, text, ha="center", va="center", size=small_type(), linespacing=1,
                color="white" if median > DARK else "black")  # fmt: skip
    for row in GROUPS:
        ax.axhline(row - 0.5, color="black", linewidth=0.8)
    ax.set_xticks(range(len(tasks)), [_name(task) for task in tasks])
    ax.set_yticks(range(len(VARIANTS)), list(VARIANTS.values()))
    ax.tick_params(length=0, labelsize="medium")
    ax.set_title("Recall: share of the gates that are found")


def _draw_centroids(ax: Any, rows: pd.DataFrame, contexts: int) -> Any:
    shown = rows[
        (rows["variant"] == "contexts") & (rows["seed"] == 0) & (rows["network"] == "relu")
    ]
    if shown.empty:
        say(ax, "Not in this run")
        return None
    values = shown.pivot_table(index="cluster", columns="other_cluster", values="value").to_numpy()
    order = np.argsort(values.argmin(axis=1), kind="stable")
    image = ax.imshow(values[order], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(contexts), list(NAMES[:contexts]))
    ax.set_yticks([])
    return image
