"""Figure 8: constraints on the readout."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged
from repatlas.plots.comparison import draw_contrasts
from repatlas.plots.curves import draw_curves, handles_of
from repatlas.plots.panels import (
    CHANCE,
    DASHES,
    TITLES,
    Conditions,
    over_training,
    panel_names,
    step_axis,
    tested,
)
from repatlas.plots.style import Style, activations, finish, letter
from repatlas.plots.words import NO_PAIRS, mean_and_networks, why_nothing, with_intervals

READOUTS = Conditions(
    "readout",
    {"binary": "Binary, frozen", "normal": "Random, frozen", "trained": "Random, trained"},
)
LOOKS = {
    "binary": {"color": "black"},
    "normal": {"color": "0.5", "marker": "s"},
    "trained": {"color": "0.5", "marker": "D", "markerfacecolor": "white"},
}
ALIGNMENTS = ["target_alignment", "input_alignment"]


def draw(table: pd.DataFrame, style: Style) -> Figure:
    last = table["step"].max()
    effects = table[(table["contrast"] == TANH_RELU) & (table["step"] == last)]
    single = table[table["contrast"].isna()]
    most = max(tested(single), default=0.0)
    figure = Figure(figsize=(style.width, 0.95 * style.width))
    above, below = figure.subfigures(2, 1, height_ratios=[1.15, 1])
    letter(above, "A")
    rows = {key: name for key, name in panel_names(single).items() if key[1] in (0.0, most)}
    ax = draw_contrasts(above, effects[_is_shown(effects, most)], rows, READOUTS.present(table),
                        "readout", LOOKS, NO_PAIRS)  # fmt: skip
    ax.set_xlabel(f"Tanh \N{MINUS SIGN} ReLU after {last} steps")
    letter(below, "B")
    _draw_alignments(below, single, style)
    finish(
        figure,
        table,
        style,
        f"A: medians of paired differences, {with_intervals(effects, table, 'target_alignment')}."
        f"{_with_less_noise(effects, most)}"
        f" B: {mean_and_networks(table, 'target_alignment')},{over_training(table)}.",
    )
    return figure


def _is_shown(rows: pd.DataFrame, most: float) -> pd.Series:
    """Return which rows have a dot: decoders do with the most noise in their inputs."""
    return ~rows["measure"].isin(CHANCE) | (rows["deviation"] == most)


def _with_less_noise(effects: pd.DataFrame, most: float) -> str:
    """Return the sentences on the decoders that have no row."""
    others = effects[~_is_shown(effects, most)].dropna(subset="value")
    return "".join(
        f" With noise of standard deviation {deviation:g} CCGP and decoding differ by"
        f" {_hundredths(values.min())} to {_hundredths(values.max())}."
        for deviation, values in others.groupby("deviation")["value"]
    )


def _hundredths(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"  # no -0


def _draw_alignments(part: Any, single: pd.DataFrame, style: Style) -> None:
    """Draw both alignments over training, a panel for each readout."""
    shown = single[single["measure"].isin(ALIGNMENTS)]
    names = READOUTS.present(single)
    axes = part.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (readout, name) in zip(axes, names.items(), strict=True):
        rows = shown[shown["readout"] == readout]
        draw_curves(ax, not_diverged(rows), "step", style, why_nothing(rows), "measure", ALIGNMENTS,
                    spread="networks")  # fmt: skip
        ax.set(title=name, xlabel="Training step")
        step_axis(ax, shown)
    axes[0].set_ylabel("Alignment")
    handles = handles_of(activations(single), style)
    handles += [
        Line2D([], [], color="0.3", linestyle=line, label=TITLES[measure])
        for measure, line in zip(ALIGNMENTS, DASHES, strict=False)
    ]
    part.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1.8,
                columnspacing=1.4, borderpad=0)  # fmt: skip
