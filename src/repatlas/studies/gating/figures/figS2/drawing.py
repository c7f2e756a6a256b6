"""Figure S2: where the theory breaks."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.plots.scales import set_plain_log
from repatlas.plots.spread import with_interval
from repatlas.plots.style import GREY, Style, finish, letter, say, small_type
from repatlas.plots.words import listed
from repatlas.studies.gating.look import FITTED, RELU, medians

TASKS = {"A": "heterogeneous", "B": "homogeneous"}
"""The blocks of the task of each panel."""
NOTHING = "No two networks of one kind, and no fit, to compare"
NETWORK = ["blocks", "width", "sigma"]
LOOKS = {
    "next seed": (
        "another ReLU network",
        {"color": RELU, "marker": "s", "markerfacecolor": "white"},
    ),
    "relu": ("theory, fitted once", {"color": FITTED, "marker": "D"}),
}
"""Names and looks of what networks are compared with, by reference."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    agreement = table[table["measure"] == "agreement"]
    fit = table[table["measure"] == "kappa"]
    width, sigma = _main(fit if len(fit) else agreement)
    shown = [mark for mark, blocks in TASKS.items() if (agreement["blocks"] == blocks).any()]
    figure = Figure(figsize=(style.width, 0.44 * max(len(shown), 0.5) * style.width))
    if not shown:
        say(figure.subplots(), NOTHING)
        finish(figure, table, style, f"{NOTHING}.")
        return figure
    parts = figure.subfigures(len(shown), 1, squeeze=False)[:, 0]
    _name_looks(parts[-1], agreement)
    for part, mark in zip(parts, shown, strict=True):
        letter(part, mark)
        blocks = TASKS[mark]
        scales, widths = part.subplots(1, 2, width_ratios=[2, 1])
        rows = agreement[agreement["blocks"] == blocks]
        of_width = rows[rows["width"] == width]
        _draw_scales(scales, of_width[of_width["variant"] == "D4"])
        scales.set(title="Largest relative lag", ylabel=f"{blocks.capitalize()} task")
        if len(fit) and scales.lines:
            scales.axvline(sigma, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
            scales.annotate("fitted here", (sigma, 1), xycoords=("data", "axes fraction"),
                            xytext=(2, -1), textcoords="offset points", va="top",
                            size=small_type(), color=GREY)  # fmt: skip
        of_sigma = np.isclose(rows["sigma"].astype(float), sigma)
        _draw_widths(widths, rows[of_sigma & (rows["variant"] == "D1")])
    said = medians(agreement, [*NETWORK, "reference", "variant"])
    of = f"{width} units and a scale of {_number(sigma)}"
    fitted = f"The theory is the K-flow with the recruitment fitted at {of}."
    finish(
        figure,
        table,
        style,
        f"{fitted if len(fit) else 'No fit in this run, so no theory.'} "
        f"{said[0].upper()}{said[1:]}. Scales at {width} units, widths "
        f"(right) at {_number(sigma)}.{_not_drawn(agreement, width, sigma)}",
    )
    return figure


def _main(rows: pd.DataFrame) -> tuple[int, float]:
    """Return the width at which scales are shown, and the scale at which widths are shown. Most of
    these rows have them."""
    if rows.empty:
        return 0, 1.0
    return int(rows["width"].mode().iloc[0]), float(rows["sigma"].mode().iloc[0])


def _number(sigma: float) -> str:
    factor, power = f"{sigma:.1e}".split("e")
    return rf"${factor}\times 10^{{{int(power)}}}$"


def _not_drawn(rows: pd.DataFrame, width: int, sigma: float) -> str:
    """Return a sentence that lists the networks that no panel shows, or an empty string."""
    other = rows[(rows["width"] != width) & ~np.isclose(rows["sigma"].astype(float), sigma)]
    found = other[["width", "sigma"]].drop_duplicates().itertuples(index=False, name=None)
    names = [f"{units} units at {_number(scale)}" for units, scale in found]
    return f" Not drawn: {listed(names)}." if names else ""


def _name_looks(part: Any, rows: pd.DataFrame) -> None:
    """Add a legend of what networks are compared with."""
    handles = [
        Line2D([], [], label=name, markersize=3, linewidth=0.7, **look)
        for reference, (name, look) in LOOKS.items()
        if (rows["reference"] == reference).any()
    ]
    if handles:
        part.legend(handles=handles, loc="outside lower center", ncols=2, handlelength=1.8,
                    title="A ReLU network compared with")  # fmt: skip


def _draw_scales(ax: Any, rows: pd.DataFrame) -> None:
    for reference, (_, look) in LOOKS.items():
        found = with_interval(rows[rows["reference"] == reference], ["sigma"])
        if len(found):
            ax.plot(found["sigma"], found["value"], markersize=3, linewidth=0.7, **look)
            ax.vlines(found["sigma"].astype(float), found["low"].astype(float),
                      found["high"].astype(float), color=look["color"], linewidth=1)  # fmt: skip
    ax.set(xscale="log", xlabel=r"Scale of initial weights $\sigma$")
    if rows["value"].isna().all():
        say(ax, "Nothing to compare" if rows.empty else "No loss fell to these levels")
    if rows["value"].gt(0).any():
        set_plain_log(ax)


def _draw_widths(ax: Any, rows: pd.DataFrame) -> None:
    for reference, (_, look) in LOOKS.items():
        found = with_interval(rows[rows["reference"] == reference], ["width"])
        if len(found):
            ax.plot(found["width"], found["value"], linestyle="none", markersize=3, **look)
            ax.vlines(found["width"].astype(float), found["low"].astype(float),
                      found["high"].astype(float), color=look["color"], linewidth=1)  # fmt: skip
    ax.set(xlabel="Units", title="Largest difference", xscale="log")
    widths = sorted(rows["width"].dropna().unique())
    if not widths:
        say(ax, "Nothing to compare")
        return
    ax.set_xlim(0.65 * widths[0], 1.55 * widths[-1])
    ax.set_xticks([float(w) for w in widths], [str(w) for w in widths])
    ax.minorticks_off()
    if rows["value"].gt(0).any():
        set_plain_log(ax)
