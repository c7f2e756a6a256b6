"""Figure S7: neural collapse against target alignment, separability, noise and training."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import DASHES, dot_of, draw_curves, handles_of
from repatlas.plots.panels import step_axis
from repatlas.plots.style import (
    ACTIVATION_MARKERS,
    GREY,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.plots.words import mean_and_networks, mean_over, why_nothing

CELL = ["activation", "delta", "noise_variance"]
"""What tells the dots."""
SHARE = "Variance within classes"
OF_CHANCE = ("training", "training, labels permuted")
"""Samples with their labels, and the mean over all orders of the clusters' labels."""
CHANCE_NC3 = 2.0
"""The mean of NC3 over both orders of the two classes."""
FEWEST_CLUSTERS = 4
GUIDE = {"color": "0.3", "linewidth": 0.6}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    lost = table["diverged_step"].notna()
    step = _step_of_settings(table[table["delta"].notna()])
    of_sweep = table[table["delta"].notna() & ((table["step"] == step) | lost)]
    over_steps = table[table["delta"].isna()]
    cells, training = not_diverged(of_sweep), not_diverged(over_steps)
    nothing, never = why_nothing(of_sweep), why_nothing(over_steps)

    figure = Figure(figsize=(style.width, 0.98 * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.35, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.75, 1])
    letter(left, "A")
    key = left.subplots()
    _draw_dots(key, cells, "training", style, nothing)
    key.set(xlabel=f"{SHARE}, samples of training", ylabel="Target alignment of the clusters")
    letter(right, "B")
    without_noise = right.subplots()
    _draw_dots(without_noise, cells, "centres", style, nothing)
    _draw_bounds(without_noise, cells)
    without_noise.set(xlabel=f"{SHARE}, no noise", ylabel="Target alignment")

    parts = below.subfigures(1, 4)
    for part, name in zip(parts, "CDEF", strict=True):
        letter(part, name)
    axes = [part.subplots() for part in parts]
    shares = cells[cells["measure"] == "within_share"]
    noise = _nearest(shares["noise_variance"], training["noise_variance"])
    delta = shares["delta"].max()
    chosen = shares["noise_variance"] == noise, shares["delta"] == delta
    for ax, x, of in zip(axes, ("delta", "noise_variance"), chosen, strict=False):
        _draw_shares(ax, shares[of], x, style, nothing)
    axes[0].set_xlabel(r"Separability $\delta$")
    axes[1].set_xlabel(r"Noise variance $\sigma^2$")
    if len(shares):
        axes[0].set_title(rf"$\sigma^2={noise:g}$")
        axes[1].set_title(rf"$\delta={delta:g}$")
    axes[1].set_xscale("symlog", linthresh=0.125, linscale=0.5)
    axes[1].set_xticks([0, 1, 10], ["0", "1", "10"])
    over = training[training["measure"] == "within_share"]
    _draw_shares(axes[2], over, "step", style, never)
    duality = training[(training["measure"] == "nc3") & (training["variant"] == "training")]
    draw_curves(axes[3], duality, "step", style, never, spread="networks")
    for ax in axes[2:]:
        ax.set(xlabel="Training step", title="Unstructured")
        step_axis(ax, training[training["measure"] == "target_alignment"])
    axes[0].set_ylabel(SHARE)
    axes[3].set(ylabel="NC3", ylim=(-0.07, CHANCE_NC3 + 0.27))
    axes[3].axhline(CHANCE_NC3, linestyle=":", zorder=0, **GUIDE)
    for ax in axes[:3]:
        ax.set_ylim(-0.03, 1.03)

    handles = handles_of(activations(table), style)
    handles += [
        Line2D([], [], color=GREY, linestyle=dashes, label=name)
        for name, dashes in zip(("trained labels", "labels permuted"), DASHES, strict=False)
    ]
    below.legend(handles=handles, loc="outside upper center", ncols=len(handles), borderpad=0,
                 handlelength=1.8)  # fmt: skip
    after = "" if step is None else f", after {step} steps"
    finish(
        figure,
        table,
        style,
        f"A to D: {mean_over(cells, 'within_share')} for each setting{after}."
        f" A, B: a dot for each separability and noise. E, F: "
        f"{mean_and_networks(training, 'within_share')}.",
    )
    return figure


def _step_of_settings(rows: pd.DataFrame) -> int | None:
    """Return the last step with the most noise variances: longer training has one of them."""
    numbers = rows.groupby("step")["noise_variance"].nunique()
    return int(numbers.index[numbers == numbers.max()].max()) if len(numbers) else None


def _nearest(found: pd.Series, wanted: pd.Series) -> float:
    """Return the value that is nearest to the wanted one, or the least if none is wanted."""
    values = np.sort(found.dropna().unique())
    if not len(values):
        return np.nan
    target = wanted.dropna().min() if wanted.notna().any() else values[0]
    return float(values[np.abs(values - target).argmin()])


def _draw_dots(ax: Any, cells: pd.DataFrame, variant: str, style: Style, nothing: str) -> None:
    """Draw the mean of each setting: target alignment against the share within classes."""
    share = cells[(cells["measure"] == "within_share") & (cells["variant"] == variant)]
    alignment = cells[cells["measure"] == "target_alignment"]
    means = []
    for rows in (share, alignment):
        refuse_pooling(rows, CELL)
        means.append(rows.groupby(CELL)["value"].mean())
    both = pd.concat(means, axis=1, keys=["share", "alignment"]).dropna().reset_index()
    if not len(both):
        say(ax, nothing)
        return
    for name in activations(both):
        dots = both[both["activation"] == name]
        look = {"marker": ACTIVATION_MARKERS.get(name, "o")} | dot_of(name, style)
        ax.plot(dots["share"], dots["alignment"], linestyle="", markersize=2.6,
                markeredgewidth=0.6, label=activation_name(name), **look)  # fmt: skip
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))


def _draw_bounds(ax: Any, cells: pd.DataFrame) -> None:
    """Draw the least and the largest target alignment that a share within classes allows.

    In the least case the clusters of a class differ along the line through the class means. In the
    largest case they differ equally in all other directions.
    """
    share = np.linspace(0, 1, 100)[:-1]
    odds = share / (1 - share)
    clusters = int(cells["clusters"].max()) if len(cells) else FEWEST_CLUSTERS
    for bound in (1 - share, 1 / np.sqrt(1 + odds**2 / (clusters - 2))):
        ax.plot(share, bound, zorder=0, **GUIDE)
    ax.annotate("bounds", (0.4, 0.6), xytext=(-2, -2), textcoords="offset points", va="top",
                ha="right", color=GREY, size=small_type())  # fmt: skip


def _draw_shares(ax: Any, rows: pd.DataFrame, x: str, style: Style, nothing: str) -> None:
    """Draw the share within classes of the samples of training, with its chance level dashed."""
    shown = rows[rows["variant"].isin(OF_CHANCE)]
    draw_curves(ax, shown, x, style, nothing, "variant", list(OF_CHANCE), spread="networks")
