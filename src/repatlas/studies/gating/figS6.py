"""Figure S6: the geometry of representations, XoR, at matched loss."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.dynamics.xor import CROSSING, input_alignment, target_alignment
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import axis, legend
from repatlas.inference.pooling import not_diverged
from repatlas.plots.marks import GUIDE, guide
from repatlas.plots.palette import DARK, WHITE
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.studies.gating.look import MARKED, RELU, TANH, draw_band, medians
from repatlas.studies.gating.roles import XOR, role
from repatlas.studies.gating.rows.geometry import at_levels, diverged, not_reached

FIGURE = Figure(
    "XoR: alignment, parallelism and generalisation of tanh and ReLU networks at matched loss.",
    {
        "relu": role(
            "The sweep of ReLU networks from small weights, over delta.",
            {"matched_geometry"},
            "relu",
            only=XOR,
            shown=axis("task.delta"),
        ),
        "tanh": role(
            "The sweep of tanh networks, over delta.",
            {"matched_geometry"},
            "tanh",
            only=XOR,
            shown=legend("network.sigma") | axis("task.delta"),
            fits=(at_most({"network.sigma": 4}),),
        ),
    },
    finding=Finding(
        "On XoR ReLU networks first have the target alignment of four pathways, then of two.",
        {"b3": SUPPORTED},
    ),
)
CAPTION = """**Figure S6: the geometry of representations, XoR (our choice).** A: the measures of
Figure S5 against the third input, for ReLU networks from small weights ({{ n(facts.relu.seeds) }}
for each delta) and tanh networks. They are measured when the loss was first below 0.01 of the loss
of no output. The closed forms of two pathways and of four are drawn as well. B: the same against
the alignment of inputs and targets, as in Figure 2B of Alleman, Lindsey and Fusi (2024). Medians
over networks, with 95 % intervals where there are networks enough for one. {{ lost }}"""

LEVEL = "0.01"
"""Networks are compared when their loss is first below this part of |Y|^2 / 2."""
POINTS = 61


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    both = pd.concat([rows["relu"], rows["tanh"]])
    matched = at_levels(both)
    shown = matched[matched["variant"] == LEVEL]
    reached = not_reached(both)
    last = both["delta"].max()
    parts = [shown, reached[reached["variant"] == LEVEL], diverged(both), closed_forms(last)]
    return pd.concat(parts, ignore_index=True)


def closed_forms(last: float) -> pd.DataFrame:
    """Return the alignment of two pathways and of four, over delta."""
    delta = np.linspace(0, last, POINTS)
    parts = []
    for pathways in (2, 4):
        values = {
            "target_alignment": np.full(POINTS, target_alignment(pathways)),
            "input_alignment": input_alignment(delta, pathways),
        }
        parts += [
            pd.DataFrame({"delta": delta, "value": curve}).assign(
                measure=f"{name} in closed form", variant=f"{pathways} pathways", task="xor"
            )
            for name, curve in values.items()
        ]
    return pd.concat(parts)


PANELS = {
    "target": ("target_alignment", None, "Target alignment"),
    "input": ("input_alignment", None, "Input alignment"),
    "parallelism": ("parallelism", 0, "Parallelism of the target"),
    "ccgp": ("ccgp", 0, "CCGP of the target"),
}
"""By panel: measure and `neuron`, with the title. The table has others."""
PLACES = [["target", "input"], ["target", "parallelism"], ["target", "ccgp"]]
CHANCE = 0.5
LINES = (("-", "o"), ("--", "v"), (":", "s"), ("-.", "D"))
"""Line and marker of tanh networks, in the order of their scales."""
FORMS = {"2 pathways": ":", "4 pathways": (0, (4, 1.5))}


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.16 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.76, 0.34])
    letter(top, "A")
    axes = top.subplot_mosaic(PLACES, width_ratios=[1.6, 1], sharex=True)
    scales = sorted(table.loc[table["network"] == "tanh", "sigma"].dropna().unique())
    for name, (measure, number, title) in PANELS.items():
        ax, rows = axes[name], table[table["measure"] == measure]
        _draw(ax, rows if number is None else rows[rows["neuron"] == number], "delta", scales)
        _draw_forms(ax, table, measure, "delta")
        guide(ax, CROSSING, r"$\Delta^*$" * (name == "target"), 1, False)
        ax.set_title(title)
    axes["ccgp"].axhline(CHANCE, **GUIDE)
    axes["ccgp"].set_ylim(-0.05, 1.05)
    axes["ccgp"].set_yticks([0, CHANCE, 1], ["0", "chance", "1"])
    for name in ("target", "ccgp"):
        axes[name].set_xlabel(r"Third input $\Delta$")

    letter(bottom, "B")
    ax = bottom.subplots()
    aligned = table.assign(aligned=_alignment(table["delta"]))
    _draw(ax, aligned[aligned["measure"] == "target_alignment"], "aligned", scales)
    _draw_forms(ax, aligned, "target_alignment", "aligned")
    ax.set(ylabel="Target alignment", xlabel="Input-target alignment")
    handles, names = axes["target"].get_legend_handles_labels()
    if handles:
        top.legend(handles, names, loc="outside lower center", ncols=5, handlelength=1.8)
    alignment = table[table["measure"] == "target_alignment"]
    said = medians(alignment, ["network", "sigma", "delta"])
    finish(
        figure,
        table,
        style,
        f"{said[0].upper()}{said[1:]}, when the loss was "
        "first below 0.01 of that of no output; curves end where no network got there. "
        "\N{GREEK CAPITAL LETTER DELTA}*: both solutions are learned equally fast. "
        "B: target alignment again, against the "
        "alignment of inputs and targets.",
    )
    return figure


def _alignment(delta: pd.Series) -> pd.Series:
    d = delta.astype(float)
    return d**2 / np.sqrt(2 + d**4)


def _draw(ax: Any, rows: pd.DataFrame, x: str, scales: list[float]) -> None:
    """Draw ReLU networks, and tanh networks from each scale of initial weights."""
    rows = not_diverged(rows)
    if rows["value"].isna().all():
        say(ax, "Not in this run" if rows.empty else "No loss fell to this level")
    draw_band(ax, rows[rows["network"] == "relu"], x, RELU, "ReLU", linewidth=0.9, marker="s",
              markerfacecolor=WHITE, **MARKED)  # fmt: skip
    for sigma, (line, marker) in zip(scales, LINES, strict=False):
        chosen = rows[(rows["network"] == "tanh") & (rows["sigma"] == sigma)]
        draw_band(ax, chosen, x, TANH, f"Tanh, g = {sigma:g}", linestyle=line, linewidth=0.9,
                  marker=marker, **MARKED)  # fmt: skip


def _draw_forms(ax: Any, table: pd.DataFrame, measure: str, x: str) -> None:
    rows = table[table["measure"] == f"{measure} in closed form"]
    for variant, line in FORMS.items():
        curve = rows[rows["variant"] == variant].sort_values(x)
        if len(curve):
            ax.plot(
                curve[x], curve["value"], color=DARK, linestyle=line, linewidth=0.8, label=variant
            )
