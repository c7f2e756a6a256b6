"""Accuracies of decoders of one time at another time, as matrices."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from repatlas.inference.intervals import FEWEST
from repatlas.plots.minus import true_minus
from repatlas.plots.palette import BLACK
from repatlas.plots.representations import cut, grid
from repatlas.plots.style import Style, note_under, say

FEW = 8
"""The most times that are named along an axis."""
MOST = 24
"""The most panels of a figure."""
SURE = 0.05


def draw_over_time(table: pd.DataFrame, style: Style) -> Any:
    """Return a figure with a matrix for each representation and variable: of several units, of the
    medians. Cells that are above chance for certain have an outline.

    table: `line` is the time of the fit and `cluster` its number, `place` and `neuron` of the test.
    """
    of_units = (table["of"] == "units").any()
    shown = table[(table["of"] == "units") == of_units].fillna({"label": "", "about": ""})
    every = list(shown.groupby(["representation", "label", "about"], sort=False))
    several = shown["representation"].nunique() > 1
    figure, axes = grid(len(every[:MOST]), style, height=1.25)
    image = None
    for ax, ((name, label, about), own) in zip(axes, every, strict=False):
        parts = [name] if several or not label else []
        ax.set_title("\n".join([cut(", ".join(parts + [label] * bool(label))), about]))
        if not own["value"].notna().any():
            reasons = own["reason"].dropna()
            say(ax, reasons.iloc[0] if len(reasons) else "Not measured")
            continue
        image = _draw_matrix(ax, own, of_units)
    if image is not None:
        figure.colorbar(image, ax=axes, shrink=0.6, label="Accuracy")
    note_under(figure, style, _note(shown, of_units, len(every)))
    return figure


def _draw_matrix(ax: Any, own: pd.DataFrame, of_units: bool) -> Any:
    own = own.assign(sure=own["low"] > own["chance"] if of_units else own["p_family"] <= SURE)
    values, sure = (
        own.pivot_table(index="cluster", columns="neuron", values=column, dropna=False)
        for column in ("value", "sure")
    )
    image = draw_accuracies(ax, values.to_numpy(dtype=float), sure.to_numpy(dtype=float) > 0)
    names = own.drop_duplicates("neuron").set_index("neuron")["place"].sort_index()
    step = -(-len(names) // FEW)
    ticks = range(0, len(names), step)
    shown = [cut(true_minus(name)) for name in names[::step]]
    ax.set_xticks(ticks, shown, rotation=90 if max(map(len, names)) > 3 else 0)
    ax.set_yticks(ticks, shown)
    return image


def draw_accuracies(ax: Any, values: NDArray[np.float64], sure: NDArray[np.bool_]) -> Any:
    """Draw accuracies, (times of the fit, times of the test), with an outline around cells that
    are sure, and return the image."""
    # Chance is white. A decoder whose code has turned around is below it.
    image = ax.imshow(values, cmap="RdBu_r", vmin=0, vmax=1, origin="lower", interpolation="none")
    for x, y in _outline(sure):
        ax.plot(x, y, color=BLACK, linewidth=0.8)
    ax.set(xlabel="Time of test", ylabel="Time of fit")
    return image


def _outline(cells: NDArray[np.bool_]) -> list[tuple[list[float], list[float]]]:
    """Return the sides of cells, (rows, columns), at which True meets False: pairs of x and y.

    >>> _outline(np.array([[True, False]]))
    [([-0.5, -0.5], [-0.5, 0.5]), ([0.5, 0.5], [-0.5, 0.5]), ([-0.5, 0.5], [-0.5, -0.5]), \
([-0.5, 0.5], [0.5, 0.5])]
    """
    around = np.pad(cells, 1)
    sides: list[tuple[list[float], list[float]]] = []
    for row, column in np.argwhere(around[1:-1, 1:] != around[1:-1, :-1]).tolist():
        sides.append(([column - 0.5] * 2, [row - 0.5, row + 0.5]))
    for row, column in np.argwhere(around[1:, 1:-1] != around[:-1, 1:-1]).tolist():
        sides.append(([column - 0.5, column + 0.5], [row - 0.5] * 2))
    return sides


def _note(shown: pd.DataFrame, of_units: bool, panels: int) -> str:
    left = f" {panels - MOST} more panels are in the table alone." if panels > MOST else ""
    if not shown["value"].notna().any():
        return f"White: chance.{left}"
    if not of_units:
        return f"White: chance. Outlined: p ≤ .05 for all pairs of times together (max-T).{left}"
    number = int(shown["n"].max())
    if shown["low"].notna().any():
        outlined = f"Medians over {number} units. Outlined: the 95 % interval of this cell alone is"
        outlined += " above chance."
    else:
        outlined = f"Medians over {number} units, too few for an interval ({FEWEST} needed)."
    return f"White: chance. {outlined}{left}"
