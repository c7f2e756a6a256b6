"""Figure S7: agreement of loss curves in numbers."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, say
from repatlas.studies.gating.look import TASKS, kinds, medians

MEASURES = {
    "D1": "Largest difference of losses",
    "R2": "$1-R^2$",
    "D4": "Largest relative lag",
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


YARDSTICKS = {
    **{"relu": "relu", "relu, not fitted": "relu", "linear": "linear"},
    **{"detached": "gated detached", "joint": "gated joint"},
}
"""The networks that a curve is compared with. How far they are from one another, from seed to seed,
is the scale to hold the curve against."""
SEEDS = "next seed"
LIMITS = {"D1": 0.05, "R2": 0.01}
"""What claims about a measure are judged by, where all but those on the K-flow have one limit."""
K_FLOW_LIMIT = 0.02
GATED = ("detached", "joint")


def draw(table: pd.DataFrame, style: Style) -> Figure:
    rows = table[table["measure"] == "agreement"]
    rows = rows.assign(
        kind=kinds(rows), value=rows["value"].where(rows["variant"] != "R2", 1 - rows["value"])
    )
    pairs = _sorted(rows)
    figure = Figure(figsize=(style.width, (0.2 + 0.045 * max(len(pairs), 4)) * style.width))
    part = figure.subfigures()
    axes = part.subplots(1, len(MEASURES), sharey=True)
    has_band = False
    for ax, (variant, title) in zip(axes, MEASURES.items(), strict=True):
        ax.set_title(title)
        if pairs:
            of_variant = rows[rows["variant"] == variant]
            _draw(ax, of_variant, pairs)
            has_band |= _draw_yardsticks(ax, of_variant, pairs)
            _draw_limit(ax, variant)
        else:
            say(ax, "No two loss curves of one task to compare")
    if pairs:
        axes[0].set_yticks(range(len(pairs)), [ROWS[pair] for pair in pairs])
        axes[0].set_ylim(len(pairs) - 0.5, -0.5)
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                    handlelength=1)  # fmt: skip
    said = medians(rows, [*PAIR, "blocks", "contexts", "variant"])
    scale = (
        " Grey: as near as two of these networks with different seeds, the median of the task in"
        " which they are furthest apart."
    )
    k_flow = any(pair[0].startswith("mean_field") and pair[1] in GATED for pair in pairs)
    limits = f" Claims on the K-flow with its ReLN have the limit {K_FLOW_LIMIT:g}."
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}. Left is better; rows of one network are sorted by the"
        f" largest difference.{scale * has_band}{limits * k_flow} "
        "Difference: over the first loss; lag: of the epochs at which the loss is first below "
        "0.9, 0.85, ... 0.05 of it.",
    )
    return figure


def _sorted(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs that have a row: pairs of one network together, the nearest first.
    Networks of two seeds have a row only where nothing else is compared with these networks."""
    found = set(rows[PAIR].itertuples(index=False, name=None))
    compared = {YARDSTICKS[reference] for _, reference in found if reference in YARDSTICKS}
    shown = [
        pair for pair in ROWS if pair in found and not (pair[1] == SEEDS and pair[0] in compared)
    ]
    medians_of = rows[rows["variant"] == "D1"].groupby(PAIR)["value"].median().to_dict()
    order = list(dict.fromkeys(map(_network_of, ROWS)))
    return sorted(
        shown, key=lambda pair: (order.index(_network_of(pair)), medians_of.get(pair, np.inf))
    )


def _network_of(pair: tuple[str, str]) -> str:
    """Return the kind of network that a pair is about."""
    kind, reference = pair
    return kind if reference == SEEDS else YARDSTICKS[reference]


def _draw_yardsticks(ax: Any, rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> bool:
    """Draw, behind the rows of one network, how far it is from itself with another seed; return
    True if any network has more than one seed."""
    seeds = with_interval(rows[rows["reference"] == SEEDS], ["kind", "blocks", "contexts"])
    largest = seeds.groupby("kind")["value"].max()
    largest = largest[largest > 0]  # the axis is logarithmic
    networks = [_network_of(pair) if pair[1] != SEEDS else None for pair in pairs]
    bands = [name for name in dict.fromkeys(networks) if name in largest.index]
    if not bands:
        return False
    low, high = ax.get_xlim()
    low, high = min(low, 0.7 * largest[bands].min()), max(high, 1.4 * largest[bands].max())
    for name in bands:
        places = [place for place, each in enumerate(networks) if each == name]
        corner, width = (low, places[0] - 0.5), largest[name] - low
        ax.add_patch(Rectangle(corner, width, len(places), color="0.9", linewidth=0, zorder=-1))
    ax.set_xlim(low, high)
    return True


def _draw_limit(ax: Any, variant: str) -> None:
    if variant not in LIMITS:
        return
    low, high = ax.get_xlim()
    limit = LIMITS[variant]
    ax.axvline(limit, color="0.4", linewidth=0.7, linestyle=":", zorder=0)
    ax.set_xlim(min(low, 0.7 * limit), max(high, 1.4 * limit))
    ax.set_title(f"{MEASURES[variant]}\nlimit {limit:g}, dotted")


def _draw(ax: Any, rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> None:
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
    """Return name, colour and marker of a task."""
    if blocks == "heterogeneous":
        return blocks, "black", "o"
    return f"{contexts} contexts", *TASKS[contexts]
