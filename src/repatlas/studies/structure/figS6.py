"""Figure S6: alignment at each layer of networks on images, before training and after."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.inference.contrasts import TANH_RELU
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.curves import draw_curves
from repatlas.plots.images import (
    ARCHITECTURES,
    NO_IMAGES,
    cells,
    last_epoch,
    name_of,
    number_of_networks,
    sizes,
)
from repatlas.plots.marks import GUIDE, add_key, dashes_of, draw_line, looks_of
from repatlas.plots.palette import BLACK
from repatlas.plots.style import Style, activations, finish, page, say
from repatlas.plots.words import NO_PAIRS, listed, why_nothing, with_intervals
from repatlas.studies.structure.roles import images_role
from repatlas.studies.structure.rows.images import drawn_measures, effects

FIGURE = Figure(
    "Networks on images: alignment at each layer, before training and after.",
    {"images": images_role()},
    finding=Finding(
        "Along the layers of networks on images target alignment rises and input alignment falls,"
        " with tanh and ReLU.",
        {"52": SUPPORTED},
    ),
)
CAPTION = """**Figure S6: networks on images, layer by layer (our choice).** {{ "No networks and no
error bars: the config names no images." if not facts.images else "Do tanh and ReLU networks on
images differ along their layers? Alignment of each layer with targets and images (" ~
listed(facts.images.data_set) ~ "), for the networks of Figure 4C, trained (solid) and before
training (dashed), from the class means of held-out images. Layer 0 is the image itself. Strips:
medians of the differences between trained tanh and ReLU networks, paired by seed, with 95 %
intervals where there are networks enough. " ~ ("One network of each kind (n = 1), without standard
deviation" if facts.images.seeds == [1] else "Mean over n = " ~ listed(facts.images.seeds, "or") ~ "
networks of each kind, with standard deviation where there are networks enough") ~ ". The
nonlinearity stands before max-pooling in the small network, and after batch normalisation in
ResNet-18." }}"""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    """Return both alignments at every layer, and the differences between the activations there."""
    images = drawn_measures(rows["images"])
    shown = images[images["measure"].isin(MEASURES) | (images["variant"] == "diverged")]
    return pd.concat([shown, effects(shown)], ignore_index=True)


MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}
STATES = ("trained", "untrained")
STRIP = 0.45
"""Height of a strip of differences, in heights of its panel."""
RANGE = (-0.02, 1.02)
"""The limits of both alignments, and a little more, so that a line at an end is visible."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    single = table[table["contrast"].isna()]
    shown = not_diverged(single)
    # A seed's value is its mean over pairings of classes.
    by = ["dataset", "architecture", "activation", "step", "layer", "measure", "seed"]
    refuse_mixed_kinds(shown[shown["measure"].isin(MEASURES)], [*by, "pairing"])
    shown = shown.groupby(by)["value"].mean().reset_index()
    shown["state"] = shown["step"].map(lambda step: STATES[step == 0])
    columns = cells(table)
    figure = page(style, 0.8 * style.width)
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
    add_key(part, looks_of(activations(table), style) | dashes_of(STATES))
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
    ax.axhline(0, **GUIDE)
    draw_line(ax, rows, "layer", color=BLACK, linewidth=0.9)
    last = rows[rows["layer"] == rows["layer"].max()]
    draw_line(ax, last, "layer", bars=0.9, color=BLACK, marker="o", markersize=2.4)
    ax.locator_params(axis="y", nbins=3)
