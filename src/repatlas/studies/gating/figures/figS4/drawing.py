"""Figure S4: gates that clusters of units show, and null controls."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import NAMES, RELU, number_of_seeds

VARIANTS = {
    "contexts": "mean over objects",
    "last epoch": "last epoch alone",
    "items": "naive: items",
    "signs": "naive: signs",
    "permuted": "control: permuted",
    "initial": "control: untrained",
    "linear": "control: linear network",
}
"""The ways to look for gates: the study's method, its variants, and its null controls."""
COLOURS = dict(
    zip(VARIANTS, (RELU, "#6F3FA0", "#A98BCB", "#A98BCB", "0.5", "0.5", "0.5"), strict=True)
)


def draw(table: pd.DataFrame, style: Style) -> Figure:
    rows = table[table["measure"] == "gate_recall"]
    tasks = sorted(
        rows[["blocks", "contexts"]].dropna().drop_duplicates().itertuples(index=False, name=None)
    )
    figure = Figure(figsize=(style.width, 0.98 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 0.75])
    letter(top, "A")
    axes = top.subplots(1, max(len(tasks), 1), sharey=True, squeeze=False)[0]
    for ax, task in zip(axes, tasks, strict=False):
        _draw_recall(ax, _of(rows, task))
        ax.set_title(_name(task))
    axes[0].set_yticks(range(len(VARIANTS)), list(VARIANTS.values()))
    axes[0].set_ylim(len(VARIANTS) - 0.5, -0.5)

    letter(bottom, "B")
    axes = bottom.subplots(1, max(len(tasks), 1), squeeze=False)[0]
    image = None
    for ax, task in zip(axes, tasks, strict=False):
        image = _draw_centroids(ax, _of(table[table["measure"] == "centroid"], task), int(task[1]))
        ax.set_title(_name(task))
    axes[0].set_ylabel("Cluster")
    if image is not None:
        bottom.colorbar(image, ax=axes, shrink=0.7, label="Activity, of the largest")
    finish(
        figure,
        table,
        style,
        f"A: share of the gates of all contexts but one that are found, {number_of_seeds(rows)} "
        "each, jittered, and their median. B: activity of the clusters of one network in each "
        "context.",
    )
    return figure


def _of(rows: pd.DataFrame, task: tuple) -> pd.DataFrame:
    return rows[(rows["blocks"] == task[0]) & (rows["contexts"] == task[1])]


def _name(task: tuple) -> str:
    blocks, contexts = task
    return "heterogeneous" if blocks == "heterogeneous" else f"{contexts} contexts"


def _draw_recall(ax: Any, rows: pd.DataFrame) -> None:
    linear = rows["network"] == "linear"
    for place, variant in enumerate(VARIANTS):
        if variant == "linear":
            of_variant = rows[linear & (rows["variant"] == "contexts")]
        else:
            of_variant = rows[~linear & (rows["variant"] == variant)]
        of_variant = of_variant.dropna(subset="value").sort_values("seed")
        if of_variant.empty:
            ax.text(0.5, place, "not in this run", ha="center", va="center",
                    color="0.6")  # fmt: skip
            continue
        jitter = place + 0.28 * np.linspace(-1, 1, len(of_variant)) * (len(of_variant) > 1)
        ax.plot(of_variant["value"], jitter, "o", color=COLOURS[variant], markersize=2, alpha=0.6)
        median = with_interval(of_variant.assign(all="all"), ["all"])["value"].iloc[0]
        ax.plot([median, median], [place - 0.36, place + 0.36], color="black", linewidth=1)
    ax.set(xlabel="Recall", xlim=(-0.05, 1.05))


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
