"""Figure S5: the geometry of representations in contexts, at matched loss."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.plots.ends import name_ends
from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import GATED, RELU, TANH, number_of_seeds, with_interval

LEVELS = ("0.5", "0.25", "0.1", "0.05", "0.01")
PANELS = {
    ("target_alignment", None): "Target alignment",
    ("input_alignment", None): "Input alignment",
    ("participation_ratio", None): "Participation ratio",
    ("context_parallelism", 0): "Parallelism, animals | plants",
    ("context_ccgp", 0): "CCGP, fitted in all but one",
    ("context_ccgp", 1): "CCGP, fitted in one",
    ("context_parallelism", 1): "Parallelism, birds | fish",
    ("context_parallelism", 2): "Parallelism, flowers | trees",
    ("context_ccgp", 2): "CCGP of contexts",
}
"""Measure and `neuron`, with the title of its panel."""
LOOKS = {
    ("relu", "equal", None): ("ReLU, small", RELU, "-", "o"),
    ("relu", "fan_in", 0.1): ("ReLU, g = 0.1", "#56B4E9", "-", "s"),
    ("relu", "fan_in", 1.0): ("ReLU, g = 1", "#56B4E9", "--", "^"),
    ("tanh", "fan_in", 0.1): ("Tanh, g = 0.1", TANH, "-", "D"),
    ("tanh", "fan_in", 1.0): ("Tanh, g = 1", TANH, "--", "v"),
}
"""By kind, scale and its size: name, colour, line and marker."""
CONTEXTS = 3


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.38 * style.width))
    top, bottom = figure.subfigures(2, 1, height_ratios=[3, 1.05])
    letter(top, "A")
    axes = top.subplots(3, 3)
    matched = table[(table["blocks"] == "homogeneous") & (table["contexts"] == CONTEXTS)]
    matched = matched[matched["layer"].isna() & matched["run"].notna()]
    for ax, ((measure, number), title) in zip(axes.flat, PANELS.items(), strict=True):
        rows = matched[matched["measure"] == measure]
        _draw_levels(ax, rows if number is None else rows[rows["neuron"] == number])
        ax.set_title(title)
        if measure == "context_ccgp":
            ax.axhline(0.5, color="0.7", linewidth=0.6, linestyle=":")
            ax.set_ylim(0.45, 1.05)
    _mark_forms(axes[1, 0], table)
    for ax in axes[-1]:
        ax.set_xlabel(r"Loss over $|Y|^2/2$")
    top.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5,
               handlelength=1.8, columnspacing=1)  # fmt: skip

    letter(bottom, "B")
    left, right = bottom.subplots(1, 2, width_ratios=[1.2, 1])
    _draw_contexts(left, table)
    _draw_reached(right, matched)
    finish(
        figure,
        table,
        style,
        f"A: homogeneous task, {CONTEXTS} contexts: medians with 95 % intervals over "
        f"{number_of_seeds(matched)} at the first epoch at which the loss was below each level; "
        "dotted, dash-dotted: closed forms of the ReLN; chance for CCGP. B: parallelism after the "
        "last epoch by number of contexts, and the share of networks that reached each level.",
    )
    return figure


def _look(rows: pd.DataFrame, key: tuple) -> pd.Series:
    network, initial, sigma = key
    chosen = (rows["network"] == network) & (rows["initial"] == initial)
    return chosen if sigma is None else chosen & np.isclose(rows["sigma"].astype(float), sigma)


def _draw_levels(ax: Any, rows: pd.DataFrame) -> None:
    drawn = False
    for place, (key, (name, colour, line, marker)) in enumerate(LOOKS.items()):
        found = with_interval(rows[_look(rows, key)], ["variant"]).set_index("variant")
        present = [level for level in LEVELS if level in found.index]
        if not present:
            ax.plot([], [], line, color=colour, marker=marker, markersize=3, label=name)
            continue
        at = np.array([LEVELS.index(level) for level in present]) + 0.08 * (place - 2)
        shown = found.loc[present].astype(float)
        ax.plot(at, shown["value"], line, color=colour, marker=marker, markersize=3, linewidth=0.8,
                label=name)  # fmt: skip
        ax.vlines(at, shown["low"], shown["high"], color=colour, linewidth=0.8)
        drawn = True
    if not drawn:
        say(ax, "Not in this run")
    ax.set_xticks(range(len(LEVELS)), LEVELS)


def _mark_forms(ax: Any, table: pd.DataFrame) -> None:
    """Parallelism in closed form, for both kinds of pathways."""
    forms = table[(table["measure"] == "closed_form") & (table["variant"] == "parallelism")]
    for row in forms[forms["contexts"] == CONTEXTS].itertuples():
        several = row.pathways == "all_but_one"
        ax.axhline(row.value, color=GATED, linewidth=0.7, linestyle=":" if several else "-.")
        # Between the two lines, on the left, where curves are above both.
        name, side = ("two contexts", "top") if several else ("one context", "bottom")
        ax.text(0.02, row.value, name, transform=ax.get_yaxis_transform(), va=side, color=GATED)


def _draw_contexts(ax: Any, table: pd.DataFrame) -> None:
    """Parallelism of the first split after training, against the closed forms."""
    end = table[(table["measure"] == "context_parallelism") & (table["variant"] == "halves")]
    end = end[(end["blocks"] == "homogeneous") & end["layer"].notna()]
    forms = table[(table["measure"] == "closed_form") & (table["variant"] == "parallelism")]
    kinds = {
        "all_but_one": ("ReLN, all\nbut one", GATED, "o", ":"),
        "single": ("ReLN,\nsingle", GATED, "s", "-."),
    }
    named = {}
    for pathways, (name, colour, marker, dashes) in kinds.items():
        line = forms[forms["pathways"] == pathways].sort_values("contexts")
        ax.plot(line["contexts"], line["value"], dashes, color=colour)
        named[name] = _draw_dots(ax, end[end["pathways"] == pathways], colour, marker)
    named["ReLU"] = _draw_dots(ax, end[end["network"] == "relu"], RELU, "^")
    name_ends(ax, named)
    ax.set(xlabel="Contexts", ylabel="Parallelism", title="After training, animals | plants")
    ax.set_xticks(sorted(forms["contexts"].dropna().astype(int).unique()))
    ax.set_xlim(2.8, 5.2)
    ax.margins(y=0.18)  # names in two lines at the ends stay off the axis


def _draw_dots(ax: Any, rows: pd.DataFrame, colour: str, marker: str) -> Any:
    found = with_interval(rows, ["contexts"]).astype(float)
    ax.vlines(found["contexts"], found["low"], found["high"], color=colour, linewidth=1)
    return ax.plot(found["contexts"], found["value"], marker, color=colour, markersize=3.5)[0]


def _draw_reached(ax: Any, rows: pd.DataFrame) -> None:
    rows = rows[rows["measure"] == "reached"]
    values = np.full((len(LOOKS), len(LEVELS)), np.nan)
    for place, key in enumerate(LOOKS):
        shares = rows[_look(rows, key)].set_index("variant")["value"]
        for level in shares.index:
            values[place, LEVELS.index(level)] = shares[level]
    ax.imshow(values, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        text = "-" if np.isnan(value) else f"{value:.0%}"
        ax.text(j, i, text, ha="center", va="center",
                color="white" if value > 0.5 else "0.2")  # fmt: skip
    ax.set_xticks(range(len(LEVELS)), LEVELS)
    ax.set_yticks(range(len(LOOKS)), [name for name, *_ in LOOKS.values()])
    ax.set(title="Networks that reached it", xlabel=r"Loss over $|Y|^2/2$")
