"""How figures of this study draw layers and kinds of networks."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.plots.marks import draw_line
from repatlas.plots.palette import BLACK, GREY
from repatlas.plots.spread import FREE, describe_sd, numbers_of, with_ends, without_few
from repatlas.plots.style import counted
from repatlas.studies.convergence.rows.networks import have_learned, limits

FLOOR = GREY
"""The colour of lines of the noise floor and of untrained networks."""
AFTER = {"logits": "--", "softmax": ":"}
"""The lines of the layers after the last hidden one, in black."""
MARKERS = "os^Dv<>"
BEFORE = {"color": FLOOR, "linewidth": 0.6}
"""The look of untrained networks; thin lines distinguish them from trained networks in grey."""


def look_of_layer(layer: int, depth: int, colour: str) -> dict[str, Any]:
    """Return colour, line and marker of a layer.

    Hidden layers go from light to dark in the colour of the activation. Each has a marker, since
    neighbours have nearly the same shade in grey.
    """
    from matplotlib.colors import to_rgb

    if layer > depth:
        return {"color": BLACK, "linestyle": AFTER[name_of_layer(layer, depth)]}
    share = 0.3 + 0.7 * layer / max(depth, 1)
    base = np.array(to_rgb(colour))
    shade = 1 - share / 0.65 * (1 - base) if share <= 0.65 else base * (1 - (share - 0.65) * 1.8)
    marker = {"marker": MARKERS[int(layer - 1) % len(MARKERS)], "markersize": 2.4, "markevery": 0.1}
    return {"color": tuple(np.clip(shade, 0, 1)), "linestyle": "-"} | marker


def name_of_layer(layer: int, depth: int) -> str:
    """Return "layer 1", "logits" or "softmax"."""
    if layer <= depth:
        return f"layer {layer}"
    return list(AFTER)[layer - depth - 1]


def draw_mean(
    ax: Any, rows: pd.DataFrame, x: str, limits: tuple[float, float] = FREE, **line: Any
) -> None:
    """Draw rows of means against a column, with their standard deviation as a band.

    The band ends at `limits`, the limits of the measure.
    """
    draw_line(ax, with_ends(rows, limits), x, shade=0.15, **line)


def time_axis(ax: Any) -> None:
    """Set an axis of fractions of training from 0 to 1: logarithmic, except at the start."""
    ax.set_xscale("symlog", linthresh=0.01, linscale=0.5)
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 0.01, 0.1, 1], ["0", ".01", ".1", "1"])
    ax.minorticks_off()


def first_shown(rows: pd.DataFrame, kinds: list[str]) -> str:
    """Return the activation of panels that show only one: ReLU if it has rows, else the first that
    has."""
    found = set(rows["activation"])
    return next((kind for kind in ("relu", *kinds) if kind in found), (kinds or ["relu"])[0])


def left_out(table: pd.DataFrame) -> str:
    """Return the sentence that counts networks that have not learned, for the line under a
    figure."""
    ends = ends_of(table)
    poor = int((~have_learned(ends)).sum())
    return f" Left out, below {limits(ends)} training accuracy: {counted(poor)}." if poor else ""


def ends_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the row with the training accuracy of each network."""
    return table[(table["measure"] == "accuracy") & (table["variant"] == "training")]


def learned_ends(table: pd.DataFrame) -> pd.DataFrame:
    """Return these rows of networks that have learned."""
    ends = ends_of(table)
    return ends[have_learned(ends)]


def with_deviations(table: pd.DataFrame, networks: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the standard deviations over networks that are enough for one.
    networks: rows of those behind it."""
    return without_few(table, networks, ["run"])


def deviations(networks: pd.DataFrame, over: str = "") -> str:
    """Return words that say whether these networks are enough for deviations."""
    return describe_sd(numbers_of(networks, ["run"]), over)


def percent(part: float) -> str:
    """Return a fraction of training in percent, with more digits below 1 %.

    >>> [percent(part) for part in (0.0, 0.0005, 0.05, 1.0)]
    ['0%', '0.05%', '5%', '100%']
    """
    return f"{100 * part:.2g}%" if 0 < part < 0.01 else f"{part:.0%}"


def number_of_networks(table: pd.DataFrame) -> str:
    """Return how many networks of each kind there are."""
    numbers = sorted(learned_ends(table).groupby("run").size().unique())
    kinds = f" network{'s' * (numbers != [1])} of each kind"
    return " or ".join(map(str, numbers or [0])) + kinds
