"""Figure 6: reshaped activations."""

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import draw_curves, name_curves
from repatlas.plots.style import Style, activation_name, activations, finish, letter
from repatlas.plots.words import listed, mean_and_sd, why_nothing

ROWS = {
    "A": ["tanh", "relu", "clipped_relu"],
    "B": ["tanh", "relu-1", "relu-0.5", "relu", "relu+0.5", "relu+1"],
}
ABSENT = "The config has none of these activations"
REFERENCE = "tanh"
"""Dashed in B."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    of_step = table[table["step"] == style.step]
    shown = not_diverged(of_step)
    shown = shown[(shown["measure"] == "target_alignment") & (shown["variant"] == "centres")]
    targets = sorted(of_step["targets"].unique())
    figure = Figure(figsize=(style.width, 0.78 * style.width))
    parts = figure.subfigures(len(ROWS), 1)
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
            clusters = listed(sorted(of_number["clusters"].unique()))
            ax.set(title=f"P = {clusters}, k = {number}", xlabel="Input-output alignment $c$",
                   ylabel="")  # fmt: skip
        axes[0].set_ylabel("Target alignment")
        dashed = REFERENCE if name == "B" else ""
        beside = {"handlelength": 1.6, "loc": "center left", "bbox_to_anchor": (1, 0.5)}
        if present:
            name_curves(axes[-1], present, style, dashed, **beside)
    finish(
        figure,
        table,
        style,
        f"After {style.step} steps; {mean_and_sd(shown, 'target_alignment')}; kernels of maximal "
        f"dimensionality.{_left_out(table)}",
    )
    return figure


def _left_out(table: pd.DataFrame) -> str:
    drawn = {name for members in ROWS.values() for name in members}
    others = [activation_name(name) for name in activations(table) if name not in drawn]
    return f" Not drawn: {listed(others)}." if others else ""
