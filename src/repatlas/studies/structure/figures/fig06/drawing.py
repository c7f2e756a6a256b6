"""Figure 6: reshaped activations."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged
from repatlas.networks.activation import activation
from repatlas.plots.baseline import INPUTS_SAID, draw_inputs_own
from repatlas.plots.curves import draw_curves, look_of, name_curves
from repatlas.plots.style import Style, activations, finish, letter
from repatlas.plots.words import listed, mean_and_sd, not_drawn, why_nothing

ROWS = {
    "A": ["tanh", "relu", "clipped_relu"],
    "B": ["tanh", "relu-1", "relu-0.5", "relu", "relu+0.5", "relu+1"],
}
ABSENT = "The config has none of these activations"
ARGUMENTS = 2.5
"""How far the functions are drawn to both sides of 0."""
REFERENCE = "tanh"
"""Dashed in B."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    of_step = table[table["step"] == style.step]
    shown = not_diverged(of_step)
    shown = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    targets = sorted(of_step["targets"].unique())
    figure = Figure(figsize=(style.width, 0.78 * style.width))
    parts, has_baseline = figure.subfigures(len(ROWS), 1), False
    for part, (name, members) in zip(parts, ROWS.items(), strict=True):
        letter(part, name)
        axes = part.subplots(1, len(targets), squeeze=False, sharey=True)[0]
        present = [a for a in members if a in activations(table)]
        for ax, number in zip(axes, targets, strict=True):
            of_number = of_step[of_step["targets"] == number]
            mine = of_number[of_number["activation"].isin(present)]
            rows = shown[shown.index.isin(mine.index)]
            is_dashed = (rows["activation"] == REFERENCE) & (name == "B")
            draw_curves(
                ax, rows, "alignment", style, why_nothing(mine) if present else ABSENT,
                dashed=is_dashed, order=[False, True],
            )  # fmt: skip
            has_baseline = draw_inputs_own(ax, mine) or has_baseline
            clusters = listed(sorted(of_number["clusters"].unique()))
            ax.set(title=f"$P$ = {clusters}, $k$ = {number}", xlabel="Input-output alignment $c$",
                   ylabel="")  # fmt: skip
        axes[0].set_ylabel("Target alignment")
        dashed = REFERENCE if name == "B" else ""
        beside = {"handlelength": 1.6, "loc": "upper left", "bbox_to_anchor": (1, 1.08)}
        if present:
            name_curves(axes[-1], present, style, dashed, **beside)
            _draw_functions(axes[-1].inset_axes((1.12, 0, 0.4, 0.32)), present, style, dashed)
    drawn = {name for members in ROWS.values() for name in members}
    finish(
        figure,
        table,
        style,
        f"After {style.step} steps; {mean_and_sd(shown, 'target_alignment')}; kernels of maximal "
        f"dimensionality.{has_baseline * INPUTS_SAID}{not_drawn(table, drawn)}",
    )
    return figure


def _draw_functions(ax: Any, names: list[str], style: Style, dashed: str) -> None:
    """Draw each activation as a function, in its colour, over the same arguments."""
    x = np.linspace(-ARGUMENTS, ARGUMENTS, 101)
    for name in names:
        look = look_of(name, style) | {"linewidth": 0.9, "markevery": 25, "markersize": 1.6}
        ax.plot(x, activation(name).value(x), "--" if name == dashed else "-", **look)
    ax.axhline(0, color="0.7", linewidth=0.5, zorder=0)
    ax.axvline(0, color="0.7", linewidth=0.5, zorder=0)
    ax.set(ylim=(-1.2, 2), xticks=[], yticks=[])
    ax.set_xlabel("$f(x)$", labelpad=1)
    ax.spines[:].set_visible(False)
