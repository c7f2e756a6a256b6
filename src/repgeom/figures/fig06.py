"""Figure 6: reshaped activations."""

import pandas as pd
from matplotlib.figure import Figure

from repgeom.figures.curves import draw_curves, name_curves
from repgeom.figures.style import (
    Style,
    activations,
    converged,
    finish,
    letter,
    networks,
)

ROWS = {
    "A": ["tanh", "relu", "clipped_relu"],
    "B": ["tanh", "relu-1", "relu-0.5", "relu", "relu+0.5", "relu+1"],
}
REFERENCE = "tanh"
"""Dashed in B."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown = converged(table[table["step"] == style.step])
    shown = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    targets = sorted(shown["targets"].unique())
    figure = Figure(figsize=(style.width, 0.78 * style.width))
    parts = figure.subfigures(len(ROWS), 1)
    for part, (name, members) in zip(parts, ROWS.items(), strict=True):
        letter(part, name)
        axes = part.subplots(1, max(len(targets), 1), squeeze=False, sharey=True)[0]
        present = [a for a in members if a in activations(table)]
        for ax, number in zip(axes, targets, strict=False):  # one is empty if all diverged
            rows = shown[(shown["targets"] == number) & shown["activation"].isin(present)]
            is_dashed = (rows["activation"] == REFERENCE) & (name == "B")
            draw_curves(ax, rows, "alignment", style, dashed=is_dashed, order=[False, True])
            clusters = rows["clusters"].max()
            ax.set(title=f"P = {clusters}, k = {number}", xlabel="Input-output alignment $c$",
                   ylabel="")  # fmt: skip
        axes[0].set_ylabel("Target alignment")
        dashed = REFERENCE if name == "B" else ""
        beside = {"handlelength": 1.6, "loc": "center left", "bbox_to_anchor": (1, 0.5)}
        name_curves(axes[-1], present, style, dashed, **beside)
    finish(
        figure,
        table,
        style,
        f"Mean and SD over {networks(shown, 'target_alignment')} after {style.step} steps; kernels"
        " of maximal dimensionality.",
    )
    return figure
