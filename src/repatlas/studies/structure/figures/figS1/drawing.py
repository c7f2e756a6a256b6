"""Figure S1: Figure 1's measures for other distributions of inputs."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import FREE, LIMITS, dot_of, within
from repatlas.plots.dots import draw_dots, mark_zero, set_range
from repatlas.plots.panels import TITLES, by_panel, panel_names
from repatlas.plots.spread import deviation
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
)
from repatlas.plots.words import NO_PAIRS, mean_and_sd, why_nothing, with_intervals
from repatlas.studies.structure.figures.figS1.table import FRACTION, INPUTS, REFERENCE

NAMES = {
    ("normal", True): "Gaussian, centred",
    ("symmetric", True): "U[\N{MINUS SIGN}1, 1], centred",
    ("positive", True): "U[0, 1], centred",
    ("normal", False): "Gaussian",
    ("symmetric", False): "U[\N{MINUS SIGN}1, 1]",
    ("positive", False): "U[0, 1]",
    ("rectified", False): "U[0, 1], cut at 0",
    ("raw", False): "U[0, 1], cut, raw",
}
RAW = ("raw", False)


LARGE = "target_alignment"
"""The measure of panels A and B."""
LESS = "decoding_trained"
"""The measure that no panel shows, because it is at its ceiling in all networks."""
B_AT = 0.57
"""Where the letter of panel B stands, as a fraction of the width."""
BLACK = {"all": {"color": "black"}}


def draw(table: pd.DataFrame, style: Style) -> Figure:
    single = not_diverged(table[table["contrast"].isna()])
    present = set(table[INPUTS].itertuples(index=False, name=None))
    names = {key: name for key, name in NAMES.items() if key in present}
    figure = Figure(figsize=(style.width, (0.36 + 0.11 * len(names)) * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.25, 1])
    letter(above, "A")
    letter(above, "B", B_AT)
    left, right = above.subplots(1, 2, sharey=True, width_ratios=[1.25, 1])
    _draw_networks(left, table, single, names, style)

    contrasts = table[table["step"] == style.step].assign(all="all")
    effects = contrasts[contrasts["contrast"] == TANH_RELU]
    fractions = contrasts[contrasts["contrast"] == FRACTION]
    large = effects[effects["measure"] == LARGE]
    large = _with_fractions(large, fractions)
    _draw_effects(right, large, names, TITLES[LARGE])
    low, high = right.get_xlim()
    right.set_xlim(low, high + 0.25 * (high - low) * large["text"].astype(bool).any())

    letter(below, "C")
    panels = _others(single)
    axes = below.subplots(1, len(panels), sharey=True)
    of_panels = by_panel(effects)
    for ax, (panel, title) in zip(axes, panels.items(), strict=True):
        _draw_effects(ax, of_panels.get(panel, effects[:0]), names, title.replace(", ", ",\n"))

    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(single, LARGE)} after {style.step} steps.{_distributions(names)} "
        f"B, C: medians of the paired differences, {with_intervals(effects, single, LARGE)}."
        f"{_percentages(large)}",
    )
    return figure


def _others(single: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Return the panels of C. Decoders with the most noise alone have one: with less, all are at
    the ceiling. The table has them all."""
    panels = panel_names(single)
    most = max(noise for _, noise in panels)
    return {
        (measure, noise): title
        for (measure, noise), title in panels.items()
        if noise in (0.0, most) and measure not in (LARGE, LESS)
    }


def _draw_networks(
    ax: Any, table: pd.DataFrame, single: pd.DataFrame, names: dict, style: Style
) -> None:
    """Draw the measure after training as dots, and before it as ticks."""
    rows = single[single["measure"] == LARGE]
    looks = {name: {"marker": "o"} | dot_of(name, style) for name in activations(table)}
    nothing = why_nothing(table[table["seed"].notna()])
    before, after = (_spread(rows[rows["step"] == step]) for step in (0, style.step))
    ticks = {name: look | {"marker": "|", "markersize": 5} for name, look in looks.items()}
    if len(before):
        before = before.assign(low=None, high=None)
        draw_dots(ax, before, INPUTS, names, "activation", ticks, nothing)
    draw_dots(ax, after, INPUTS, names, "activation", looks, nothing)
    set_range(ax)
    ax.set_title(TITLES[LARGE])
    for name, look in looks.items():
        ax.plot([], [], linestyle="", markersize=3, **look, label=activation_name(name))
    ax.plot([], [], linestyle="", marker="|", markersize=5, color="0.3", label="before training")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=len(looks) + 1,
              handletextpad=0.1, columnspacing=1, borderpad=0)  # fmt: skip


def _draw_effects(ax: Any, effects: pd.DataFrame, names: dict, title: str) -> None:
    """Draw the paired differences of a measure, a row for each kind of inputs."""
    draw_dots(ax, effects, INPUTS, names, "all", BLACK, NO_PAIRS)
    mark_zero(ax)
    set_range(ax)
    ax.set_title(title)
    ax.set_xlabel("Tanh \N{MINUS SIGN} ReLU")


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over networks, with the standard deviation to either side, if they are
    enough.

    The ends are limited to the range of the measure.
    """
    by = ["activation", "measure", "variant", "deviation", *INPUTS]
    refuse_pooling(rows, by)
    grouped = rows.groupby(by, dropna=False)["value"]
    found = grouped.agg(value="mean", sd=deviation).reset_index()
    ends = [within(row.value, row.sd, LIMITS.get(row.measure, FREE)) for row in found.itertuples()]
    low, high = zip(*ends, strict=True) if ends else ((), ())
    return found.assign(low=low, high=high)


def _with_fractions(effects: pd.DataFrame, fractions: pd.DataFrame) -> pd.DataFrame:
    """Return the effects, each with the text of its fraction and of the interval, if it has
    them."""
    by = ["measure", "variant", "deviation", *INPUTS]
    defined = fractions.dropna(subset="value")
    texts = [_percent(*ends) for ends in defined[["value", "low", "high"]].to_numpy(float)]
    joined = effects.merge(defined[by].assign(text=texts), on=by, how="left")
    return joined.fillna({"text": ""})


def _percent(value: float, low: float, high: float) -> str:
    found, *ends = (f"{100 * end + 0.0:.0f}" for end in (value, low, high))
    return f"{found} %" if pd.isna(low) else f"{found} % [{', '.join(ends)}]"


def _distributions(names: dict[tuple, str]) -> str:
    """Return what the names of the inputs mean."""
    text = ""
    if any(name.startswith("U[") for name in names.values()):
        text += " U: uniform, scaled to variance 1" + ", except for raw" * (RAW in names) + "."
    if any("cut" in name for name in names.values()):
        text += " Cut: at 0, with the noise."
    return text


def _percentages(effects: pd.DataFrame) -> str:
    if not effects["text"].astype(bool).any():
        return ""
    return f" Percentages: of the difference for {NAMES[REFERENCE]}."
