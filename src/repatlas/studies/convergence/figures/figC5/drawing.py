"""Figure C5: layers that are frozen in the course of training."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.intervals import median_interval
from repatlas.plots.spread import with_interval
from repatlas.plots.style import FRAMED, GREY, Style, counted, finish, letter, say, small_type
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.figures.figC5.table import ARM
from repatlas.studies.convergence.parts import ends_of
from repatlas.studies.convergence.rows.networks import have_learned, limits

LIMIT = -1.0
"""Points of test accuracy that freezing may cost by claim C10."""


class Arm(NamedTuple):
    name: str
    colour: str
    marker: str
    line: Any


ARMS = {
    "none": Arm("none frozen", "black", "o", "-"),
    "linear": Arm("linear", "#6F3FA0", "s", (0, (5, 1))),
    "late_linear": Arm("late linear", "#A98BCB", "^", (0, (3, 1))),
    "square_root": Arm("square root", "0.35", "D", (0, (1, 0.7))),
    "cubic": Arm("cubic", "black", "v", (0, (4, 1, 1, 1))),
}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    ends = ends_of(table)
    figure = Figure(figsize=(style.width, 0.92 * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.12, 1])
    rows = (above.subfigures(1, 2, width_ratios=[1, 1.7]),)
    rows += (below.subfigures(1, 2, width_ratios=[1, 1.7]),)
    parts = dict(zip("ABCD", (part for row in rows for part in row), strict=True))
    for mark, part in parts.items():
        letter(part, mark)
    lengths = sorted(table["passes"].dropna().unique())
    _draw_schedules(parts["A"].subplots(), table)
    _draw_gains(parts["B"].subplots(), table, lengths)
    _draw_savings(parts["C"].subplots(), table, lengths)
    _draw_curves(parts["D"].subplots(), table, max(lengths, default=0))
    handles = [
        Line2D([], [], color=arm.colour, linestyle=arm.line, marker=arm.marker, markersize=3,
               label=arm.name)
        for frozen, arm in ARMS.items()
        if frozen in set(table["frozen"])
    ]  # fmt: skip
    below.legend(handles=handles, loc="outside upper center", ncols=5, handlelength=2.4)
    less = (~have_learned(ends)).sum()
    longest = f" C, D: {max(lengths):.0f} passes." * (len(lengths) > 1)
    finish(
        figure,
        table,
        style,
        f"{counted(ends['seed'].nunique())} of each kind. B: test accuracy minus that of the same"
        f" seed without frozen layers; medians, {_intervals(table)}; dots are networks."
        f" C: medians.{longest} D: means over networks; a marker is where a layer is frozen, the"
        f" lowest first. {less} of the {counted(len(ends))} learned less than {limits(ends)} of the"
        " training images.",
    )
    return figure


def _intervals(table: pd.DataFrame) -> str:
    """Return the words that say whether the medians of panel B have intervals."""
    gains = table[table["measure"] == "gain"]
    return with_intervals(with_interval(gains, ARM), table, "gain")


def _draw_schedules(ax: Any, table: pd.DataFrame) -> None:
    rows = table[table["measure"] == "frozen_from"]
    if rows.empty:
        say(ax, "No schedule in this run")
        return
    for frozen, arm in ARMS.items():
        own = rows[rows["frozen"] == frozen].sort_values("layer")
        if len(own):
            ax.plot(own["value"], own["layer"], color=arm.colour, linestyle=arm.line,
                    marker=arm.marker, markersize=3)  # fmt: skip
    layers = int(rows["layer"].max()) + 1
    ax.text(0.5, layers, "readout: trained to the end", ha="center", va="center", size=small_type(),
            color=GREY)  # fmt: skip
    ax.set(xlabel="Fraction of training", ylabel="Layer, frozen from here", xlim=(0, 1),
           ylim=(0.6, layers + 0.4), title="Schedules")  # fmt: skip
    ax.set_yticks(range(1, layers + 1))


def _draw_gains(ax: Any, table: pd.DataFrame, lengths: list) -> None:
    rows = table[table["measure"] == "gain"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    frozen = [name for name in ARMS if name in set(rows["frozen"])]
    for number, passes in enumerate(lengths):
        offset = 0.3 * (number - (len(lengths) - 1) / 2)
        for place, name in enumerate(frozen):
            own = rows[(rows["frozen"] == name) & (rows["passes"] == passes)]["value"]
            if own.empty:
                continue
            median, low, high = median_interval(own.to_numpy(float))
            ax.plot([place + offset] * len(own), 100 * own, ".", color="0.75", markersize=2.5)
            ax.vlines(place + offset, 100 * low, 100 * high, color=ARMS[name].colour, linewidth=1)
            ax.plot(place + offset, 100 * median, ARMS[name].marker, color=ARMS[name].colour,
                    markersize=3.5, fillstyle="full" if number else "none")  # fmt: skip
    ax.axhline(LIMIT, color="0.5", linewidth=0.6, linestyle=":", zorder=0)
    ax.annotate("limit", (1, LIMIT), xycoords=ax.get_yaxis_transform(), xytext=(2, 0),
                textcoords="offset points", va="center", color=GREY, size=small_type(),
                annotation_clip=False)  # fmt: skip
    names = [ARMS[name].name.replace(" ", "\n") for name in frozen]
    ax.set_xticks(range(len(frozen)), names)
    for number, passes in enumerate(lengths):
        ax.plot([], [], "o", color="0.3", markersize=3.5, label=f"{passes:.0f} passes",
                fillstyle="full" if number else "none")  # fmt: skip
    ax.legend(handlelength=0.8, labelspacing=0.2, **FRAMED)
    ax.set(ylabel="Points of test accuracy", title="Gain over none frozen")
    ax.margins(y=0.25)


def _draw_savings(ax: Any, table: pd.DataFrame, lengths: list) -> None:
    """Draw the median accuracy of each schedule against the share of gradients that it saves.

    It has its interval, and is for the longest training.
    """
    rows = table[(table["passes"] == max(lengths, default=0)) & table["contrast"].isna()]
    tests = rows[(rows["measure"] == "accuracy") & (rows["variant"] == "test")]
    saved = rows[rows["measure"] == "saved_gradients"].groupby("frozen")["value"].median()
    if tests.empty:
        say(ax, "No network has learned its images")
        return
    for name, arm in ARMS.items():
        own = tests[tests["frozen"] == name]["value"]
        if own.empty or name not in saved:
            continue
        median, low, high = median_interval(own.to_numpy(float))
        ax.plot(100 * saved[name], median, arm.marker, color=arm.colour, markersize=4)
        ax.vlines(100 * saved[name], low, high, color=arm.colour, linewidth=1)
    ax.set(xlabel="Gradients saved (%)", ylabel="Median test accuracy",
           title="Accuracy and savings")  # fmt: skip
    ax.margins(x=0.15, y=0.2)


def _draw_curves(ax: Any, table: pd.DataFrame, passes: float) -> None:
    rows = table[(table["measure"] == "accuracy_curve") & (table["passes"] == passes)]
    frozen_from = table[table["measure"] == "frozen_from"]
    if rows.empty:
        say(ax, "No network has learned its images")
        return
    last = rows["step"].max()
    for frozen, arm in ARMS.items():
        own = rows[rows["frozen"] == frozen].sort_values("step")
        if own.empty:
            continue
        step, value = (own[name].to_numpy(float) for name in ("step", "value"))
        is_reference = frozen == "none"
        ax.plot(step, value, color=arm.colour, linestyle=arm.line,
                linewidth=0.8 if is_reference else 1.2)  # fmt: skip
        at = last * frozen_from.loc[frozen_from["frozen"] == frozen, "value"].to_numpy(float)
        ax.plot(at, np.interp(at, step, value), arm.marker, color=arm.colour, markersize=3.5)
    unit = "Pass over the images" if rows["network"].eq("small_cnn").all() else "Training step"
    ax.set(title="Test accuracy over training", xlabel=unit, ylabel="Test accuracy")
