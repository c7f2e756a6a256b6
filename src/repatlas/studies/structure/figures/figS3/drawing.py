"""Figure S3: where the difference between activations vanishes or reverses."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.contrasts import SIGN_CHANGE, TANH_RELU
from repatlas.inference.pooling import refuse_pooling
from repatlas.plots.style import Style, finish, letter, say
from repatlas.plots.words import NO_PAIRS, networks, not_drawn, with_intervals

COLUMNS = 3
"""The columns of the smaller panels of B."""
DIFFERENCE = "Target alignment,\nTanh \N{MINUS SIGN} ReLU"
CHANGE = {"linestyle": "", "marker": "D", "markersize": 3.5}
CHANGE |= {"markeredgecolor": "white", "markeredgewidth": 0.4}
NO_DIFFERENCE = {"color": "0.7", "linewidth": 0.6, "linestyle": ":"}
SHADES = colormaps["viridis_r"]


def draw(table: pd.DataFrame, style: Style) -> Figure:
    is_line = table["kernel"].notna()
    by_delta, by_alignment = table[~is_line], table[is_line]
    # The largest task with the fewest targets comes first and is the largest panel: with training
    # its change of sign moves furthest.
    cells = list(by_alignment.groupby(["clusters", "targets"]).groups)
    cells.sort(key=lambda cell: (-cell[0], cell[1]))
    rows = -(-(len(cells) - 1) // COLUMNS)
    figure = Figure(figsize=(style.width, (0.54 + 0.26 * rows) * style.width))
    top, below = figure.subfigures(2, 1, height_ratios=[0.54, max(0.26 * rows, 0.01)])
    part_a, part_b = top.subfigures(1, 2, width_ratios=[1, 1.9])

    letter(part_a, "A")
    ax = part_a.subplots()
    of = by_delta["measure"] == "target_alignment"
    _draw_differences(ax, by_delta[of], "delta", _shades(by_delta))
    ax.set(title="Separable inputs", xlabel=r"Separability $\delta$", ylabel=DIFFERENCE)
    _name_steps(part_a, by_delta, columns=2)

    letter(part_b, "B")
    of = by_alignment["measure"] == "target_alignment"
    small = below.subplots(rows, COLUMNS, squeeze=False, sharey=True) if rows else np.empty((0, 3))
    axes = [part_b.subplots(), *small.flat]
    for ax in axes[max(len(cells), 1) :]:
        ax.set_axis_off()
    for ax, (clusters, targets) in zip(axes, cells, strict=False):
        cell = (by_alignment["clusters"] == clusters) & (by_alignment["targets"] == targets)
        _draw_differences(ax, by_alignment[of & cell], "alignment", _shades(by_alignment))
        ax.set_title(f"$P={clusters}$, $k={targets}$")
    for ax in [axes[0], *[ax for ax in small.flat if ax.axison][-COLUMNS:]]:
        ax.set_xlabel("Input-output alignment $c$")
    for ax in [axes[0], *small[:, 0]]:
        ax.set_ylabel(DIFFERENCE)
    shown = [ax for ax in axes if ax.axison]
    limits = np.array([ax.get_ylim() for ax in shown])
    for ax in shown:
        ax.set_ylim(limits[:, 0].min(), limits[:, 1].max())
    _name_steps(part_b, by_alignment, columns=3)

    finish(
        figure,
        table,
        style,
        "Medians of paired differences, by steps of training. "
        f"A: {_medians(by_delta)}. B: {_medians(by_alignment)}.{_diamonds(table)}"
        f"{not_drawn(table, ('tanh', 'relu'))}",
    )
    return figure


def _medians(table: pd.DataFrame) -> str:
    found = table[table["contrast"] == TANH_RELU]
    intervals = with_intervals(found, table, "target_alignment")
    return f"over {networks(table, 'target_alignment')}, {intervals}"


def _diamonds(table: pd.DataFrame) -> str:
    changes = table[table["contrast"] == SIGN_CHANGE].dropna(subset="value")
    if not len(changes):
        return ""
    has = changes["low"].notna()
    interval = ", with the 95 % interval" + " where it has one" * (not has.all())
    without = " A curve without one does not go from below to above 0 in most networks."
    return f" Change of sign: median{interval if has.any() else ''}.{without}"


def _shades(table: pd.DataFrame) -> dict[int, Any]:
    """Return the colour of each step, darker for later steps; four can be distinguished in grey."""
    steps = sorted(table["step"].dropna().unique())
    return dict(zip(steps, SHADES(np.linspace(0.15, 1, len(steps))), strict=True))


def _name_steps(part: Any, table: pd.DataFrame, columns: int) -> None:
    """Name the steps and marks above the panels, because curves fill these."""
    shades = _shades(table)
    handles = [Line2D([], [], color=shade, label=f"{step:.0f}") for step, shade in shades.items()]
    if handles:
        handles[0].set_label(f"after {handles[0].get_label()}")
        handles[-1].set_label(f"{handles[-1].get_label()} steps")
    if table.loc[table["contrast"] == SIGN_CHANGE, "value"].notna().any():
        handles.append(Line2D([], [], color="0.4", label="change of sign", **CHANGE))
    handles.append(Line2D([], [], label="no difference", **NO_DIFFERENCE))
    part.legend(handles=handles, loc="outside upper center", ncols=columns,
                handlelength=1.8, borderpad=0)  # fmt: skip


def _draw_differences(ax: Any, rows: pd.DataFrame, x: str, shades: dict[int, Any]) -> None:
    means = rows[rows["contrast"] == TANH_RELU].sort_values(x)
    changes = rows[rows["contrast"] == SIGN_CHANGE].dropna(subset="value")
    refuse_pooling(means, [x, "step"])
    refuse_pooling(changes, ["step"])
    if not len(means):
        say(ax, NO_PAIRS)
    ax.axhline(0, **NO_DIFFERENCE, zorder=0)
    for step, shade in shades.items():
        mine = means[means["step"] == step]
        if not len(mine):
            continue
        ax.plot(mine[x], mine["value"], color=shade, marker="o", markersize=1.5)
        if mine[x].nunique() == 1:
            ax.vlines(mine[x], mine["low"], mine["high"], color=shade, linewidth=0.8)
        ax.fill_between(mine[x], mine["low"], mine["high"], color=shade, alpha=0.3, linewidth=0)
    for change in changes.itertuples():
        ax.hlines(0, change.low, change.high, color=shades[change.step], linewidth=2)
        ax.plot(change.value, 0, color=shades[change.step], **CHANGE)
