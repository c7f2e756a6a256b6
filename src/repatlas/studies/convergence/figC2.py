"""Figure C2: from how many units a unit is predicted."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED, SUPPORTED
from repatlas.figures.figure import Figure, Finding, Pairs
from repatlas.figures.role import Role
from repatlas.plots.marks import GUIDE
from repatlas.plots.palette import BAND, BLACK, DARK, GREY, PALE, WHITE
from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    page,
    say,
    small_type,
)
from repatlas.similarity.prediction import OF_THE_MEAN
from repatlas.studies.convergence.parts import (
    FLOOR,
    first_shown,
    left_out,
    look_of_layer,
    name_of_layer,
    number_of_networks,
)
from repatlas.studies.convergence.roles import CNN, MLP
from repatlas.studies.convergence.rows.networks import accuracies
from repatlas.studies.convergence.rows.prediction import (
    curves,
    published_rows,
    slide_rows,
    summaries,
)
from repatlas.studies.convergence.rows.similarities import OVER_PAIRS, learned_pairs

PREDICTION = frozenset({"sparse_prediction"})

FIGURE = Figure(
    "How well, and from how many units, the units of a network are predicted from another's.",
    {
        "mlp": Role("The sweep of perceptrons.", {"accuracy"}, MLP),
        "cnn": Role("The sweep of convolutional networks.", {"accuracy"}, CNN, optional=True),
    },
    comparisons={
        "mlp_prediction": Pairs("Disjoint pairs of perceptrons.", PREDICTION),
        "cnn_prediction": Pairs(
            "Disjoint pairs of convolutional networks.", PREDICTION, optional=True
        ),
        "published": Pairs(
            "Disjoint pairs of perceptrons, by the published procedure.",
            frozenset({"published_prediction"}),
        ),
    },
    finding=Finding(
        "In ReLU perceptrons a few units predict a unit of another network; an L1 decay of 0.0001"
        " gains nothing.",
        {"C4": SUPPORTED, "C6": CONTRADICTED},
    ),
)
CAPTION = """**Figure C2: from how many units is a unit predicted?** Units of one network are
predicted from the units of another, in disjoint pairs of {{ listed(facts.mlp.seeds, "or") }}
networks{{ " (" ~ listed(facts.cnn.seeds, "or") ~ " convolutional ones)" if facts.cnn }}; both
directions are averaged. Weights are fitted on the training images and scored on the test images {{-
", of which those of digits are mostly by other writers, so that held-out losses contain that shift"
if facts.mlp.data_set == ["digits"] }}. A: the fraction of units by the class of their code. Local:
one unit is enough; slightly distributed: at most a quarter of the units are; unpredicted: least
squares explains nothing. B: half the mean square error of z-scored units against the L1 penalty;
open markers: the single most correlated unit; grey band: the items of the target permuted. C:
gradient descent as it was published, stopped after 4,500 steps: the held-out loss without decay
minus the loss with it. The talk prints validation losses for CaffeNet on photographs; their
difference is drawn, too. {{ lost }} Networks below {{ "0.8" if "fashion_mnist" in
facts.mlp.data_set else "0.99" }} training accuracy{{ " (convolutions on CIFAR-10: 0.5)" if
facts.cnn and "cifar10" in facts.cnn.data_set }} are left out, too."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    networks = pd.concat([rows[role] for role in ("mlp", "cnn") if role in rows])
    predicted = [
        learned_pairs(rows[key], networks)
        for key in ("mlp_prediction", "cnn_prediction")
        if key in rows
    ]
    return pd.concat(
        [
            accuracies(networks),
            *(curves(pairs) for pairs in predicted),
            *(summaries(pairs) for pairs in predicted),
            published_rows(learned_pairs(rows["published"], networks)),
            slide_rows(),
        ],
        ignore_index=True,
    )


KINDS = {"mlp": "MLP", "small_cnn": "CNN"}
NOTHING = "No pair of networks that learned"
CLASSES = {
    "local": {"facecolor": DARK},
    "slightly distributed": {"facecolor": GREY},
    "fully distributed": {"facecolor": PALE},
    "unpredicted": {"facecolor": WHITE, "edgecolor": GREY, "hatch": "//////", "linewidth": 0.0},
}
"""Looks of code classes, from dark to light. Grey print keeps these shades, and no activation has
them."""
LIMIT = 1 / 64
"""Claim C4 asks for a larger share of local units than this: one unit of a layer."""
PENALTIES = ([0, 1e-3, 1e-2, 0.1, 1], ["0", ".001", ".01", ".1", "1"])
DECAYS = ([0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1], ["0", "", "10$^{-4}$", "", "10$^{-2}$", ""])
SEEN = 0.005
"""The least share that can be seen in a bar."""
LARGEST_GAIN = 0.1
"""The limit of the axis of gains; with large decays all gains are far below it."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    means = table[table["contrast"] == OVER_PAIRS]
    columns = [
        (network, activation)
        for network in KINDS
        for activation in activations(means[means["network"] == network])
    ]
    figure = page(style, 0.96 * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=[0.46, 0.44])
    left, right = bottom.subfigures(1, 2)
    for part, name in zip((top, left, right), "ABC", strict=True):
        letter(part, name)
    shown = first_shown(means[means["network"] == "mlp"], activations(means))
    _draw_classes(top.subplots(), top, means, columns)
    _draw_losses(left.subplots(), _of(means, ("mlp", shown)), shown, style)
    of_decay = _kind_of_published(means)
    _draw_gains(right.subplots(), table, means, of_decay, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}, in disjoint pairs, both directions averaged. "
        f"B: MLP, {activation_name(shown)}, held-out images; 0.5 is no prediction; the best single"
        " unit is the most correlated one. "
        f"C: MLP, {activation_name(of_decay)}; thin: single layers.{left_out(table)}",
    )
    return figure


def _of(means: pd.DataFrame, kind: tuple[str, str]) -> pd.DataFrame:
    return means[(means["network"] == kind[0]) & (means["activation"] == kind[1])]


def _trained(own: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last step, or none if no pair has learned and only step 0 is left."""
    last = own["step"].max()
    return own[own["step"] == last] if last > 0 else own[:0]


def _hidden(own: pd.DataFrame) -> int:
    return int(own["layer"].max())


def _draw_classes(ax: Any, part: Any, means: pd.DataFrame, columns: list) -> None:
    """Draw a bar for each layer of each architecture, with the shares of the classes of codes."""
    from matplotlib.patches import Patch

    start, ticks, names, present = 0.0, [], [], set()
    for kind in columns:
        own = _trained(_of(means, kind))
        of_class = own[own["measure"] == "code_class"]
        layers = own.drop_duplicates("layer").sort_values("layer").set_index("layer")
        if of_class.empty:
            continue
        at = pd.Series(start + np.arange(len(layers), dtype=float), index=layers.index)
        bottom = pd.Series(0.0, index=layers.index)
        for name, look in CLASSES.items():
            share = of_class[of_class["variant"] == name].set_index("layer")["value"]
            share = share.reindex(bottom.index).fillna(0)
            if share.max() > SEEN:
                present.add(name)
            ax.bar(at, share, 0.84, bottom, **look)
            bottom = bottom + share
        ticks += at.tolist()
        names += [_short(name) for name in layers["layer_name"].fillna("")]
        title = f"{KINDS[kind[0]]}, {activation_name(kind[1])}"
        ax.text(at.mean(), 1.03, title, ha="center", va="bottom")
        start += len(layers) + 0.8
    if not ticks:
        say(ax, NOTHING)
        return
    ax.axhline(LIMIT, color=BLACK, linewidth=0.6, linestyle=":")
    ax.set_xticks(ticks, names)
    ax.set(ylim=(0, 1), xlim=(-0.7, start - 1.1), xlabel="Layer", ylabel="Fraction of units")
    ax.annotate("limit:\n1 of 64\nis local", (1, LIMIT), xycoords=ax.get_yaxis_transform(),
                xytext=(4, 0), textcoords="offset points", color=GREY, size=small_type(),
                va="bottom", annotation_clip=False)  # fmt: skip
    handles = [Patch(**look, label=name) for name, look in CLASSES.items() if name in present]
    part.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=1.2,
                title="Code of a unit")  # fmt: skip


def _curve(ax: Any, rows: pd.DataFrame, measure: str, variant: str, **look: Any) -> Any:
    of = rows[(rows["measure"] == measure) & (rows["variant"] == variant) & rows["at"].notna()]
    of = of.sort_values("at")
    return ax.plot(of["at"], of["value"], **look)[0]


def _draw_losses(ax: Any, of_kind: pd.DataFrame, activation: str, style: Style) -> None:
    """Draw loss against the penalty, a line for each layer, and the loss of the most correlated
    unit."""
    own = _trained(of_kind)
    if own.empty:
        say(ax, NOTHING)
        return
    floors = own[(own["measure"] == "held_out_loss") & (own["variant"] == "floor")]
    floor = floors.groupby("at")["value"].mean()
    ax.plot(floor.index, floor, color=BAND, linewidth=4, zorder=0)
    ax.axhline(OF_THE_MEAN, color=FLOOR, linewidth=0.6)
    for layer, of_layer in own.groupby("layer"):
        look = look_of_layer(layer, _hidden(own), style.colours[activation])
        _curve(
            ax, of_layer, "held_out_loss", "", label=name_of_layer(int(layer), _hidden(own)), **look
        )
        alone = of_layer.loc[of_layer["measure"] == "one_to_one_loss", "value"]
        ax.plot([0.7] * len(alone), alone, look["marker"], color=look["color"], markersize=3.5,
                fillstyle="none")  # fmt: skip
    ax.plot([], [], "o", color=DARK, markersize=3.5, fillstyle="none", label="best single unit")
    ax.text(0.02, OF_THE_MEAN + 0.04, "no prediction; grey band: items permuted",
            transform=ax.get_yaxis_transform(), color=GREY, size=small_type())  # fmt: skip
    ax.set_xscale("symlog", linthresh=1e-3, linscale=0.5)
    ax.set_xticks(*PENALTIES)
    ax.minorticks_off()
    ax.get_figure().legend(loc="outside lower center", ncols=3, handlelength=1.8, borderpad=0)
    ax.set(xlim=(0, 1), ylim=(0, 0.65), xlabel=r"Penalty $\lambda$", ylabel="Loss",
           title="Loss of the prediction")  # fmt: skip


def _short(name: str) -> str:
    """Return a short name: "2" for "hidden2", "c2" for "conv2"."""
    return name.replace("hidden", "").replace("conv", "c")


def _kind_of_published(means: pd.DataFrame) -> str:
    """Return the activation that panel C shows."""
    rows = means[means["measure"].str.startswith(("published", "convex"))]
    return first_shown(rows, activations(rows))


def _draw_gains(
    ax: Any, table: pd.DataFrame, means: pd.DataFrame, activation: str, style: Style
) -> None:
    """Draw what a decay gains: the held-out loss without it minus the loss with it.

    Our loss is from the published procedure; the other loss is from the talk's table. Thin lines
    are layers, and bold lines their mean.
    """
    ours = means[(means["measure"] == "published_held_out_loss") & (means["step"] > 0)]
    ours = ours[ours["activation"] == activation]
    if ours.empty:
        say(ax, NOTHING)
        return
    talk = table[table["measure"] == "slide_loss"]
    colour = style.colours[activation]
    looks = {
        "this\nproject": (ours, "layer", {"color": colour, "marker": "s"}),
        "the talk\n(CaffeNet)": (talk, "variant", {"color": BLACK, "marker": "D"}),
    }
    ends = {}
    for name, (rows, by, look) in looks.items():
        wide = rows.pivot_table(index="at", columns=by, values="value", observed=True)
        if wide.empty:
            continue
        gains = wide.iloc[0] - wide
        ax.plot(gains.index, gains, color=look["color"], linewidth=0.4, alpha=0.5)
        shown = gains.mean(axis=1)
        shown = shown[shown > -LARGEST_GAIN]
        [ends[name]] = ax.plot(shown.index, shown, markersize=3, markerfacecolor=WHITE, **look)
    ends["limit: no gain"] = ax.axhline(0, **GUIDE)
    ax.set_xscale("symlog", linthresh=1e-5, linscale=0.5)
    ax.set_xticks(*DECAYS)
    ax.minorticks_off()
    ax.set_yticks(np.linspace(-LARGEST_GAIN, LARGEST_GAIN, 5))
    ax.set(xlabel="Decay", xlim=(0, 0.1), ylim=(-LARGEST_GAIN, LARGEST_GAIN),
           ylabel="Loss without decay \N{MINUS SIGN} loss with it",
           title="What the L1 decay gains")  # fmt: skip
    ax.get_figure().legend(ends.values(), [name.replace("\n", " ") for name in ends], ncols=2,
                           loc="outside lower center", handlelength=1.8, borderpad=0)  # fmt: skip
