"""Figure S6: alignment at each layer of networks on images, before training and after."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import DASHES, draw_curves, handles_of
from repatlas.plots.images import (
    ARCHITECTURES,
    DATA_SETS,
    NO_IMAGES,
    cells,
    initialisations,
    sizes,
)
from repatlas.plots.style import GREY, Style, activations, finish, say
from repatlas.plots.words import listed, why_nothing

MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}
STATES = ("trained", "untrained")
RANGE = (-0.02, 1.02)
"""Of both alignments, and a little more, so that a line at an end is seen."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    shown = not_diverged(table[table["contrast"].isna()])
    # A seed's value is its mean over pairings of classes.
    by = ["dataset", "architecture", "activation", "step", "layer", "measure", "seed"]
    refuse_pooling(shown[shown["measure"].isin(MEASURES)], [*by, "pairing"])
    shown = shown.groupby(by)["value"].mean().reset_index()
    shown["state"] = shown["step"].map(lambda step: STATES[step == 0])
    columns = cells(table)
    figure = Figure(figsize=(style.width, 0.62 * style.width))
    if not columns:
        say(figure.subplots(), NO_IMAGES)
        finish(figure, table, style, f"{NO_IMAGES}.")
        return figure
    axes = figure.subplots(len(MEASURES), len(columns), sharey=True, squeeze=False)
    for column, (data_set, architecture) in enumerate(columns):
        everything = table[(table["dataset"] == data_set) & (table["architecture"] == architecture)]
        cell = shown[(shown["dataset"] == data_set) & (shown["architecture"] == architecture)]
        ends = cell[cell["step"].isin([0, cell["step"].max()])]
        for row, (measure, title) in enumerate(MEASURES.items()):
            ax = axes[row, column]
            rows = ends[ends["measure"] == measure]
            draw_curves(
                ax, rows, "layer", style, why_nothing(everything), dashed="state", order=STATES
            )
            ax.set(xlabel="", ylabel=title if column == 0 else "")
            layers = sorted(cell["layer"].unique())
            ax.set_xticks(layers if len(layers) < 7 else layers[::2])
        numbers = sorted(cell.groupby("activation")["seed"].nunique().unique())
        said = f"n = {listed(numbers, 'or')}" if numbers else ""
        of = f"{ARCHITECTURES[architecture]}, {DATA_SETS[data_set]}"
        axes[0, column].set_title(f"{of}\n{said}")
        axes[-1, column].set_xlabel("Layer (0: the images)")
    axes[0, 0].set_ylim(RANGE)
    kinds = [
        Line2D([], [], color=GREY, linestyle=dashes, label=state)
        for state, dashes in zip(STATES, DASHES, strict=False)
    ]
    handles = [*handles_of(activations(table), style), *kinds]
    axes[1, 0].legend(handles=handles, handlelength=1.6, borderpad=0, loc="lower left")

    finish(
        figure,
        table,
        style,
        f"Held-out images; {initialisations(table, 'SD')}. CNN: its convolutions and"
        f" full layer. ResNet-18: stem, blocks, global average. {sizes(table)}.",
    )
    return figure
