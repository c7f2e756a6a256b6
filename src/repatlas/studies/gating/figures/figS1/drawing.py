"""Figure S1: the width of the transition from four pathways to two."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from repatlas.dynamics.xor import CROSSING
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, say
from repatlas.studies.gating.look import (
    SIZES,
    draw_band,
    label,
    medians,
)

AROUND = (0.4, 1.6)
"""What A shows of delta, where it has several values there."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 0.5 * style.width))
    left, middle, right = figure.subfigures(1, 3, width_ratios=[1.3, 1, 1])
    letter(left, "A")
    ax = left.subplots()
    shares = table[table["measure"] == "items_share"]
    sigmas = sorted(shares["sigma"].dropna().unique(), reverse=True)
    for number, sigma in enumerate(sigmas):
        rows = shares[shares["sigma"] == sigma]
        name = _name(sigma)
        draw_band(ax, rows, "delta", _colour(number, sigmas), name,
                  marker=SIZES[number % len(SIZES)], markersize=2.2, linewidth=0.9)  # fmt: skip
    ax.axvline(CROSSING, color="0.6", linewidth=0.6, linestyle=":")
    label(ax, CROSSING + 0.01, 1.05, r"$\Delta^*$", "0.4")
    ax.set(xlabel=r"Third input $\Delta$", ylabel="Mass on one item alone", ylim=(-0.03, 1.1),
           title="The transition")  # fmt: skip
    within = shares["delta"].between(*AROUND)
    is_part = not within.all() and shares.loc[within, "delta"].nunique() > 1
    if is_part:
        ax.set_xlim(*AROUND)
    if sigmas:
        left.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2,
                    handlelength=1.8)  # fmt: skip
    else:
        say(ax, "Not in this run")

    letter(middle, "B")
    _draw_limit(middle.subplots(), table, "crossing", r"Crossing $\Delta_{50}$", sigmas)
    letter(right, "C")
    _draw_limit(right.subplots(), table, "width", r"Width $\Delta_{25}-\Delta_{75}$", sigmas)
    finish(
        figure,
        table,
        style,
        "For each \N{GREEK CAPITAL LETTER DELTA} and scale, "
        f"{medians(shares, ['sigma', 'delta'])}"
        f"{'; A from {:g} to {:g}'.format(*AROUND) * is_part}. "
        "\N{GREEK CAPITAL LETTER DELTA}*: both solutions are learned "
        "equally fast. B, C: from each seed's own curve.",
    )
    return figure


def _name(sigma: float) -> str:
    """Return the scale as a power of ten, with a factor if it is not a power of ten."""
    power = int(np.floor(np.log10(sigma) + 1e-9))
    factor = sigma / 10.0**power
    times = "" if np.isclose(factor, 1) else rf"{factor:.3g}\times "
    return rf"$\sigma={times}10^{{{power}}}$"


def _colour(number: int, sigmas: list) -> Any:
    """Return a blue, the hue of ReLU, which is darker for smaller scales."""
    return colormaps["Blues"](0.45 + 0.55 * number / max(len(sigmas) - 1, 1))


def _draw_limit(ax: Any, table: pd.DataFrame, measure: str, title: str, sigmas: list) -> None:
    rows = table[table["measure"] == measure]
    found = with_interval(rows, ["sigma", "x"])
    ax.set(xlabel=r"$1/\ln(1/\sigma)$", title=title)
    if found.empty:
        say(ax, "Not in this run")
        return
    for number, sigma in enumerate(sigmas):
        row = found[found["sigma"] == sigma]
        ax.plot(row["x"], row["value"], SIZES[number % len(SIZES)],
                color=_colour(number, sigmas), markersize=4)  # fmt: skip
        ax.vlines(row["x"], row["low"], row["high"], color=_colour(number, sigmas), linewidth=1)
    ax.set_xlim(0, 1.2 * found["x"].max())
    if measure == "crossing":
        ax.axhline(CROSSING, color="0.6", linewidth=0.6, linestyle=":")
        label(ax, 0.98, CROSSING, r"$\Delta^*$", "0.4", va="bottom", ha="right",
              transform=ax.get_yaxis_transform())  # fmt: skip
    else:
        least = found.loc[found["x"].idxmin()]
        x = np.array([0, found["x"].max()])
        ax.plot(x, x * least["value"] / least["x"], color="0.5", linewidth=0.7, linestyle="--",
                label=r"$\propto 1/\ln(1/\sigma)$")  # fmt: skip
        ax.legend(loc="upper left", handlelength=2, borderpad=0)
        ax.set_ylim(bottom=0)
