"""Figure S7: agreement of loss curves in numbers."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, say
from repatlas.studies.gating.look import TASKS, kinds, medians

MEASURES = {
    "D1": "Largest difference D1",
    "R2": "$1-R^2$",
    "D4": "Largest relative lag D4",
}
ROWS = {
    ("gated detached", "relu"): "ReLN with ReLU",
    ("gated joint", "relu"): "ReLN, joint, with ReLU",
    ("race authors", "relu"): "race, authors', with ReLU",
    ("race derived", "relu"): "race, derived, with ReLU",
    ("closed_form authors", "relu"): "closed form, authors', with ReLU",
    ("closed_form derived", "relu"): "closed form, derived, with ReLU",
    ("mean_field detached", "relu"): "K-flow with ReLU",
    ("mean_field joint", "relu"): "K-flow, joint, with ReLU",
    ("recruited", "relu, not fitted"): "K-flow, fitted, with other ReLU",
    ("race authors", "detached"): "race, authors', with ReLN",
    ("race derived", "detached"): "race, derived, with ReLN",
    ("closed_form authors", "detached"): "closed form, authors', with ReLN",
    ("closed_form derived", "detached"): "closed form, derived, with ReLN",
    ("mean_field detached", "detached"): "K-flow with ReLN",
    ("mean_field joint", "joint"): "K-flow, joint, with ReLN, joint",
    ("logistic", "linear"): "closed form with linear network",
    ("relu", "next seed"): "ReLU, seed to seed",
    ("gated detached", "next seed"): "ReLN, seed to seed",
    ("gated joint", "next seed"): "ReLN, joint, seed to seed",
    ("linear", "next seed"): "linear network, seed to seed",
}
"""Kind of curve and what it is compared with. The table has one kind more: what was fitted to a
network with all networks, which one of them is."""
PAIR = ["kind", "reference"]


def draw(table: pd.DataFrame, style: Style) -> Figure:
    rows = table[table["measure"] == "agreement"]
    rows = rows.assign(kind=kinds(rows))
    found = set(rows[PAIR].itertuples(index=False, name=None))
    named = {pair: name for pair, name in ROWS.items() if pair in found}
    figure = Figure(figsize=(style.width, (0.2 + 0.045 * max(len(named), 4)) * style.width))
    part = figure.subfigures()
    axes = part.subplots(1, len(MEASURES), sharey=True)
    for ax, (variant, title) in zip(axes, MEASURES.items(), strict=True):
        ax.set_title(title)
        if named:
            _draw(ax, rows[rows["variant"] == variant], variant, list(named))
        else:
            say(ax, "No two loss curves of one task to compare")
    if named:
        axes[0].set_yticks(range(len(named)), list(named.values()))
        axes[0].set_ylim(len(named) - 0.5, -0.5)
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                    handlelength=1)  # fmt: skip
    said = medians(rows, [*PAIR, "blocks", "contexts", "variant"])
    scale = (
        " The scale to hold them against is that from seed to seed, over pairs of networks, in the"
        " last rows."
    )
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}. Left is better."
        f"{scale * bool((rows['reference'] == 'next seed').any())} "
        "Difference: over the first loss; lag: of the epochs at which the loss is first below "
        "0.9, 0.85, ... 0.05 of it.",
    )
    return figure


def _draw(ax: Any, rows: pd.DataFrame, variant: str, pairs: list[tuple[str, str]]) -> None:
    if variant == "R2":
        rows = rows.assign(value=1 - rows["value"])
    if rows["value"].isna().all():
        say(ax, "No loss fell to these levels")
        return
    tasks = sorted(
        rows[["blocks", "contexts"]].drop_duplicates().itertuples(index=False, name=None)
    )
    step = 0.72 / max(len(tasks), 4)
    for number, (blocks, contexts) in enumerate(tasks):
        name, colour, marker = _look(blocks, int(contexts))
        of_task = rows[(rows["blocks"] == blocks) & (rows["contexts"] == contexts)]
        found = with_interval(of_task, PAIR).set_index(PAIR)
        places, values = [], []
        for place, key in enumerate(pairs):
            if key in found.index:
                row = found.loc[key]
                at = place + step * (number - (len(tasks) - 1) / 2)
                places.append(at)
                values.append(row["value"])
                ax.plot([row["low"], row["high"]], [at, at], color=colour, linewidth=0.8)
        if places:
            # Open, where it would be as dark as its interval.
            face = "white" if colour == "black" else colour
            ax.plot(values, places, marker, color=colour, markersize=2.8, label=name,
                    markerfacecolor=face)  # fmt: skip
    for place in range(1, len(pairs)):
        ax.axhline(place - 0.5, color="0.93", linewidth=0.5, zorder=0)
    ax.set_xscale("log")


def _look(blocks: str, contexts: int) -> tuple[str, str, str]:
    """Name, colour and marker of a task."""
    if blocks == "heterogeneous":
        return blocks, "black", "o"
    return f"{contexts} contexts", *TASKS[contexts]
