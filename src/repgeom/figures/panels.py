"""The six measures against one axis (Figures 1B, 2B and 7B)."""

from typing import Any

import pandas as pd

from repgeom.figures.curves import draw_curves, name_curves
from repgeom.figures.style import Style, activations, converged

TITLES = {
    "target_alignment": "Target alignment",
    "input_alignment": "Input alignment",
    "parallelism": "Parallelism score",
    "ccgp": "CCGP",
    "decoding_trained": "Decoding, trained",
    "decoding_untrained": "Decoding, untrained",
}
CHANCE = {"ccgp": 0.5, "decoding_trained": 0.5, "decoding_untrained": 0.5}


def draw_panels(
    part: Any, table: pd.DataFrame, style: Style, x: str, label: str, slopes: str = ""
) -> Any:
    """Mean and standard deviation over networks, for each activation; decoders at each
    sigma_test. As slopes, from a first place to a second, for each value of a column, or else as
    curves. Returns the axes, (2, 3)."""
    axes = part.subplots(2, 3, sharex=True)
    for ax, (measure, title) in zip(axes.flat, TITLES.items(), strict=True):
        rows = converged(table[table["measure"] == measure])
        variants = sorted(rows["variant"].unique())
        parts = [group for _, group in rows.groupby(slopes)] if slopes else [rows]
        for curves in parts:
            draw_curves(ax, curves, x, style, "variant", variants, bars=bool(slopes))
        if measure in CHANCE:
            ax.axhline(CHANCE[measure], color="0.7", linewidth=0.6, linestyle=":", zorder=0)
        ax.set(title=title, xlabel=label, ylabel="")
    # Slopes leave no room for a legend but beside the other one.
    name_curves(axes[1, 1] if slopes else axes[0, 0], activations(table), style)
    _deviation_legend(axes[1, 1], table)
    return axes


def _deviation_legend(ax: Any, table: pd.DataFrame) -> None:
    """Line styles are those that seaborn gave the sorted variants."""
    rows = converged(table[table["measure"] == "ccgp"])
    variants = sorted(rows["variant"].unique())
    for variant, dashes in zip(variants, ["-", "--", ":", "-."], strict=False):
        deviation = variant.removeprefix("sigma_test=")
        name = rf"$\sigma_\mathrm{{test}}={deviation}$"
        ax.plot([], [], color="0.3", linestyle=dashes, label=name)
    ax.legend(handlelength=1.8, borderpad=0)
