"""Figure 6: two hidden layers."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.intervals import FEWEST
from repatlas.plots.spread import deviation, with_interval
from repatlas.plots.style import Style, counted, finish, letter, say, small_type
from repatlas.studies.gating.look import (
    GATED,
    RELU,
    draw_losses,
    draw_matrix,
    losses,
    mark_contexts,
    matrix,
    medians,
    number_of_seeds,
)

KINDS = {"relu": ("ReLU", RELU), "gated_deep": ("ReLN", GATED)}
OF_LAYER = ["depth", "layer"]


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.32 * style.width))
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=[1.1, 0.92, 0.66])
    deep = table[(table["depth"] == 2) | (table["network"] == "gated_deep")]
    spreads = _spreads(deep)
    widths = [2.2, 1] if spreads else [1]
    left, *right = np.atleast_1d(top.subfigures(1, len(widths), width_ratios=widths))
    letter(left, "A")
    ax = left.subplots()
    draw_losses(ax, deep)
    ax.set(ylabel="Loss", title="Losses of all networks")
    if ax.lines:
        _add_legend(ax)
    for part in right:
        letter(part, "B")
        _draw_spread(part.subplots(), spreads)

    letter(middle, "C")
    _draw_outputs(middle, table)

    parts = bottom.subfigures(1, 2, width_ratios=[0.8, 1.2])
    letter(parts[0], "D")
    _draw_linearity(parts[0].subplots(), table)
    _draw_active(parts[1].subplots(), table)
    finish(
        figure,
        table,
        style,
        f"A: {number_of_seeds(losses(deep))} of each kind; the ReLN trains its common pathway from "
        "an epoch on that was set by hand, and the others from a later one on. "
        f"B: {_spread_note(deep)} C: one network of each kind. D: at the last epoch, "
        f"{medians(table[table['measure'] == 'linearity'], OF_LAYER)}.",
    )
    return figure


def _add_legend(ax: Any) -> None:
    """Add a legend with each name once, with the marker that the first network of a kind has."""
    lines, names = ax.get_legend_handles_labels()
    handles = dict(zip(names[::-1], lines[::-1], strict=True))
    ax.legend([*handles.values()][::-1], [*handles][::-1], loc="upper right", handlelength=1.8,
              borderpad=0)  # fmt: skip


def _spreads(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the standard deviation of the loss at each epoch, for kinds with enough networks."""
    found = {}
    for network in KINDS:
        spread = losses(table[table["network"] == network]).groupby("step")["value"].agg(deviation)
        if spread.notna().any():
            found[network] = spread
    return found


def _spread_note(table: pd.DataFrame) -> str:
    if _spreads(table):
        return "standard deviation over networks."
    number = losses(table)["seed"].nunique()
    return f"the spread over networks, left out: {counted(number)}, {FEWEST} needed."


def _draw_spread(ax: Any, spreads: dict[str, pd.Series]) -> None:
    ax.set(xlabel="Epoch", ylabel="SD of the loss", title="Spread over networks")
    for network, spread in spreads.items():
        name, colour = KINDS[network]
        # Markers would hide the narrow peaks. Dashes distinguish the colours in grey.
        dashes = "-" if network == "relu" else (0, (3, 1))
        ax.plot(spread.index, spread, color=colour, label=name, linestyle=dashes, linewidth=0.9)
    if spreads:
        ax.legend(loc="upper right", handlelength=1.8, borderpad=0)
    ax.locator_params(axis="x", nbins=5)


def _draw_outputs(part: Any, table: pd.DataFrame) -> None:
    rows = table[(table["measure"] == "output") & (table["variant"] == "all")]
    epochs = sorted(rows["step"].dropna().unique())
    contexts = int(rows["contexts"].max()) if len(rows) else 0
    axes = part.subplots(2, max(len(epochs), 1), squeeze=False)
    image = None
    for number, (network, (name, _)) in enumerate(KINDS.items()):
        for column, epoch in enumerate(epochs):
            ax = axes[number, column]
            at = rows[(rows["step"] == epoch) & (rows["network"] == network)]
            if at.empty:
                say(ax, "Not in this run")
                continue
            image = draw_matrix(ax, matrix(at), f"Epoch {epoch:.0f}" if number == 0 else "")
            mark_contexts(ax, contexts, names=number == 1)
        axes[number, 0].set_ylabel(f"{name}, outputs")
        if not epochs:
            say(axes[number, 0], "Not in this run")
    if image is not None:
        part.colorbar(image, ax=axes, shrink=0.5, label="Output", pad=0.01)


def _draw_linearity(ax: Any, table: pd.DataFrame) -> None:
    found = with_interval(table[table["measure"] == "linearity"], OF_LAYER)
    if found.empty:
        say(ax, "Not in this run")
    names = {(1, 1): "one layer", (2, 1): "first of two", (2, 2): "second of two"}
    for place, (key, _) in enumerate(names.items()):
        row = found[(found["depth"] == key[0]) & (found["layer"] == key[1])]
        if len(row):
            value = row["value"].iloc[0]
            ax.plot(place, value, "s", color=RELU, markerfacecolor="white", markersize=4,
                    clip_on=False)  # fmt: skip
            ax.annotate(f"{value:.3f}", (place, value), xytext=(5, 0), textcoords="offset points",
                        va="center", size=small_type())  # fmt: skip
            ax.vlines(place, row["low"], row["high"], color=RELU, linewidth=1)
        elif len(found):
            ax.text(place, 0.5, "not in this run", transform=ax.get_xaxis_transform(), rotation=90,
                    ha="center", va="center", color="0.6")  # fmt: skip
    ax.set_xticks(range(3), [name.replace(" ", "\n", 1) for name in names.values()])
    ax.set(title="Linear in the input", ylabel="$R^2$ of the activity", xlim=(-0.5, 2.7))
    ax.set_ylim(top=1)


def _draw_active(ax: Any, table: pd.DataFrame) -> None:
    """Draw mass by the number of contexts in which a unit is active, for the layer below the
    outputs."""
    rows = table[table["measure"] == "active_share"]
    rows = rows[rows["layer"] == rows["depth"]]
    found = with_interval(rows, ["depth", "neuron"])
    if found.empty:
        say(ax, "Not in this run")
    for place, (depth, name) in enumerate(((1, "one hidden layer"), (2, "second of two"))):
        of_depth = found[found["depth"] == depth]
        if of_depth.empty:
            continue
        at = of_depth["neuron"].astype(float) + (place - 0.5) * 0.38
        colour = ("#56B4E9", RELU)[place]
        ax.bar(at, of_depth["value"], width=0.38, color=colour, label=name)
        ax.vlines(at, of_depth["low"], of_depth["high"], color="0.2", linewidth=0.6)
    ax.set(xlabel="Contexts a unit is active in", ylabel="Share of mass", title="Sharing")
    if len(found):
        ax.set_xticks(range(int(found["neuron"].max()) + 1))
        ax.legend(handlelength=1, borderpad=0)
