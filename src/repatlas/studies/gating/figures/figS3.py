"""Figure S3: the loss does not tell which gates there are; units do."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import (
    FITTED,
    GATED,
    MARKED,
    RELU,
    draw_losses,
    legend_of,
    losses,
    medians,
    number_of_seeds,
    with_interval,
)

GATES = {"all_but_one": ("two contexts", FITTED), "single": ("one context", GATED)}
"""By pathways: their name and colour."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.86 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 0.9])
    left, right = top.subfigures(1, 2, width_ratios=[1, 1])
    letter(left, "A")
    _draw_fits(left.subplots(), table)
    letter(right, "B")
    ax = right.subplots()
    draw_losses(ax, table, ("relu", "frozen items", "frozen contexts"))
    ax.set(title="Gates of units, frozen from the start", ylabel="Loss")
    legend_of(right, [ax], loc="outside lower center", ncols=2)

    parts = bottom.subfigures(1, 3)
    for part, mark in zip(parts, ("C", "D", "E"), strict=True):
        letter(part, mark)
    _draw_agreement(parts[0].subplots(), table)
    _draw_kappas(parts[1].subplots(), table)
    _draw_slopes(parts[2].subplots(), table)
    finish(
        figure,
        table,
        style,
        f"A, B: thin, {number_of_seeds(losses(table[table['network'] == 'relu']))}. C: "
        f"{medians(_agreement(table), ['network', 'pathways', 'gates', 'reference'])}; fits on the "
        "networks that they were not fitted to. D: a fit above 1 "
        "(dotted) asks for more units than there are. E: mean slopes, each unit's sorted, "
        f"weighted by mass, {medians(table[table['measure'] == 'slope'], ['neuron'])}.",
    )
    return figure


def _draw_fits(ax: Any, table: pd.DataFrame) -> None:
    draw_losses(ax, table, ("relu",))
    fits = losses(table[table["network"] == "recruited"])
    lines = ((0, (4, 1.5)), (2.75, (4, 1.5)))  # the gaps of one show the other
    for (pathways, (name, colour)), line in zip(GATES.items(), lines, strict=True):
        curve = fits[fits["pathways"] == pathways]
        if curve.empty:
            continue
        ax.plot(curve["step"], curve["value"], color=colour, linestyle=line,
                label=f"K-flow, pathways of {name}", marker="s" if colour == GATED else "",
                **MARKED)  # fmt: skip
    ax.set(title="Two fits of one loss", ylabel="Loss")
    handles, names = ax.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    ax.legend(once.values(), once.keys(), handlelength=2, borderpad=0)


def _agreement(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[(table["measure"] == "agreement") & (table["variant"] == "R2")]
    rows = rows.assign(value=1 - rows["value"])
    of = ["network", "pathways", "gates", "reference"]
    return rows.fillna(dict.fromkeys(of, ""))


def _draw_agreement(ax: Any, table: pd.DataFrame) -> None:
    rows = _agreement(table)
    chosen = {
        "fit, two contexts": (rows["pathways"] == "all_but_one", FITTED),
        "fit, one context": (rows["pathways"] == "single", GATED),
        "frozen gates": (rows["gates"] == "items", "#E69F00"),
        "... rounded": (rows["gates"] == "contexts", "#56B4E9"),
        "next seed": (rows["reference"] == "next seed", RELU),
    }
    ax.set_title("Agreement")
    if rows.empty:
        say(ax, "Nothing to compare")
        return
    for place, (mask, colour) in enumerate(chosen.values()):
        found = with_interval(rows[mask].assign(all="all"), ["all"])
        if len(found):
            row = found.iloc[0]
            ax.plot(row["value"], place, "o", color=colour, markersize=3)
            ax.hlines(place, row["low"], row["high"], color=colour, linewidth=1)
    ax.set_yticks(range(len(chosen)), list(chosen))
    ax.set(xscale="log", xlabel="$1-R^2$", ylim=(len(chosen) - 0.5, -0.5))


def _draw_kappas(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "fitted_kappa"]
    ax.set(title="Recruitment fitted", ylabel=r"$\kappa$")
    if rows.empty:
        say(ax, "No fit in this run")
        return
    for place, (pathways, (_, colour)) in enumerate(GATES.items()):
        for variant, marker in (("common", "s"), ("context", "o")):
            mine = rows[(rows["pathways"] == pathways) & (rows["variant"] == variant)]
            for found in with_interval(mine, ["variant"]).itertuples():
                ax.plot(place, found.value, marker, color=colour, markersize=4)
                ax.vlines(place, found.low, found.high, color=colour, linewidth=1)
                ax.annotate(f"{found.value:.3g}", (place, found.value), xytext=(5, 0),
                            textcoords="offset points", va="center")  # fmt: skip
    ax.axhline(1, color="0.6", linewidth=0.6, linestyle=":")
    ax.set_xticks(range(2), [name.replace(" ", "\n") for name, _ in GATES.values()])
    ax.set(yscale="log", xlim=(-0.5, 1.8), ylim=(0.08, 100))
    markers = [ax.plot([], [], each, color="0.4", markersize=4)[0] for each in "so"]
    ax.legend(markers, ["common", "of contexts"], loc="center left", bbox_to_anchor=(0, 0.62),
              handlelength=1, borderpad=0)  # fmt: skip


def _draw_slopes(ax: Any, table: pd.DataFrame) -> None:
    found = with_interval(table[table["measure"] == "slope"], ["neuron"])
    if found.empty:
        ax.set_title("Slopes of ReLU units")
        say(ax, "Not in this run")
        return
    ax.bar(found["neuron"] + 1, found["value"], color=RELU, width=0.6)
    ax.vlines(found["neuron"] + 1, found["low"], found["high"], color="0.2", linewidth=0.8)
    ax.text(3.0, 0.95, "pathways\nof two\ncontexts", color=FITTED, ha="center", va="top")
    ax.plot([0.6, 2.4], [1, 1], color=FITTED, linewidth=1, linestyle=(0, (4, 1.5)))
    ax.set(title="Slopes of ReLU units", xlabel="Context, by slope", ylabel="Slope")
    ax.set_xticks(np.arange(1, 4))
    ax.set_ylim(0, 1.15)
