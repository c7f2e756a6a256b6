"""Figure S6: alignment at each layer of networks on images, before training and after."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged, refuse_pooling
from repatlas.plots.curves import DASHES, draw_curves, handles_of
from repatlas.plots.images import (
    ARCHITECTURES,
    NO_IMAGES,
    cells,
    last_epoch,
    name_of,
    number_of_networks,
    sizes,
)
from repatlas.plots.style import GREY, Style, activations, finish, say
from repatlas.plots.words import NO_PAIRS, listed, why_nothing, with_intervals

MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}
STATES = ("trained", "untrained")
STRIP = 0.45
"""Height of a strip of differences, in heights of its panel."""
RANGE = (-0.02, 1.02)
"""The limits of both alignments, and a little more, so that a line at an end is visible."""


def draw(table: pd.DataFrame, style: Style) -> Figure:
    single = table[table["contrast"].isna()]
    shown = not_diverged(single)
    # A seed's value is its mean over pairings of classes.
    by = ["dataset", "architecture", "activation", "step", "layer", "measure", "seed"]
    refuse_pooling(shown[shown["measure"].isin(MEASURES)], [*by, "pairing"])
    shown = shown.groupby(by)["value"].mean().reset_index()
    shown["state"] = shown["step"].map(lambda step: STATES[step == 0])
    columns = cells(table)
    figure = Figure(figsize=(style.width, 0.8 * style.width))
    if not columns:
        say(figure.subplots(), NO_IMAGES)
        finish(figure, table, style, f"{NO_IMAGES}.")
        return figure
    part = figure.subfigures()  # below the words above a preview
    both = part.subplots(
        2 * len(MEASURES), len(columns), sharex="col", sharey="row", squeeze=False,
        height_ratios=[1.4, STRIP, 1, STRIP],
    )  # fmt: skip
    axes, strips = both[::2], both[1::2]
    effects = table[(table["contrast"] == TANH_RELU) & (table["step"] > 0)]
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
            for line in ax.lines:
                line.set_markevery(None)  # there are few layers
            ax.set(xlabel="", ylabel=title if column == 0 else "", ylim=RANGE)
            of_cell = (effects["dataset"] == data_set) & (effects["architecture"] == architecture)
            of_measure = last_epoch(effects[of_cell & (effects["measure"] == measure)])
            _draw_differences(strips[row, column], of_measure)
            layers = sorted(cell["layer"].unique())
            ax.set_xticks(layers if len(layers) < 7 else layers[::2])
        numbers = sorted(cell.groupby("activation")["seed"].nunique().unique())
        said = f"n = {listed(numbers, 'or')}" if numbers else ""
        of = f"{ARCHITECTURES[architecture]}: {name_of(data_set, table)}"
        axes[0, column].set_title(f"{of}\n{said}")
        strips[-1, column].set_xlabel("Layer (0: the images)")
    for ax in strips[:, 0]:
        ax.set_ylabel("Tanh \N{MINUS SIGN}\nReLU")
    kinds = [
        Line2D([], [], color=GREY, linestyle=dashes, label=state)
        for state, dashes in zip(STATES, DASHES, strict=False)
    ]
    handles = [*handles_of(activations(table), style), *kinds]
    part.legend(handles=handles, loc="outside upper center", ncols=len(handles), borderpad=0,
                handlelength=1.8)  # fmt: skip
    finish(
        figure,
        table,
        style,
        f"Held-out images; {number_of_networks(table, with_sd=True)}. CNN: its convolutions and"
        f" full layer. ResNet-18: stem, blocks, global average. {sizes(table)}. Strips, after"
        " training: medians of the paired differences, "
        f"{with_intervals(effects, single, 'target_alignment')}.",
    )
    return figure


def _draw_differences(ax: Any, rows: pd.DataFrame) -> None:
    """Draw the median of tanh - ReLU at each layer of trained networks, with its interval. At the
    last layer the interval is a bar, which nothing else hides."""
    if not len(rows):
        say(ax, NO_PAIRS)
        return
    ax.axhline(0, color="0.7", linewidth=0.6, linestyle=":", zorder=0)
    rows = rows.sort_values("layer")
    ax.plot(rows["layer"], rows["value"], color="black", linewidth=0.9)
    ax.fill_between(rows["layer"], rows["low"], rows["high"], color="0.75", linewidth=0)
    last = rows[rows["layer"] == rows["layer"].max()]
    ax.vlines(last["layer"], last["low"], last["high"], color="black", linewidth=0.9)
    ax.plot(last["layer"], last["value"], "o", color="black", markersize=2.4)
    ax.locator_params(axis="y", nbins=3)
