"""Figure S1: the width of the transition from four pathways to two."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.dynamics.xor import CROSSING
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import axis, panels
from repatlas.plots.marks import draw_line, guide
from repatlas.plots.palette import GREY
from repatlas.plots.spread import with_interval
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.studies.gating.look import SIZES, draw_band, medians
from repatlas.studies.gating.roles import XOR, role
from repatlas.studies.gating.rows.xor import crossing_rows, last_units

FIGURE = Figure(
    "XoR: where four pathways give way to two, and over which width, by the scale of the initial"
    " weights.",
    {
        "transition": role(
            "Sweeps of ReLU networks over delta and the scale of initial weights.",
            {"units"},
            "relu",
            only=XOR,
            several=True,
            shown=panels("network.sigma") | axis("task.delta"),
        )
    },
    finding=Finding(
        "The smaller the initial weights, the narrower the transition from four pathways to two.",
        {"18": SUPPORTED},
    ),
)
CAPTION = """**Figure S1: the width of the transition (our choice).** A: Figure 2E for several
scales \N{GREEK SMALL LETTER SIGMA} of the initial weights, {{ n(facts.transition.seeds |
reject("equalto", 0) | list) }} for each Δ and scale. B: where the share falls through one half; it
should tend to Δ* as \N{GREEK SMALL LETTER SIGMA} becomes smaller. C: over which width it falls from
3/4 to 1/4; in theory as 1/ln(1/\N{GREEK SMALL LETTER SIGMA}). Medians over networks, with 95 %
intervals where there are networks enough for one. {{ lost }}"""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    units = last_units(rows["transition"])
    return pd.concat([units, crossing_rows(units)], ignore_index=True)


AROUND = (0.4, 1.6)
"""What A shows of delta, where it has several values there."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 0.5 * style.width)
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
    guide(ax, CROSSING, r"$\Delta^*$", 1, across=False)
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
    from matplotlib import colormaps

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
        draw_line(
            ax,
            row,
            "x",
            bars=1,
            color=_colour(number, sigmas),
            markersize=4,
            linestyle="none",
            marker=SIZES[number % len(SIZES)],
        )
    ax.set_xlim(0, 1.2 * found["x"].max())
    if measure == "crossing":
        guide(ax, CROSSING, r"$\Delta^*$", 0.98, ha="right")
    else:
        least = found.loc[found["x"].idxmin()]
        x = np.array([0, found["x"].max()])
        ax.plot(x, x * least["value"] / least["x"], color=GREY, linewidth=0.7, linestyle="--",
                label=r"$\propto 1/\ln(1/\sigma)$")  # fmt: skip
        ax.legend(loc="upper left", handlelength=2, borderpad=0)
        ax.set_ylim(bottom=0)
