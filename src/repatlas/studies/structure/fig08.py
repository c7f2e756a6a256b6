"""Figure 8: constraints on the readout."""

from itertools import combinations
from typing import Any

import pandas as pd

from repatlas.claims.outcomes import UNDECIDED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import with_activations
from repatlas.figures.role import ACTIVATION, Role, legend
from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import add_key, dashes_of, looks_of
from repatlas.plots.palette import BLACK, GREY, WHITE
from repatlas.plots.panels import (
    CHANCE,
    TITLES,
    Conditions,
    draw_contrasts,
    over_training,
    panel_names,
    step_axis,
    tested,
)
from repatlas.plots.style import Style, activations, finish, letter, page
from repatlas.plots.words import NO_PAIRS, mean_and_networks, why_nothing, with_intervals
from repatlas.studies.structure.roles import BOTH, PANELS, UNSTRUCTURED
from repatlas.studies.structure.rows.panels import GROUP, panel_rows

FIGURE = Figure(
    "Constraints on the readout: measures over training.",
    {
        "sweep": Role(
            "The sweep, over several readouts, with tanh and ReLU and two steps at least.",
            PANELS,
            UNSTRUCTURED | {"network.readout": ("binary", "normal", "trained")},
            shown=legend(ACTIVATION, "network.readout"),
            fits=(with_activations(*BOTH),),
            over_steps=True,
        )
    },
    finding=Finding(
        "Binary and frozen readouts reverse no effect of the activation; whether decoding keeps"
        " its effect is undecided.",
        {"43": UNDECIDED},
    ),
)
CAPTION = """**Figure 8: constraints on the readout.** Does the effect of the activation depend on
whether the readout is frozen? The figure has {{ kind(facts.sweep) }} with these readouts: {{
listed(facts.sweep.readout) }}. "Binary" is frozen at weights of equal size, "normal" is frozen at
normal weights, and "trained" is trained. A: {{ paired }}, after the last step; decoders with {{
noise(facts.sweep) }}: a row has the most noise, and the line under the figure has the others. B:
target alignment (solid) and input alignment (dashed) over training, a panel for each readout; {{
each(facts.sweep.seeds) }}. The readouts share initial hidden weights, data and batches. {{ lost
}}"""


def per_network(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    return panel_rows(rows["sweep"])


def over_networks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the effect of the activation for each readout, and its differences between
    readouts."""
    effects = tanh_minus_relu(not_diverged(rows), [*GROUP, "readout"])
    of = {name: group.drop(columns="readout") for name, group in effects.groupby("readout")}
    between = [
        contrast_rows(of[other], of[one], f"{TANH_RELU}, {other} - {one}", GROUP)
        for one, other in combinations(of, 2)
    ]
    medians = median_rows(effects, [*GROUP, "readout"]).assign(contrast=TANH_RELU)
    return pd.concat([medians, *between], ignore_index=True)


READOUTS = Conditions(
    "readout",
    {"binary": "Binary, frozen", "normal": "Random, frozen", "trained": "Random, trained"},
)
LOOKS = {
    "binary": {"color": BLACK},
    "normal": {"color": GREY, "marker": "s"},
    "trained": {"color": GREY, "marker": "D", "markerfacecolor": WHITE},
}
ALIGNMENTS = ["target_alignment", "input_alignment"]


def draw(table: pd.DataFrame, style: Style) -> Any:
    last = table["step"].max()
    effects = table[(table["contrast"] == TANH_RELU) & (table["step"] == last)]
    single = table[table["contrast"].isna()]
    most = max(tested(single), default=0.0)
    figure = page(style, 0.95 * style.width)
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
    add_key(part, looks_of(activations(single), style) | dashes_of(map(TITLES.get, ALIGNMENTS)))
