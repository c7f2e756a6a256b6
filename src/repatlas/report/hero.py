"""The picture at the head of the README: for each study, and for the user's own data, a question,
an answer, and one panel of numbers at full scale."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from repatlas.own import measure
from repatlas.plots.palette import (
    BAND,
    BLACK,
    BLUE,
    CLASS_COLOURS,
    GREY,
    LILAC,
    ORANGE,
    PURPLE,
    SHADE,
)
from repatlas.plots.style import Style, note_under, small_type
from repatlas.studies.convergence.rows.similarities import TYPICAL

TABLES = {"structure": "fig02", "gating": "fig05", "convergence": "figC7"}
"""The figure of each study whose table has the numbers of its panel."""
SHOWN_DELTA = 0.5
"""The separability whose hidden patterns are drawn."""
CONTEXTS = 3
"""The number of contexts of the task whose race is drawn."""
COLOURS = {"tanh": ORANGE, "relu": BLUE}
LEFT = 0.03
"""Where the words of a part start, in fractions of its width."""
BELOW_QUESTION = 20
"""Points from the top of the picture to the answers."""
HEADS = {
    "structure": (
        "What shapes a representation?",
        "Tanh takes on the geometry of the targets.\n"
        "ReLU keeps more of the geometry of the inputs.",
        "Alleman, Lindsey & Fusi 2024",
    ),
    "gating": (
        "How does a ReLU network learn?",
        "Pathways race. Pathways that more contexts\nshare win, so that units are mixed selective.",
        "Jarvis, Klein, Rosman & Saxe 2025",
    ),
    "convergence": (
        "Do two networks learn the same?",
        "More so if they generalise\nthan if they memorise random labels.",
        "Li 2016, Raghu 2017, Zhang 2017, Morcos 2018",
    ),
    "own": (
        "And yours?",
        "Arrays in. Estimate, interval, chance and p out.\n"
        "Here: both are decoded, only one generalises.",
        "simulated trials, the example below",
    ),
}


def draw(tables: Mapping[str, pd.DataFrame], style: Style) -> Figure:
    """Return the picture. `tables` has a table for each study of TABLES."""
    figure = Figure(figsize=(2 * style.width, 0.74 * style.width))
    parts = dict(zip(HEADS, figure.subfigures(1, len(HEADS)), strict=True))
    for study, part in parts.items():
        question, answer, source = HEADS[study]
        part.suptitle(question, x=LEFT, ha="left", weight="bold", size="x-large")
        sketch, panel = part.subplots(2, 1, height_ratios=[2, 5])
        sketch.set_title(" \n ", size="large")  # the space of the answer, which starts further left
        below = ScaledTranslation(0, -BELOW_QUESTION / 72, figure.dpi_scale_trans)
        part.text(LEFT, 1, answer, size="large", va="top", transform=part.transSubfigure + below)
        panel.locator_params(nbins=4)
        sketch.set(xlim=(0, 10), ylim=(-2.4, 2.4), aspect="equal")
        sketch.axis("off")
        DRAW[study](sketch, panel, tables.get(study))
        part.supxlabel(source, x=LEFT, ha="left", color=GREY, size=small_type())
    note_under(figure, style._replace(width=2 * style.width), _note(tables))
    return figure


def _draw_structure(sketch: Any, panel: Any, table: pd.DataFrame) -> None:
    patterns = table[(table["measure"] == "pattern") & (table["variant"] == "place")]
    patterns = patterns[patterns["delta"] == SHOWN_DELTA]
    is_last = patterns["step"] == patterns["step"].max()
    is_tanh = patterns["activation"] == "tanh"
    shown = {
        "before": (patterns[~is_last & is_tanh], GREY),
        "tanh": (patterns[is_last & is_tanh], COLOURS["tanh"]),
        "ReLU": (patterns[is_last & ~is_tanh], COLOURS["relu"]),
    }
    for place, (name, (rows, colour)) in zip((1.5, 5.0, 8.5), shown.items(), strict=True):
        points = rows.sort_values("cluster")[["x", "y"]].to_numpy() + np.array([place, 0.0])
        for number, point in enumerate(points):
            for other in points[:number]:
                sketch.plot(*np.transpose([point, other]), color=BAND, linewidth=0.8, zorder=1)
        for number, point in enumerate(points):
            is_first = number < len(points) // 2
            sketch.plot(*point, "os"[not is_first], color=CLASS_COLOURS[not is_first], markersize=5)
        sketch.text(place, -2.3, name, color=colour, ha="center", va="top")
    rows = table[(table["measure"] == "target_alignment") & table["contrast"].isna()]
    for activation, colour in COLOURS.items():
        lines = rows[rows["activation"] == activation].groupby("delta")["value"]
        panel.plot(lines.mean(), color=colour, linewidth=2)
        name, below = ("tanh", -4) if activation == "tanh" else ("ReLU", -16)
        _name(panel, name, (1, lines.mean().iloc[-1]), colour, (0, below), "right", "top")
    panel.set(xlabel="separability of the classes δ", ylabel="target alignment", xlim=(0, 1),
              ylim=(0, 1.05))  # fmt: skip


def _draw_gating(sketch: Any, panel: Any, table: pd.DataFrame) -> None:
    for row, (size, colour) in enumerate(((2, PURPLE), (1, LILAC))):
        for context in range(CONTEXTS):
            place = (0.5 + 1.3 * context, 0.6 - 1.8 * row)
            is_on = context < size
            sketch.add_patch(Rectangle(place, 1.1, 1.1, facecolor=colour if is_on else SHADE))
        name = "open in two contexts" if size == 2 else "open in one context"
        sketch.text(4.8, 1.15 - 1.8 * row, name, color=colour, va="center")
    strengths = table[
        (table["measure"] == "singular_value")
        & (table["network"] == "gated")
        & (table["contexts"] == CONTEXTS)
        & (table["neuron"] == 0)
        & (table["variant"] != "common")
    ]
    for size, colour, name in ((2, PURPLE, "wins"), (1, LILAC, "loses")):
        rows = strengths[strengths["variant"].str.len() == size]
        for _, line in rows.groupby(["seed", "variant"]):
            panel.plot(line["step"], line["value"], color=colour, linewidth=0.6, alpha=0.5)
        mean = rows.groupby("step")["value"].mean()
        panel.plot(mean, color=colour, linewidth=2)
        _name(panel, name, (mean.index[-1], mean.iloc[-1]), colour, (0, 3), "right", "bottom")
    panel.set(xlabel="epoch", ylabel="strength of a pathway")


def _draw_convergence(sketch: Any, panel: Any, table: pd.DataFrame) -> None:
    names = ("two that generalise", "two that memorise", "one of each")
    colours = (*CLASS_COLOURS, BLACK)
    for number, (name, colour) in enumerate(zip(names, colours, strict=True)):
        sketch.text(0.5, 1.7 - 1.5 * number, name, color=colour, va="center", weight="bold")
    rows = table[
        (table["measure"] == "pwcca")
        & (table["variant"] == "both")
        & (table["items"] == "train")
        & (table["contrast"] == TYPICAL)
        & (table["step"] > 0)
    ]
    is_same = rows["run"] == rows["other_run"]
    kinds = (is_same & (rows["labels"] == "original"), is_same & (rows["labels"] != "original"))
    for chosen, colour, marker in zip((*kinds, ~is_same), colours, "os^", strict=True):
        line = rows[chosen].sort_values("layer")
        panel.plot(line["layer"], 1 - line["value"], color=colour, marker=marker, markersize=4,
                   linewidth=2)  # fmt: skip
    layers = rows.drop_duplicates("layer").sort_values("layer")
    labels = layers["layer_name"].str.removeprefix("hidden")
    panel.set_xticks(layers["layer"], labels)
    panel.set(xlabel="layer", ylabel="similarity (PWCCA)", ylim=(0, 1.05))


def _draw_own(sketch: Any, panel: Any, _: Any) -> None:
    code = 'from repatlas.own import measure\n\nmeasure(rates, labels, rows="trials")'
    box = {"facecolor": SHADE, "edgecolor": "none", "boxstyle": "square,pad=0.6"}
    sketch.set_aspect("auto")
    sketch.text(
        -1.5, 0.3, code, family="DejaVu Sans Mono", size=small_type(), va="center", bbox=box,
        linespacing=1.5,
    )  # fmt: skip
    rates, labels = example()
    found = measure(rates, labels, rows="trials", measures=["decoding", "ccgp"], draws=99)
    for number, row in enumerate(found.itertuples()):
        colour = PURPLE if row.about == "side" else LILAC
        panel.plot(row.value, number, "o", color=colour, markersize=6)
        text, point = f"{row.about}: p = {row.p:.2g}", (row.value, number)
        if row.value > 0.8:
            _name(panel, text, point, colour, (-6, 0), "right", "center")
        else:
            _name(panel, text, point, colour, (6, 0), "left", "center")
    panel.axvline(0.5, color=GREY, linewidth=0.8, linestyle=":")
    _name(panel, "chance", (0.5, -0.5), GREY, (3, 0), "left", "top")
    panel.set(xlabel="accuracy", xlim=(0.4, 1.02), ylim=(len(found) - 0.5, -0.5))
    panel.set_yticks(np.arange(len(found)), ["decoding", "", "CCGP", ""])


def _name(panel: Any, text: str, point: Any, colour: str, away: Any, ha: str, va: str) -> None:
    """Write a text near a point of the data, `away` points from it."""
    panel.annotate(text, point, away, textcoords="offset points", color=colour, ha=ha, va=va)


def example() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return 240 simulated trials of 40 neurons and their labels, as the README makes them."""
    rng = np.random.default_rng(0)
    side, place = np.tile([0, 1], 120), np.repeat([0, 1, 2, 3], 60)
    rates = rng.standard_normal((8, 40))[2 * place + side]
    rates += np.outer(side, rng.standard_normal(40))
    rates += rng.standard_normal((240, 40))
    return rates, {"side": side, "place": place}


def _note(tables: Mapping[str, pd.DataFrame]) -> str:
    parts = [f"{table['seed'].nunique()} in {study}" for study, table in tables.items()]
    return (
        f"Networks of each kind, at full scale: {', '.join(parts)}. Curves are means over networks,"
        " and similarities those of two typical networks."
    )


DRAW = {
    "structure": _draw_structure,
    "gating": _draw_gating,
    "convergence": _draw_convergence,
    "own": _draw_own,
}
