"""Figure C2: from how many units a unit is predicted."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repatlas.plots.style import (
    Style,
    activation_name,
    activations,
    finish,
    letter,
    say,
    small_type,
)
from repatlas.similarity.prediction import OF_THE_MEAN
from repatlas.studies.convergence.drawing import (
    BEFORE,
    FLOOR,
    deviations,
    first_shown,
    learned_ends,
    left_out,
    look_of_layer,
    name_of_layer,
    number_of_networks,
    with_deviations,
)
from repatlas.studies.convergence.rows.similarities import OVER_PAIRS

KINDS = {"mlp": "MLP", "small_cnn": "CNN"}
NOTHING = "No pair of networks that learned"
CLASSES = {
    "local": {"facecolor": "0.15"},
    "slightly distributed": {"facecolor": "0.5"},
    "fully distributed": {"facecolor": "0.82"},
    "unpredicted": {"facecolor": "white", "edgecolor": "0.5", "hatch": "//////", "linewidth": 0.0},
}
"""Looks of code classes, from dark to light: shades that grey print keeps, and that are of no
activation."""
PENALTIES = ([0, 1e-3, 1e-2, 0.1, 1], ["0", ".001", ".01", ".1", "1"])
DECAYS = ([0, 1e-5, 1e-4, 1e-3, 1e-2, 0.1], ["0", "", "10$^{-4}$", "", "10$^{-2}$", ""])


def draw(table: pd.DataFrame, style: Style) -> Figure:
    table = with_deviations(table, learned_ends(table))
    means = table[table["contrast"] == OVER_PAIRS]
    columns = [
        (network, activation)
        for network in KINDS
        for activation in activations(means[means["network"] == network])
    ]
    heights = [0.27, 0.26, 0.42, 0.3]
    figure = Figure(figsize=(style.width, (sum(heights) + 0.05) * style.width))
    parts = figure.subfigures(4, 1, height_ratios=heights)
    for part, name in zip(parts, "ABCD", strict=True):
        letter(part, name)
    _draw_losses(parts[0], means, columns, style)
    _draw_nonzeros(parts[1], means, columns, style)
    _draw_layers(parts[2], means, columns, style)
    _draw_published(parts[3], table, means, style)
    finish(
        figure,
        table,
        style,
        f"{number_of_networks(table)}, in disjoint pairs, both directions averaged. Half a mean "
        "square of z-scored units: 0.5 is no prediction (grey line). A, B: hidden layers from light"
        " to dark; held out solid, training dotted, open one to one, held out; light grey: items"
        f" permuted. C: mean, {deviations(learned_ends(table))}; grey: before training; triangles:"
        " beyond the scale. D: "
        f"{activation_name(_kind_of_published(means))}.{left_out(table)}",
    )
    return figure


def _of(means: pd.DataFrame, kind: tuple[str, str]) -> pd.DataFrame:
    return means[(means["network"] == kind[0]) & (means["activation"] == kind[1])]


def _trained(own: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last step; none where no pair has learned, of which only step 0 is left."""
    last = own["step"].max()
    return own[own["step"] == last] if last > 0 else own[:0]


def _hidden(own: pd.DataFrame) -> int:
    return int(own["layer"].max())


def _axes(part: Any, columns: list, rows: int = 1) -> np.ndarray:
    axes = part.subplots(rows, max(len(columns), 1), sharey="row", squeeze=False)
    if not columns:
        for ax in axes.flat:
            say(ax, NOTHING)
    return axes


def _penalty_axis(ax: Any) -> None:
    ax.set_xscale("symlog", linthresh=1e-3, linscale=0.5)
    ax.set_xticks(*PENALTIES)
    ax.minorticks_off()
    ax.set_xlim(0, 1)
    ax.set_xlabel(r"Penalty $\lambda$")


def _draw_losses(part: Any, means: pd.DataFrame, columns: list, style: Style) -> None:
    axes = _axes(part, columns)[0]
    axes[0].set_ylabel("Loss")
    for ax, kind in zip(axes, columns, strict=False):
        own = _trained(_of(means, kind))
        ax.set_title(f"{KINDS[kind[0]]}, {activation_name(kind[1])}")
        if own.empty:
            say(ax, NOTHING)
            continue
        ax.axhline(OF_THE_MEAN, color=FLOOR, linewidth=0.6)
        for layer, of_layer in own.groupby("layer"):
            look = look_of_layer(layer, _hidden(own), style.colours[kind[1]])
            _curve(ax, of_layer, "held_out_loss", "floor", color="0.8", linewidth=0.8)
            _curve(ax, of_layer, "training_loss", "", **look | {"linestyle": (0, (1, 1))})
            _curve(ax, of_layer, "held_out_loss", "", **look)
            alone = of_layer.loc[of_layer["measure"] == "one_to_one_loss", "value"]
            ax.plot([0.7] * len(alone), alone, look["marker"], color=look["color"], markersize=3.5,
                    fillstyle="none")  # fmt: skip
        _penalty_axis(ax)
        ax.set(ylim=(0, 0.65), xticklabels=[], xlabel="")  # as below


def _curve(ax: Any, rows: pd.DataFrame, measure: str, variant: str, **look: Any) -> None:
    of = rows[(rows["measure"] == measure) & (rows["variant"] == variant) & rows["at"].notna()]
    of = of.sort_values("at")
    ax.plot(of["at"], of["value"], **look)


def _draw_nonzeros(part: Any, means: pd.DataFrame, columns: list, style: Style) -> None:
    axes = _axes(part, columns)[0]
    axes[0].set_ylabel("Weights")
    for ax, kind in zip(axes, columns, strict=False):
        own = _trained(_of(means, kind))
        if own.empty:
            say(ax, NOTHING)
            continue
        for layer, of_layer in own.groupby("layer"):
            look = look_of_layer(layer, _hidden(own), style.colours[kind[1]])
            _curve(ax, of_layer, "nonzeros", "", **look)
        ax.set_yscale("symlog", linthresh=1)
        ax.set_yticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        ax.minorticks_off()
        _penalty_axis(ax)
    shown = [own for kind in columns if len(own := _trained(_of(means, kind)))]
    most = means.loc[means["measure"] == "nonzeros", "value"].max()
    axes[0].set_ylim(0, 1.3 * most if most > 0 else 1)
    drawn = max(map(_hidden, shown), default=0)
    handles = [
        Line2D([], [], **look_of_layer(layer, drawn, "0.4"), label=name_of_layer(layer, drawn))
        for layer in range(1, drawn + 1)
    ]
    if handles:
        part.legend(handles=handles, loc="outside lower center", ncols=6)


def _draw_layers(part: Any, means: pd.DataFrame, columns: list, style: Style) -> None:
    axes = _axes(part, columns, 2)
    axes[0, 0].set_ylabel("Loss, share")
    axes[1, 0].set_ylabel("Share of units")
    for (above, below), kind in zip(axes.T, columns, strict=False):
        own = _of(means, kind)
        above.set_title(f"{KINDS[kind[0]]}, {activation_name(kind[1])}")
        if _trained(own).empty:
            say(above, NOTHING)
            say(below, NOTHING)
            continue
        names = own.drop_duplicates("layer").sort_values("layer")
        ticks = [_short(name) for name in names["layer_name"].fillna("")]
        above.axhline(OF_THE_MEAN, color=FLOOR, linewidth=0.6)
        trained = {"color": style.colours[kind[1]]}
        for step, look in ((0, BEFORE), (own["step"].max(), trained)):
            for measure, (line, _) in LINES.items():
                is_line = (own["measure"] == measure) & (own["step"] == step)
                of = own[is_line].sort_values("layer")
                _draw_spread(above, of, linestyle=line, **look)
        above.set_ylim(0, 1)
        last = own[(own["step"] == own["step"].max()) & (own["measure"] == "code_class")]
        bottom = pd.Series(0.0, index=names["layer"])
        for name, look in CLASSES.items():
            share = last[last["variant"] == name].set_index("layer")["value"]
            share = share.reindex(bottom.index).fillna(0)
            below.bar(bottom.index.astype(float), share, 0.8, bottom, **look)
            bottom = bottom + share
        for ax in (above, below):
            ax.set_xticks(names["layer"].astype(float), ticks)
        below.set(ylim=(0, 1), xlabel="Layer")
    handles = [
        Line2D([], [], color="black", linestyle=line, label=name) for line, name in LINES.values()
    ]
    handles += [Patch(**look, label=name) for name, look in CLASSES.items()]
    part.legend(handles=handles, loc="outside lower center", ncols=4, handlelength=1.8)


def _draw_spread(ax: Any, rows: pd.DataFrame, **look: Any) -> None:
    """Means and deviations from 0 to 1; a triangle at the top says that one of them goes beyond."""
    at, value, spread = (rows[name].to_numpy(float) for name in ("layer", "value", "sd"))
    spread = np.nan_to_num(spread)
    inside = np.where(value <= 1, value, np.nan)
    ends = [np.minimum(spread, inside), np.minimum(spread, 1 - inside)]
    ax.errorbar(at, inside, ends, elinewidth=0.6, **look)
    beyond = at[value + spread > 1]
    if len(beyond):
        [marks] = ax.plot(beyond, np.ones(len(beyond)), "^", color=look["color"], markersize=3)
        marks.set(clip_on=False, in_layout=False)


LINES = {
    "dense_loss": ("-", "all units, $L_0$"),
    "one_to_one_loss": ((0, (4, 1.5)), "one unit, $L_1$"),
    "predictors_share": ((0, (1, 1)), "units needed, $k/h$"),
}


def _short(name: str) -> str:
    """ "hidden2" is 2, "conv2" c2."""
    return name.replace("hidden", "").replace("conv", "c")


def _kind_of_published(means: pd.DataFrame) -> str:
    """The activation that D shows."""
    rows = means[means["measure"].str.startswith(("published", "convex"))]
    return first_shown(rows, activations(rows))


def _draw_published(part: Any, table: pd.DataFrame, means: pd.DataFrame, style: Style) -> None:
    left, middle, right = part.subplots(1, 3, width_ratios=[1, 1, 1.25])
    rows = means[means["measure"].str.startswith(("published", "convex"))]
    shown = rows[rows["activation"] == _kind_of_published(means)]
    for ax, name in ((left, "published"), (middle, "convex")):
        for layer, of_layer in shown.groupby("layer"):
            look = look_of_layer(
                layer, _hidden(shown), style.colours[of_layer["activation"].iloc[0]]
            )
            _curve(ax, of_layer, f"{name}_training_loss", "", **look | {"linestyle": (0, (1, 1))})
            _curve(ax, of_layer, f"{name}_held_out_loss", "", **look)
        if shown.empty:
            say(ax, NOTHING)
        ax.axhline(OF_THE_MEAN, color=FLOOR, linewidth=0.6)
        ax.set_xscale("symlog", linthresh=1e-5, linscale=0.5)
        ax.set_xticks(*DECAYS)
        ax.minorticks_off()
        ax.set(xlabel="Decay", xlim=(0, 0.1), ylim=(0, 0.65))
    left.set(title="Published procedure", ylabel="Loss")
    middle.set(title="Its optimum", yticklabels=[])
    _print_slides(right, table[table["measure"] == "slide_loss"])


def _print_slides(ax: Any, rows: pd.DataFrame) -> None:
    """The losses that the talk prints."""
    ax.set_axis_off()
    ax.set_title("The talk's table (CaffeNet)")
    wide = rows.pivot_table(index="at", columns="variant", values="value")
    cells = [[f"{value:.3f}"[1:] for value in row] for row in wide.to_numpy()]
    decays = ["0", *(f"$10^{{{round(np.log10(at))}}}$" for at in wide.index[1:])]
    drawn = ax.table(
        cells, rowLabels=decays, colLabels=[name.replace("conv", "c") for name in wide.columns],
        loc="center", cellLoc="center", edges="open", bbox=[0.15, 0, 0.85, 1],
    )  # fmt: skip
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(small_type())
