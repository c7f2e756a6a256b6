"""Figure S4: gates that clusters of units show, and null controls."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import legend, panels
from repatlas.plots.marks import draw_matrix
from repatlas.plots.palette import BLACK
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.studies.gating.look import NAMES, number_of_seeds
from repatlas.studies.gating.roles import CONTEXTS, KIND, WEIGHTS, one_of_each, role
from repatlas.studies.gating.rows.curves import agreement_rows

FIGURE = Figure(
    "Gates from clusters of units, with null controls.",
    {
        "relu": role(
            "Sweeps of ReLU networks, stored at several epochs from 1500 on.",
            {"gates"},
            "relu",
            only=CONTEXTS,
            shown=panels("task.blocks", "task.contexts"),
            fits=(at_most({"task.contexts": 4}),),
            several=True,
        ),
        "linear": role(
            "The sweep of linear networks, which have no gates.",
            {"gates"},
            "linear",
            only=CONTEXTS,
            shown=panels("task.blocks", "task.contexts"),
            fits=(at_most({"task.contexts": 4}),),
        ),
        "fits": role(
            "Sweeps of the mean field with the gates of all contexts but one.",
            {"loss"},
            "recruited",
            only=CONTEXTS,
            shown=legend(*WEIGHTS) | panels("task.blocks", "task.contexts"),
            fits=(one_of_each(*KIND),),
            several=True,
            optional=True,
        ),
    },
    finding=Finding(
        "Clusters of units find more of the gates of three and four contexts than chance does.",
        {"20": SUPPORTED},
    ),
)
CAPTION = """**Figure S4: gates from clusters of units (our choice; the paper clusters activity at
several stages of training).** A: the share of the gates of all contexts but one that clusters of
units show, for {{ n(facts.relu.seeds) }} of each task; two naive variants; and three null controls:
activity permuted over contexts within each unit and object, networks before training, and linear
networks. Numbers are medians over networks, and the range where networks differ. B: activity of the
clusters of one network in each context, as a fraction of its largest. {{ lost }}"""

GATES = ("gate_recall", "centroid", "gate_mass", "silhouette")


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return gates as they were found, and the agreement of a fitted mean field.

    The mean field has the gates of all contexts except one. It is compared only with networks in
    which clusters found exactly these gates.
    """
    relu, fits = rows["relu"], rows.get("fits", rows["relu"][:0])
    parts = [each[each["measure"].isin(GATES)] for each in (relu, rows["linear"])]
    recalls = relu[(relu["measure"] == "gate_recall") & (relu["variant"] == "contexts")]
    whole = recalls[recalls["value"] == 1][["run", "seed"]]
    found = relu.merge(whole, on=["run", "seed"])
    parts.append(agreement_rows(fits, found, "relu", ("blocks", "contexts")))
    return pd.concat(parts, ignore_index=True)


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


def draw(table: pd.DataFrame, style: Style) -> Any:
    rows = table[table["measure"] == "gate_recall"]
    tasks = sorted(
        rows[["blocks", "contexts"]].dropna().drop_duplicates().itertuples(index=False, name=None)
    )
    figure = page(style, 0.86 * style.width)
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
    texts = [[_median_and_range(values) for values in row] for row in found]
    draw_matrix(
        ax,
        np.nan_to_num(medians),
        cmap="Greys",
        vmin=0,
        vmax=1.4,
        annot=texts,
        xticklabels=[_name(task) for task in tasks],
        yticklabels=[*VARIANTS.values()],
    )
    for row in GROUPS:
        ax.axhline(row, color=BLACK, linewidth=0.8)
    ax.tick_params(length=0, labelsize="medium")
    ax.set_title("Recall: share of the gates that are found")


def _median_and_range(values: pd.Series) -> str:
    """Return the median and, below it, the range."""
    if values.empty:
        return NONE
    text, least, most = (
        f"{number:.2g}" for number in (values.median(), values.min(), values.max())
    )
    return f"{text}\n{least} to {most}" if values.min() < values.max() else text


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
