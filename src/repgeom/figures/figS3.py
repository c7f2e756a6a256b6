"""Figure S3: where the difference between activations vanishes or reverses."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from repgeom.figures.style import Style, finish, letter, networks
from repgeom.tables.contrasts import TANH_RELU
from repgeom.tables.figS3 import SIGN_CHANGE
from repgeom.tables.pooling import refuse_pooling

MEASURES = {
    ("target_alignment", "centres"): "Target alignment",
    ("parallelism", "centres"): "Parallelism score",
    ("ccgp", "sigma_test=1"): "CCGP",
}
SHADES = colormaps["viridis_r"]


def draw(table: pd.DataFrame, style: Style) -> Figure:
    figure = Figure(figsize=(style.width, 1.2 * style.width))
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1, 1.8])
    is_line = table["kernel"].notna()
    by_delta, by_alignment = table[~is_line], table[is_line]

    letter(part_a, "A")
    axes = part_a.subplots(1, len(MEASURES))
    for ax, ((measure, variant), title) in zip(axes, MEASURES.items(), strict=True):
        of = (by_delta["measure"] == measure) & (by_delta["variant"] == variant)
        _draw_differences(ax, by_delta[of], "delta", _shades(by_delta))
        ax.set(title=title, xlabel=r"Separability $\delta$")
    axes[0].set_ylabel("Tanh - ReLU")
    _name_steps(axes[0], _shades(by_delta))

    letter(part_b, "B")
    of = (by_alignment["measure"] == "target_alignment") & (by_alignment["variant"] == "centres")
    cells = sorted(by_alignment.groupby(["clusters", "targets"]).groups)
    axes = part_b.subplots(-(-len(cells) // 3), 3, squeeze=False)
    for ax in axes.flat[len(cells) :]:
        ax.set_axis_off()
    for ax, (clusters, targets) in zip(axes.flat, cells, strict=False):
        cell = (by_alignment["clusters"] == clusters) & (by_alignment["targets"] == targets)
        _draw_differences(ax, by_alignment[of & cell], "alignment", _shades(by_alignment))
        ax.set(title=f"P = {clusters}, k = {targets}", xlabel="Input-output alignment $c$")
    for ax in axes[:, 0]:
        ax.set_ylabel("Target alignment,\nTanh - ReLU")
    _name_steps(axes.flat[min(len(cells), 3) - 1], _shades(by_alignment))

    finish(
        figure,
        table,
        style,
        "Means of paired differences with their 95 % intervals, over "
        f"{networks(by_delta, 'target_alignment')} (A) and "
        f"{networks(by_alignment, 'target_alignment')} (B), after so many steps of training. "
        "Diamonds: where the difference changes sign, with the 95 % interval.",
    )
    return figure


def _shades(table: pd.DataFrame) -> dict[int, Any]:
    """The colour of each step, the darker the later."""
    steps = sorted(table["step"].dropna().unique())
    return dict(zip(steps, SHADES(np.linspace(0.15, 1, len(steps))), strict=True))


def _name_steps(ax: Any, shades: dict[int, Any]) -> None:
    for step, shade in shades.items():
        ax.plot([], [], color=shade, label=f"{step:.0f}")
    ax.legend(title="Steps", handlelength=1.2, borderpad=0)


def _draw_differences(ax: Any, rows: pd.DataFrame, x: str, shades: dict[int, Any]) -> None:
    means = rows[rows["contrast"] == TANH_RELU].sort_values(x)
    changes = rows[rows["contrast"] == SIGN_CHANGE].dropna(subset="value")
    refuse_pooling(means, [x, "step"])
    refuse_pooling(changes, ["step"])
    ax.axhline(0, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    for step, shade in shades.items():
        mine = means[means["step"] == step]
        if not len(mine):
            continue
        ax.plot(mine[x], mine["value"], color=shade, marker="o", markersize=1.5)
        ax.fill_between(mine[x], mine["low"], mine["high"], color=shade, alpha=0.3, linewidth=0)
    for change in changes.itertuples():
        low, high = change.low, change.high
        ax.plot([low, high], [0, 0], color=shades[change.step], linewidth=2)
        ax.plot(change.value, 0, "D", color=shades[change.step], markersize=3.5,
                markeredgecolor="white", markeredgewidth=0.4)  # fmt: skip
