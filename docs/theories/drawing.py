"""Draw the matrix of theories and families.

python docs/theories/drawing.py MATRIX.parquet OUT.png            writes the drawing

MATRIX.parquet is what theories.py wrote: a row for each network, theory and quantity.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from theories import THEORIES, matrix

from repatlas.plots.style import Style, applied

COLOURS = {"holds": "#c9b8e8", "open": "#e9e2f5", "fails": "#d9d9d9", "does not apply": "white"}
SIGNS = {"holds": "✓", "open": "?", "fails": "✗"}


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the drawing: a panel for each quantity, a row for each theory."""
    cells = matrix(rows)
    families = list(dict.fromkeys(cells["family"]))
    figure, axes = plt.subplots(2, 1, figsize=(10, 6.2), layout="constrained", sharex=True)
    for axis, (quantity, title) in zip(
        axes, (("losses", "Loss"), ("alignment", "Target alignment")), strict=True
    ):
        for cell in cells[cells["quantity"] == quantity].itertuples():
            x, y = families.index(cell.family), THEORIES.index(cell.theory)
            colour = COLOURS[cell.verdict]
            axis.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, ec="white"))
            if cell.verdict in SIGNS:
                text = f"{SIGNS[cell.verdict]} {short(cell.value)}\n({short(cell.of_seeds)})"
                axis.text(x, y, text, ha="center", va="center", fontsize=8)
        axis.set(xlim=(-0.5, len(families) - 0.5), ylim=(len(THEORIES) - 0.5, -0.5), title=title)
        names = [family.replace("relu", "ReLU").replace("xor", "XoR") for family in families]
        axis.set_xticks(range(len(families)), names, rotation=25, ha="right")
        axis.set_yticks(range(len(THEORIES)), THEORIES)
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
    return figure


def short(value: float) -> str:
    """Return an error in words of a few signs."""
    if not np.isfinite(value):
        return "diverged"
    return "> 1" if value > 1 else f"{value:.3f}"


if __name__ == "__main__":
    with applied(Style(colours={}, width=10, font_size=10, preview=False)):
        draw(pd.read_parquet(sys.argv[1])).savefig(sys.argv[2], dpi=130)
