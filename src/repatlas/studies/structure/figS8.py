"""Figure S8: effective weights of each layer of deep networks, and their gradient field."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import CONTRADICTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.fits import at_most
from repatlas.figures.role import ACTIVATION, Role, legend, networks
from repatlas.inference.pooling import not_diverged
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import add_key, dashes_of, looks_of
from repatlas.plots.palette import DARK
from repatlas.plots.style import Style, activation_name, activations, finish, letter, page, say
from repatlas.plots.trajectories import draw_trajectories
from repatlas.plots.words import mean_and_networks, why_nothing
from repatlas.record import refuse
from repatlas.studies.structure.roles import SMOOTH
from repatlas.studies.structure.rows.effective import drawn_rows, effective_rows
from repatlas.studies.structure.rows.panels import accuracy_rows


def _is_deep(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    if min(each["network.depth"] for each in found) < 2:
        refuse(f"{where}: found network.depth 1, allowed: 2 or more")


FIGURE = Figure(
    "Deep networks: effective weights of each layer in the plane of two axes, and their field.",
    {
        "deep": Role(
            "The sweep of deep networks whose effective weights are drawn. They have no hidden"
            " biases, a binary readout, and two depths at most. The field predicts the change from"
            " the first step to the second step.",
            {"effective_weights"},
            {
                "experiment": ("clusters",),
                "task.kind": ("unstructured",),
                "task.targets": (1,),
                "network.hidden_bias": ("none",),
                "network.readout": ("binary",),
            }
            | SMOOTH,
            shown=legend(ACTIVATION, "network.depth"),
            fits=(
                at_most({"network.depth": 2, ACTIVATION: 2}),
                _is_deep,
            ),
            over_steps=True,
        ),
    },
    finding=Finding(
        "In deep networks tanh units stay mixed in some layers, and the field fails in layers of"
        " ReLU networks.",
        {"d1": CONTRADICTED, "d3": CONTRADICTED},
    ),
)
CAPTION = """**Figure S8: effective weights of deep networks (our choice).** Do the layers of a deep
network follow the field of a network with one hidden layer? The authors propose, in their answers,
to linearise the layers below a unit around their activity. The effective weights of a unit are the
derivative of its preactivation by the inputs, its effective readout weight is the derivative of the
output by its activity. Both are means over the {{ listed(facts.deep.clusters) }} clusters, {{
centres(facts.deep) }}; units are those with a positive effective readout weight. Networks are {{
kind(facts.deep) }} and {{ listed(facts.deep.depth, "or") }} layers{{ unbiased(facts.deep) }}. A:
fraction of units of each layer whose effective weights have a larger inter-class than intra-class
part after {{ facts.deep.steps | max }} steps; grey line: units with random directions in the plane.
B: cosine between two changes of effective weights, median over units: the change that the field
predicts before training, and the change over the first {{ (facts.deep.steps | sort)[1] if
facts.deep.steps | length > 1 else 0 }} steps. At the grey line the directions are equal. C, D:
effective weights of the last layer over training, one network of each kind{{ ", with a panel for
each activation" if facts.deep.activation | length > 1 }}. Circles: before training. Arrows: the
field before training, for weights in this plane. Dashed: inter = ``|intra|``. A, B: {{
each(facts.deep.seeds) }}. {{ lost }}"""


def tabulate(rows: dict[str, pd.DataFrame], step: int | None) -> pd.DataFrame:
    deep = rows["deep"]
    parts = [effective_rows(deep), drawn_rows(deep), accuracy_rows(deep)]
    return pd.concat(parts, ignore_index=True)


RANGE = (-0.03, 1.03)
RANDOM = 0.25
"""The fraction of inter-selective units if all directions in the plane are equally likely."""
GUIDE = {"color": DARK, "linewidth": 0.6, "zorder": 0}


def draw(table: pd.DataFrame, style: Style) -> Any:
    shown, nothing = not_diverged(table), why_nothing(table)
    depths = sorted(table["depth"].dropna().unique().astype(int))
    names = activations(table)
    figure = page(style, 0.9 * style.width)
    above, below = figure.subfigures(2, 1, height_ratios=[1.3, 1])
    left, right = above.subfigures(1, 2, width_ratios=[1.55, 1])

    letter(left, "A")
    large = left.subplots()
    _draw_layers(large, shown, "inter_selective", depths, style, nothing)
    large.set(title="After training", ylabel="Fraction of inter-selective units", ylim=RANGE)
    large.axhline(RANDOM, **GUIDE)
    letter(right, "B")
    agreement = right.subplots()
    _draw_layers(agreement, shown, "field_agreement", depths, style, nothing)
    agreement.set(title="Start of training", ylabel="Cosine of expected and actual change")
    agreement.axhline(1, **GUIDE)

    parts = below.subfigures(1, max(len(depths), 1), squeeze=False)[0]
    for part, depth, name in zip(parts, depths, "CD", strict=False):
        letter(part, name)
        axes = part.subplots(1, max(len(names), 1), squeeze=False)[0]
        for ax, activation in zip(axes, names, strict=False):
            title = f"{activation_name(activation)}, layer {depth} of {depth}"
            rows = _last_layer(table, depth)
            draw_trajectories(
                ax, rows, activation, style, title, heights=_heights(rows, activation)
            )
            ax.set_xlabel("Intra-class weight")
        axes[0].set_ylabel("Inter-class weight")

    looks = looks_of(names, style) | dashes_of(f"{depth} layers" for depth in depths)
    add_key(above, looks | {"A: random directions": GUIDE})
    finish(
        figure,
        table,
        style,
        f"A, B: {mean_and_networks(table, 'inter_selective')}. C, D: units of one network whose "
        "effective readout is positive, on the expected gradient before training; "
        "inter-selective: inter > |intra| at the end, mean over all networks.",
    )
    return figure


def _draw_layers(
    ax: Any, shown: pd.DataFrame, measure: str, depths: list[int], style: Style, nothing: str
) -> None:
    """Draw a statistic of each layer, with dashes by the number of layers."""
    rows = shown[shown["measure"] == measure]
    if not len(rows):
        say(ax, nothing)
        return
    draw_curves(ax, rows, "layer", style, nothing, "depth", depths, spread="networks")
    for line in ax.lines:
        line.set_markevery(None)  # there are few layers
    deepest = max(depths)
    ax.set_xticks([1, 5, deepest] if deepest > 5 else range(1, deepest + 1))
    ax.set_xlabel("Layer")


def _heights(rows: pd.DataFrame, activation: str) -> tuple[float, float] | None:
    """Return limits that make a square panel, as wide as the field; None without a field."""
    field = rows[(rows["measure"] == "field") & (rows["activation"] == activation)]
    return (-field["inter"].max(), field["inter"].max()) if len(field) else None


def _last_layer(table: pd.DataFrame, depth: int) -> pd.DataFrame:
    """Return the rows of the last layer of the networks of this depth, with the field."""
    of_depth = table[table["depth"] == depth]
    return of_depth[(of_depth["layer"] == depth) | of_depth["layer"].isna()]
