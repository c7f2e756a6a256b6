"""Figure S2: the paper's simplified dynamics, compared with standard training."""

from typing import Any

import pandas as pd

from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import Role
from repatlas.inference.contrasts import TANH_RELU, contrast_rows, median_rows, tanh_minus_relu
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import add_key, dashes_of, dot_of, guide, looks_of
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
from repatlas.plots.style import ACTIVATION_NAMES, Style, activations, finish, letter, page
from repatlas.plots.words import listed, mean_and_sd, why_nothing, with_intervals
from repatlas.studies.structure.roles import PANELS, UNSTRUCTURED
from repatlas.studies.structure.rows.panels import GROUP, panel_rows
from repatlas.studies.structure.rows.panels import PANELS as SHOWN

SIMPLIFIED = {
    "training.errors": ("equal",),
    "network.readout": ("binary",),
    "network.hidden_bias": ("none",),
}
STANDARD = {
    "training.errors": ("output",),
    "network.readout": ("trained",),
    "network.hidden_bias": ("trained",),
}

FIGURE = Figure(
    "The paper's simplified dynamics and standard training.",
    {
        "simplified": Role(
            "The sweep with equal errors, a binary readout and no hidden biases.",
            PANELS,
            UNSTRUCTURED | SIMPLIFIED,
            over_steps=True,
        ),
        "standard": Role(
            "The same with the errors of the output and with readout and biases trained, at the"
            " same steps.",
            PANELS,
            UNSTRUCTURED | STANDARD,
            over_steps=True,
        ),
    },
    alike=(
        Alike(
            "standard",
            "simplified",
            ("task", "network", "training", "steps"),
            but=(*SIMPLIFIED,),
        ),
    ),
    finding=Finding(
        "How closely the simplified dynamics follow standard training is not judged yet.",
        {"48": None},
    ),
)
CAPTION = """**Figure S2: simplified dynamics (our choice).** How close to standard training are the
dynamics by which section 4.1.1 of the paper explains the results? In the simplified dynamics errors
have equal size whatever the output ({{ listed(facts.simplified.readout) }} readout{{ ", no hidden
biases" if facts.simplified.hidden_bias == ["none"] }}). Standard networks are trained as usual ({{
listed(facts.standard.readout) }} readout). The width is {{ listed((facts.simplified.width +
facts.standard.width) | unique | list) }}. A: measures of Figure 1B over training, {{
spread(facts.simplified.seeds) }}; decoders have the most noise in their inputs. B: for each measure
and activation, the mean distance of the simplified dynamics from standard training over the steps.
It is divided by the mean distance between tanh and ReLU networks in standard training. At 1 the
simplified dynamics is as far away as the other activation. Dots are medians over networks that are
paired by seed, with 95 % intervals where there are networks enough. Dotted: the largest distance
that we call close agreement (our choice). The simplified dynamics does not stop, since errors stay
as large as at the start, and goes ahead of standard training: a difference in speed counts as a
distance. The table has all measures. {{ lost }}"""

CONTRAST = "simplified - standard"
DISTANCE = f"{CONTRAST}, mean distance over training, over that of the other activation"
OTHER = {"tanh": "relu", "relu": "tanh"}


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return the measures of every network and the effect of the activation in each training.

    The difference between the two trainings is there for each step, and their mean distance over
    training.
    """
    simplified, standard = (panel_rows(rows[role]) for role in ("simplified", "standard"))
    by = [*GROUP, "activation"]
    both = not_diverged(simplified), not_diverged(standard)
    kinds = [*GROUP, "readout", "errors"]
    effects = [
        median_rows(tanh_minus_relu(kind, kinds), kinds).assign(contrast=TANH_RELU) for kind in both
    ]
    differences = contrast_rows(*both, CONTRAST, by)
    return pd.concat(
        [simplified, standard, *effects, differences, _distances(*both)], ignore_index=True
    )


def _distances(simplified: pd.DataFrame, standard: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance over the steps of the simplified dynamics from standard training,
    divided by the mean distance between standard training of the two activations."""
    of_step, of_network = [*GROUP, "activation", "seed"], [*GROUP, "activation", "seed"]
    of_network.remove("step")
    own = standard.loc[standard["measure"].isin(SHOWN), [*of_step, "value"]]
    other = own.assign(activation=own["activation"].map(OTHER))
    found = simplified[[*of_step, "value"]].merge(own, on=of_step, suffixes=("", "_own"))
    found = found.merge(other, on=of_step, suffixes=("", "_other"))
    distances = found.assign(
        near=(found["value"] - found["value_own"]).abs(),
        far=(found["value_other"] - found["value_own"]).abs(),
    )
    means = distances.groupby(of_network, dropna=False)[["near", "far"]].mean().reset_index()
    means = means[means["far"] > 0]
    ratios = means.assign(value=means["near"] / means["far"])[[*of_network, "value"]]
    return median_rows(ratios, of_network[:-1]).assign(contrast=DISTANCE)


TRAINING = Conditions("errors", {"output": "Standard", "equal": "Simplified"})
ACTIVATIONS = Conditions("activation", ACTIVATION_NAMES)
OVER_TRAINING = ("target_alignment", "input_alignment", "parallelism", "decoding_untrained")
"""The measures of panel A; the others are in the table."""
NOTHING = "No pair of a tanh and a ReLU network"
LIMIT = 0.5
"""Claim 48 says that each distance is below this."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    single = table[table["contrast"].isna()]
    most = max(tested(single), default=0.0)
    figure = page(style, 0.95 * style.width)
    part_a, part_b = figure.subfigures(2, 1, height_ratios=[1, 1.15])
    letter(part_a, "A")
    _draw_measures(part_a, single, most, style)

    letter(part_b, "B")
    rows = _rows(single)
    distances = table[table["contrast"] == DISTANCE]
    keys = pd.MultiIndex.from_frame(distances.fillna({"deviation": 0.0})[["measure", "deviation"]])
    distances = distances[keys.isin(list(rows))]
    looks = {name: dot_of(name, style) for name in style.colours}
    names = ACTIVATIONS.present(table)
    ax = draw_contrasts(part_b, distances, rows, names, "activation", looks, NOTHING)
    ax.set_xlabel("Distance of the simplified dynamics from standard training,\n"
                  "divided by the distance between tanh and ReLU networks")  # fmt: skip
    if len(distances):
        ax.set(xlim=(0, None), ylim=(len(rows) - 0.1, -0.5))
        guide(ax, LIMIT, "limit of close agreement", 0.01, False, va="bottom", xytext=(3, 0))
    finish(
        figure,
        table,
        style,
        f"A: {mean_and_sd(table, 'target_alignment')},{over_training(table)}. Simplified: errors "
        f"that stay equal and never shrink, {_readouts(table, 'equal')} readout. Standard: errors "
        f"of the outputs, {_readouts(table, 'output')} readout. B: medians of the distances of "
        "paired networks, means over the steps, "
        f"{with_intervals(distances, table, 'target_alignment')}.",
    )
    return figure


def _rows(single: pd.DataFrame) -> dict[tuple[str, float], str]:
    """Return the rows of panel B, which claim 48 is about.

    CCGP has the least noise in the inputs of its decoders. Decoding has the most, because it is at
    its ceiling with less."""
    noise = tested(single) or [0.0]
    chosen = {"ccgp": noise[0], "decoding_untrained": noise[-1], "decoding_trained": None}
    return {
        (measure, deviation): name
        for (measure, deviation), name in panel_names(single).items()
        if chosen.get(measure, 0.0) == deviation
    }


def _draw_measures(part: Any, single: pd.DataFrame, most: float, style: Style) -> None:
    """Draw measures over training, with dashes for the simplified dynamics."""
    axes = part.subplots(1, len(OVER_TRAINING), sharex=True)
    names = TRAINING.present(single)
    for ax, measure in zip(axes, OVER_TRAINING, strict=True):
        rows = single[single["measure"] == measure]
        title = TITLES[measure].replace(", ", ",\n")
        if measure in CHANCE:
            rows = rows[rows["deviation"] == most]
            guide(ax, CHANCE[measure], "chance")
        draw_curves(ax, not_diverged(rows), "step", style, why_nothing(single), "errors",
                    list(names), shade=0.1)  # fmt: skip
        ax.set(title=title, xlabel="Training step", ylabel="")
        step_axis(ax, single)
    add_key(part, looks_of(activations(single), style) | dashes_of(names.values()))


def _readouts(table: pd.DataFrame, errors: str) -> str:
    return listed(sorted(table.loc[table["errors"] == errors, "readout"].dropna().unique()))
