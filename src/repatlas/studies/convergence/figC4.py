"""Figure C4: learning dynamics."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.experiments.classification.columns import COLUMNS
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import Role
from repatlas.plots.dots import MARKED, SPREAD, draw_dots
from repatlas.plots.marks import GUIDE, add_key, dot_of, draw_matrix, guide, strip
from repatlas.plots.spread import with_interval
from repatlas.plots.style import (
    FRAMED,
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
)
from repatlas.plots.words import with_intervals
from repatlas.studies.convergence.parts import (
    FREE,
    deviations,
    draw_mean,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    name_of_layer,
    number_of_networks,
    percent,
    time_axis,
    with_deviations,
)
from repatlas.studies.convergence.roles import MLP
from repatlas.studies.convergence.rows.networks import accuracies, first_reached, learned, means

FIGURE = Figure(
    "Learning dynamics: how similar each layer is, on the way, to itself at the end.",
    {
        "networks": Role(
            "The sweep of networks, compared with themselves at the end of training.",
            {"accuracy", "to_the_end"},
            MLP,
            over_steps=True,
        ),
    },
    finding=Finding(
        "In ReLU networks layers converge from the bottom up by PWCCA, and not by SVCCA.",
        {"C9": SUPPORTED, "C9b": CONTRADICTED},
    ),
)
CAPTION = """**Figure C4: learning dynamics.** The similarity of each layer during training to the
layers at the end of it, within one network, over the {{ "test" if "fashion_mnist" in
facts.networks.data_set else "training" }} images; {{ kind(facts.networks) }}, {{
n(facts.networks.seeds) }} of each. Layer 0 is the input, the last two are the logits and the
softmax. A: all pairs of layers, the mean over networks, at four times. The number on the diagonal
is how many directions SVCCA keeps (99 % of the variance), which differs between layers and times.
B: each hidden layer and itself, mean over networks, and standard deviation where there are networks
enough. Time 0 is the untrained network; the dotted line is the noise floor, the same with the
images of one side in random order, the mean over hidden layers. A claim is about the time at which
PWCCA is first 0.95 (dotted). C: three readings of "bottom up". Tau is Kendall's rank correlation of
depth and curve, mean from 5 % to 50 % of training; \N{MINUS SIGN}1 is bottom up, 0 is no order.
Small dots are networks, large ones their median, with its 95 % interval where there are networks
enough for one. PWCCA and SVCCA are the similarity itself, as on the slides. Progress (ours) is
(s(t) \N{MINUS SIGN} s(0)) / (1 \N{MINUS SIGN} s(0)) of PWCCA. The table has SVCCA of 8 directions
and debiased kernel alignment (ours), the curves of all activations, and the fraction of training
after which a layer's PWCCA is first 0.95. Networks below {{ "80 %" if "fashion_mnist" in
facts.networks.data_set else "99 %" }} training accuracy at the end are left out and counted under
the figure. {{ lost }}"""

ENDING = "_to_end"
SHOWN = (0.0, 0.35, 0.75, 1.0)
"""The parts of training at which all pairs of layers are shown: at the checkpoints closest by."""
FIRST, LAST = 0.05, 0.5
"""The parts of training between which the order of layers is judged."""
LEVEL = 0.95
FLOOR = " floor"
KEPT = "kept_directions"


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = rows["networks"]
    found = to_end(learned(networks))
    is_floor = found["variant"].str.endswith(FLOOR)
    floors, curves = found[is_floor].assign(variant="floor"), found[~is_floor].assign(variant="")
    itself = curves[curves["layer"] == curves["other_layer"]]
    steps = _closest(curves)
    maps = curves[curves["measure"].isin(["pwcca", "svcca"]) & curves["step"].isin(steps)]
    others = maps[maps["layer"] != maps["other_layer"]]
    measured = itself[itself["measure"] != KEPT]
    moved = progress(measured[measured["measure"] == "pwcca"])
    by = ["measure", "variant", "items", "step", "at", "layer", "other_layer", "other_step"]
    return pd.concat(
        [
            means(pd.concat([others, itself, floors, moved]), by),
            order_rows(pd.concat([measured, moved])),
            time_rows(measured[measured["measure"] == "pwcca"]),
            accuracies(networks),
        ],
        ignore_index=True,
    )


def to_end(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the similarities of layers with layers at the end, and the directions that SVCCA
    keeps.

    `other_layer` is the number of the layer at the end, and `at` the fraction of training.
    """
    rows = rows[rows["measure"].str.endswith(ENDING) | (rows["measure"] == KEPT)]
    last = rows.groupby("run")["step"].transform("max")
    return rows.assign(
        measure=rows["measure"].str.removesuffix(ENDING),
        items=rows["variant"].str.removesuffix(FLOOR),
        other_layer=rows["neuron"],
        other_step=last,
        at=(rows["step"] / last).astype(float),
    ).drop(columns="neuron")


def progress(rows: pd.DataFrame) -> pd.DataFrame:
    """Return (s_t - s_0) / (1 - s_0) of each layer, as the variant "progress".

    A layer that could not progress is left out.
    """
    start = rows[rows["step"] == 0]
    start = start.set_index(["run", "seed", "layer"])["value"]
    own = pd.MultiIndex.from_frame(rows[["run", "seed", "layer"]])
    first = start.reindex(own).to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (rows["value"] - first) / (1 - first)
    return rows.assign(variant="progress", value=value)[first < 1 - 1e-9]


def order_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return "order_of_layers", Kendall's tau of a hidden layer's depth and its similarity at the
    end.

    The similarity is between the layer and itself at the end. tau is the mean over the steps from 5
    % to 50 % of training. It is below 0 if layers converge from the bottom up. The variant names
    the similarity.
    """
    from scipy.stats import kendalltau

    hidden = rows[_hidden(rows) & rows["at"].between(FIRST - 1e-9, LAST + 1e-9)]
    found = []
    for about, of_one in hidden.groupby(["run", "seed", "measure", "variant"], sort=False):
        taus = [kendalltau(g["layer"], g["value"]).statistic for _, g in of_one.groupby("step")]
        name = " ".join(part for part in about[2:] if part)
        found.append(_of(of_one, "order_of_layers", name) | {"value": float(np.mean(taus))})
    return pd.DataFrame(found)


def time_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return "time_to_0.95": the fraction of training after which a layer first has this
    similarity to itself at the end."""
    found = []
    for (_, _, layer, name), of_one in rows.groupby(["run", "seed", "layer", "measure"]):
        curve = of_one.sort_values("at")
        value = first_reached(curve["at"].to_numpy(float), curve["value"].to_numpy(float), LEVEL)
        found.append(_of(of_one, f"time_to_{LEVEL}", name) | {"layer": layer, "value": value})
    return pd.DataFrame(found)


def _of(rows: pd.DataFrame, measure: str, variant: str) -> dict:
    """Return the columns of a row that is about one network."""
    about = rows.iloc[0][["run", "seed", "items", *COLUMNS]].to_dict()
    return about | {"measure": measure, "variant": variant}


def _hidden(rows: pd.DataFrame) -> pd.Series:
    return rows["layer"].between(1, rows["depth"])


def _closest(rows: pd.DataFrame) -> list[int]:
    """Return the checkpoints at which all pairs of layers are shown."""
    places = rows.drop_duplicates("step")
    return [
        int(places.loc[(places["at"] - part).abs().idxmin(), "step"])
        for part in SHOWN
        if len(places)
    ]


NAMES = {"pwcca": "PWCCA", "svcca": "SVCCA, 99 %"}
LOWEST = 0.4
"""The start of the scale of colours, if no similarity is lower."""
TIMES = {0.0: "untrained", 1.0: "at the end"}
NOTHING = "No network learned"
NO_STEPS = "No checkpoint from 5 % to 50 % of training"
ORDER = "order_of_layers"
READINGS = {"pwcca": "PWCCA", "svcca": "SVCCA,\n99 %", "pwcca progress": "Progress\n(PWCCA)"}
"""The readings of "bottom up" that panel C has, by variant."""
CLOSE = 0.95
"""The similarity to the end whose time a claim is about."""
LIMIT = 0.0
"""The order of layers by which claims are judged."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    table = with_deviations(table, learned_ends(table))
    kinds = activations(table)
    depth = int(table["depth"].max())
    shown = table[table["contrast"] == "mean"]
    figure = page(style, 0.9 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 1.25])
    letter(top, "A")
    first = first_shown(shown, kinds)
    _draw_maps(top, shown[shown["activation"] == first], activation_name(first))
    left, right = bottom.subfigures(1, 2, width_ratios=[1, 1.05])
    letter(left, "B")
    letter(right, "C")
    _draw_curves(left, shown[shown["activation"] == first], depth, style.colours[first])
    orders = _orders(table)
    _draw_orders(right.subplots(), table, orders, kinds, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}. A: numbers: directions that SVCCA keeps of the layer then."
        f" B: {activation_name(first)}, mean over networks, {deviations(learned_ends(table))}."
        " C: Kendall's tau of depth and curve from 5 % to 50 % of training, of each network;"
        " medians,"
        f" {with_intervals(orders, table, ORDER)}.{left_out(table)}",
    )
    return figure


def _draw_maps(part: Any, rows: pd.DataFrame, name: str) -> None:
    maps = rows[rows["variant"] == ""]
    times = sorted(maps.loc[maps["layer"] != maps["other_layer"], "at"].unique())
    measures = ("pwcca", "svcca")
    axes = part.subplots(2, max(len(times), 1), squeeze=False, sharex=True, sharey=True)
    image = None
    shown = maps.loc[maps["measure"].isin(measures), "value"]
    lowest = min(LOWEST, np.floor(10 * shown.min()) / 10) if shown.notna().any() else LOWEST
    for number, measure in enumerate(measures):
        for ax, at in zip(axes[number], times, strict=False):
            here = maps[np.isclose(maps["at"], at)]
            values = here[here["measure"] == measure].pivot_table(
                index="layer", columns="other_layer", values="value"
            )
            values = values.rename(index=int, columns=int)
            kept = pd.DataFrame("", values.index, values.columns)
            for row in here[here["measure"] == "kept_directions"].itertuples():
                kept.loc[row.layer, row.layer] = f"{row.value:.0f}"
            image = draw_matrix(
                ax,
                values,
                vmin=lowest,
                vmax=1,
                cmap="viridis",
                xticklabels=2,
                yticklabels=2,
                annot=kept if measure == "svcca" else None,
            )
            ax.set_ylim(0, len(values))  # layer 0 is at the bottom
            if measure != "svcca":
                ax.set_title(TIMES.get(at, f"{percent(at)} of training"))
            if number == 1:
                ax.set_xlabel("layer at the end")
        axes[number, 0].set_ylabel(f"{measure.upper()}\nlayer then")
    if image is None:
        for ax in axes.flat:
            say(ax, NOTHING)
        return
    part.colorbar(image, ax=list(axes.flat), label=f"Similarity, {name}", shrink=0.7)


def _draw_curves(part: Any, rows: pd.DataFrame, depth: int, colour: str) -> None:
    itself = rows[(rows["layer"] == rows["other_layer"]) & rows["layer"].between(1, depth)]
    axes = part.subplots(len(NAMES), 1, sharex=True, sharey=True)
    for ax, (measure, name) in zip(axes, NAMES.items(), strict=True):
        own = itself[itself["measure"] == measure]
        curves, floor = (own[own["variant"] == variant] for variant in ("", "floor"))
        _draw_layers(ax, curves, depth, colour, (0, 1))
        ax.set(title=name, ylabel="Similarity\nto the end")
        if len(floor):
            guide(ax, floor["value"].mean(), "noise floor", 0.99, ha="right")
    time_axis(axes[-1])
    axes[0].set_ylim(-0.03, 1.03)
    if len(itself):
        # When PWCCA is first this high is another reading of the order of layers.
        axes[0].axhline(CLOSE, **GUIDE)
        axes[0].set_yticks([0, 0.5, CLOSE], ["0", "0.5", f"{CLOSE:g}"])
    axes[-1].set_xlabel("Fraction of training")
    if len(itself):
        part.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4,
                    handlelength=1.6, columnspacing=1)  # fmt: skip


def _draw_layers(
    ax: Any, rows: pd.DataFrame, depth: int, colour: str, limits: tuple[float, float] = FREE
) -> None:
    for layer in sorted(rows["layer"].unique()):
        look = look_of_layer(int(layer), depth, colour)
        of_layer = rows[rows["layer"] == layer]
        draw_mean(ax, of_layer, "at", limits, label=name_of_layer(int(layer), depth), **look)
    if rows.empty:
        say(ax, NOTHING)


def _orders(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median order of layers over networks, with its interval."""
    rows = table[(table["measure"] == ORDER) & table["variant"].isin(READINGS)]
    return with_interval(rows, ["activation", "variant"])


def _draw_orders(
    ax: Any, table: pd.DataFrame, orders: pd.DataFrame, kinds: list[str], style: Style
) -> None:
    """Draw the order of layers, which claims are about: a dot for each network, and the median."""
    if orders.empty:
        say(ax, NOTHING if learned_ends(table).empty else NO_STEPS)
        return
    looks = {kind: dot_of(kind, style) for kind in kinds}
    for number, kind in enumerate(kinds):
        aside = SPREAD * ((number + 0.5) / len(kinds) - 0.5)
        of_kind = (table["measure"] == ORDER) & (table["activation"] == kind)
        for place, reading in enumerate(READINGS):
            values = table.loc[of_kind & (table["variant"] == reading), "value"].dropna()
            strip(ax, values, place + aside + 0.14, color=style.colours[kind])
    draw_dots(ax, orders, ["variant"], READINGS, "activation", looks, NOTHING)
    guide(ax, LIMIT, "limit:\nno order", 1, across=False)
    ax.set(title="Order of layers", xlim=(-1.08, 1.08))
    ax.set_xticks([-1, 0, 1], ["\N{MINUS SIGN}1\nbottom up", "0", "1\ntop down"])
    ax.set_xlabel("tau of depth and curve")
    dots = {activation_name(kind): MARKED | look for kind, look in looks.items()}
    # Framed, since its dots could be taken for means.
    add_key(ax, dots, loc="lower right", ncols=1, handlelength=1, **FRAMED)
