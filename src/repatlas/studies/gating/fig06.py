"""Figure 6: two hidden layers."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Alike, Figure, Finding
from repatlas.figures.role import legend
from repatlas.inference.intervals import FEWEST
from repatlas.plots.marks import bars, draw_line
from repatlas.plots.palette import LIGHT, SKY
from repatlas.plots.spread import deviation, with_interval
from repatlas.plots.style import Style, counted, finish, letter, page, say, small_type
from repatlas.studies.gating.look import (
    GATED,
    RELU,
    RELU_DOT,
    draw_losses,
    draw_matrix,
    losses,
    mark_contexts,
    matrix,
    medians,
    number_of_seeds,
)
from repatlas.studies.gating.roles import HOMOGENEOUS, role
from repatlas.studies.gating.rows.curves import agreement_rows, curves_of, reference_rows, thinned
from repatlas.studies.gating.rows.outputs import drawn_outputs, output_agreement_rows

FIGURE = Figure(
    "Two hidden layers: losses, their spread over networks, and where selectivity arises.",
    {
        "relu": role(
            "The sweep of ReLU networks with two hidden layers.",
            {"loss", "outputs", "linearity", "units"},
            "relu",
            only=HOMOGENEOUS | {"network.depth": (2,)},
        ),
        "gated": role(
            "The sweep of gated networks with two hidden layers.",
            {"loss", "outputs"},
            "gated_deep",
            only=HOMOGENEOUS,
        ),
        "shallow": role(
            "The sweep of ReLU networks with one hidden layer, for comparison.",
            {"linearity", "units"},
            "relu",
            only=HOMOGENEOUS | {"network.depth": (1,)},
            shown=legend("task.contexts"),
        ),
    },
    alike=(Alike("gated", "relu", ("task",)),),
    finding=Finding(
        "Of two hidden layers the first is more linear; more units serve all contexts than with"
        " one hidden layer.",
        {"14": SUPPORTED, "15": SUPPORTED},
    ),
)
CAPTION = """**Figure 6: two hidden layers.** A: losses of {{ n(facts.relu.seeds) }} of each kind.
The authors tuned by hand the initial weights of the gated network, and the epochs at which it
begins to train its common pathway ({{ listed(facts.gated.common_from) }}) and the others ({{
listed(facts.gated.contexts_from) }}). B: the standard deviation of the loss over networks, if they
are enough for one. C: outputs of one network of each kind. D (our choice): the fraction of each
layer's activity that is a linear function of the input. D also has the mass of units by the number
of contexts in which they are active, with one hidden layer and in the second of two. Both are
medians over networks, with 95 % intervals where there are networks enough for one. {{ lost }}"""

EVERY = 20
"""Epochs between the points of curves."""
STEEPEST = 0.1
"""The share of epochs in which the loss falls most."""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    relu, gated, shallow = rows["relu"], rows["gated"], rows["shallow"]
    shallow = shallow[shallow["contexts"] == relu["contexts"].iloc[0]]
    return pd.concat(
        [
            *(thinned(each, EVERY) for each in (relu, gated)),
            agreement_rows(gated, relu, "relu", ("contexts",)),
            reference_rows(relu),
            *(stage_rows(each) for each in (relu, gated)),
            *(drawn_outputs(each) for each in (relu, gated)),
            output_agreement_rows(gated, relu, "relu"),
            *(_at_end(each) for each in (relu, shallow)),
        ],
        ignore_index=True,
    )


def _at_end(rows: pd.DataFrame) -> pd.DataFrame:
    shown = rows["measure"].isin(["linearity", "active_share", "layer_alignment"])
    return rows[shown & (rows["step"] == rows.loc[shown, "step"].max())]


def stage_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each network: the fraction of the total fall of its loss that falls in the
    steepest tenth of epochs."""
    found = []
    for about, seeds, _, curves in curves_of(rows):
        for seed, curve in zip(seeds, curves, strict=True):
            common = about.to_dict() | {"seed": seed}
            falls = np.sort(-np.diff(curve))[::-1]
            steepest = falls[: round(STEEPEST * len(falls))].sum()
            fall = curve[0] - curve[-1]
            share = float(steepest / fall) if fall > 0 else np.nan
            found.append(common | {"measure": "steepest_share", "variant": "", "value": share})
    return pd.DataFrame(found)


KINDS = {"relu": ("ReLU", RELU), "gated_deep": ("ReLN", GATED)}
OF_LAYER = ["depth", "layer"]


def draw(table: pd.DataFrame, style: Style) -> Any:
    figure = page(style, 1.32 * style.width)
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=[1.1, 0.92, 0.66])
    deep = table[(table["depth"] == 2) | (table["network"] == "gated_deep")]
    spreads = _spreads(deep)
    widths = [2.2, 1] if spreads else [1]
    left, *right = np.atleast_1d(top.subfigures(1, len(widths), width_ratios=widths))
    letter(left, "A")
    ax = left.subplots()
    draw_losses(ax, deep)
    ax.set(ylabel="Loss", title="Losses of all networks")
    if ax.lines:
        _add_legend(ax)
    for part in right:
        letter(part, "B")
        _draw_spread(part.subplots(), spreads)

    letter(middle, "C")
    _draw_outputs(middle, table)

    parts = bottom.subfigures(1, 2, width_ratios=[0.8, 1.2])
    letter(parts[0], "D")
    _draw_linearity(parts[0].subplots(), table)
    _draw_active(parts[1].subplots(), table)
    finish(
        figure,
        table,
        style,
        f"A: {number_of_seeds(losses(deep))} of each kind; the ReLN trains its common pathway from "
        "an epoch on that was set by hand, and the others from a later one on. "
        f"B: {_spread_note(deep)} C: one network of each kind. D: at the last epoch, "
        f"{medians(table[table['measure'] == 'linearity'], OF_LAYER)}.",
    )
    return figure


def _add_legend(ax: Any) -> None:
    """Add a legend with each name once, with the marker that the first network of a kind has."""
    lines, names = ax.get_legend_handles_labels()
    handles = dict(zip(names[::-1], lines[::-1], strict=True))
    ax.legend([*handles.values()][::-1], [*handles][::-1], loc="upper right", handlelength=1.8,
              borderpad=0)  # fmt: skip


def _spreads(table: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the standard deviation of the loss at each epoch, for kinds with enough networks."""
    found = {}
    for network in KINDS:
        spread = losses(table[table["network"] == network]).groupby("step")["value"].agg(deviation)
        if spread.notna().any():
            found[network] = spread
    return found


def _spread_note(table: pd.DataFrame) -> str:
    if _spreads(table):
        return "standard deviation over networks."
    number = losses(table)["seed"].nunique()
    return f"the spread over networks, left out: {counted(number)}, {FEWEST} needed."


def _draw_spread(ax: Any, spreads: dict[str, pd.Series]) -> None:
    ax.set(xlabel="Epoch", ylabel="SD of the loss", title="Spread over networks")
    for network, spread in spreads.items():
        name, colour = KINDS[network]
        # Markers would hide the narrow peaks. Dashes distinguish the colours in grey.
        dashes = "-" if network == "relu" else (0, (3, 1))
        ax.plot(spread.index, spread, color=colour, label=name, linestyle=dashes, linewidth=0.9)
    if spreads:
        ax.legend(loc="upper right", handlelength=1.8, borderpad=0)
    ax.locator_params(axis="x", nbins=5)


def _draw_outputs(part: Any, table: pd.DataFrame) -> None:
    rows = table[(table["measure"] == "output") & (table["variant"] == "all")]
    epochs = sorted(rows["step"].dropna().unique())
    contexts = int(rows["contexts"].max()) if len(rows) else 0
    axes = part.subplots(2, max(len(epochs), 1), squeeze=False)
    image = None
    for number, (network, (name, _)) in enumerate(KINDS.items()):
        for column, epoch in enumerate(epochs):
            ax = axes[number, column]
            at = rows[(rows["step"] == epoch) & (rows["network"] == network)]
            if at.empty:
                say(ax, "Not in this run")
                continue
            image = draw_matrix(ax, matrix(at), f"Epoch {epoch:.0f}" if number == 0 else "")
            mark_contexts(ax, contexts, names=number == 1)
        axes[number, 0].set_ylabel(f"{name}, outputs")
        if not epochs:
            say(axes[number, 0], "Not in this run")
    if image is not None:
        part.colorbar(image, ax=axes, shrink=0.5, label="Output", pad=0.01)


def _draw_linearity(ax: Any, table: pd.DataFrame) -> None:
    found = with_interval(table[table["measure"] == "linearity"], OF_LAYER)
    if found.empty:
        say(ax, "Not in this run")
    names = {(1, 1): "one layer", (2, 1): "first of two", (2, 2): "second of two"}
    for place, (key, _) in enumerate(names.items()):
        row = found[(found["depth"] == key[0]) & (found["layer"] == key[1])]
        if len(row):
            value = row["value"].iloc[0]
            draw_line(ax, row.assign(place=place), "place", bars=1, clip_on=False,
                  **RELU_DOT | {"markersize": 4})  # fmt: skip
            ax.annotate(f"{value:.3f}", (place, value), xytext=(5, 0), textcoords="offset points",
                        va="center", size=small_type())  # fmt: skip
        elif len(found):
            ax.text(place, 0.5, "not in this run", transform=ax.get_xaxis_transform(), rotation=90,
                    ha="center", va="center", color=LIGHT)  # fmt: skip
    ax.set_xticks(range(3), [name.replace(" ", "\n", 1) for name in names.values()])
    ax.set(title="Linear in the input", ylabel="$R^2$ of the activity", xlim=(-0.5, 2.7))
    ax.set_ylim(top=1)


def _draw_active(ax: Any, table: pd.DataFrame) -> None:
    """Draw mass by the number of contexts in which a unit is active, for the layer below the
    outputs."""
    rows = table[table["measure"] == "active_share"]
    rows = rows[rows["layer"] == rows["depth"]]
    found = with_interval(rows, ["depth", "neuron"])
    if found.empty:
        say(ax, "Not in this run")
    for place, (depth, name) in enumerate(((1, "one hidden layer"), (2, "second of two"))):
        of_depth = found[found["depth"] == depth]
        of_depth = of_depth.assign(at=of_depth["neuron"].astype(float) + (place - 0.5) * 0.38)
        bars(ax, of_depth, "at", (SKY, RELU)[place], 0.38, label=name)
    ax.set(xlabel="Contexts a unit is active in", ylabel="Share of mass", title="Sharing")
    if len(found):
        ax.set_xticks(range(int(found["neuron"].max()) + 1))
        ax.legend(handlelength=1, borderpad=0)
