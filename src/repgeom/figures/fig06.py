"""Figure 6: reshaped activations."""

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from repgeom.figures.style import (
    Style,
    activation_name,
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
            sns.lineplot(
                rows,
                x="alignment",
                y="value",
                hue="activation",
                hue_order=present,
                palette=style.colours,
                style=(rows["activation"] == REFERENCE) & (name == "B"),
                style_order=[False, True],
                errorbar="sd",
                err_kws={"alpha": 0.15, "linewidth": 0},
                legend=False,
                ax=ax,
            )
            clusters = rows["clusters"].max()
            ax.set(title=f"P = {clusters}, k = {number}", xlabel="Input-output alignment $c$",
                   ylabel="")  # fmt: skip
        axes[0].set_ylabel("Target alignment")
        for activation in present:
            dashes = "--" if name == "B" and activation == REFERENCE else "-"
            axes[-1].plot([], [], dashes, color=style.colours[activation],
                          label=activation_name(activation))  # fmt: skip
        axes[-1].legend(handlelength=1.6, borderpad=0, loc="center left", bbox_to_anchor=(1, 0.5))
    finish(
        figure,
        table,
        style,
        f"Mean and SD over {networks(shown, 'target_alignment')} after {style.step} steps; kernels"
        " of maximal dimensionality.",
    )
    return figure
