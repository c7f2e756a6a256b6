"""Figure 5: alignment at each layer of deep networks."""

from typing import Any

import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, legend, networks, panels
from repatlas.inference.contrasts import median_rows, tanh_minus_relu
from repatlas.inference.intervals import FEWEST
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.curves import are_seen, draw_curves
from repatlas.plots.marks import add_key, dashes_of, dot_of, looks_of
from repatlas.plots.palette import DARK, GREY
from repatlas.plots.style import Style, activation_name, activations, finish, page, say, small_type
from repatlas.plots.words import why_nothing
from repatlas.record import refuse
from repatlas.studies.structure.rows.aligned import aligned_rows, with_participation_ratio

ALIGNED = {"experiment": ("clusters",), "task.kind": ("aligned",)}


def _has_layers_that_converge(where: str, sweeps: dict) -> None:
    found = networks(sweeps)
    if None in {each["training.stop_below"] for each in found}:
        refuse(f"{where}: the sweep should have training.stop_below")
    depths = {each["network.depth"] for each in found}
    if max(depths) < 2:
        refuse(f"{where}: found network.depth 1, allowed: 2 or more among its values")


FIGURE = Figure(
    "Deep networks: alignment at each hidden layer.",
    {
        "layers": Role(
            "Sweeps of networks of several layers, trained until they converge"
            " (`training.stop_below`). A row of panels for each rank of the inputs; all else about"
            " the task has one value.",
            {"alignment"},
            ALIGNED,
            several=True,
            shown=legend(ACTIVATION, "network.depth") | panels("task.rank"),
            fits=(_has_layers_that_converge,),
        ),
        "parity": Role(
            "Sweeps of deep networks on parities, which are only in the table.",
            {"alignment"},
            ALIGNED | {"task.kernel": ("hypercube",)},
            several=True,
            optional=True,
            shown=legend(ACTIVATION, "network.depth"),
            fits=(_has_layers_that_converge,),
        ),
    },
    step="The last training step, by which networks have converged or not.",
    first_step=1,
    finding=Finding(
        "In deep networks tanh networks end more aligned with the targets.",
        {"35": SUPPORTED},
    ),
)
CAPTION = """{{ "**Figure S5: parities (our choice).**" if facts.layers.kernel == ["hypercube"] else
"**Figure 5: deep networks.**" }} How does the geometry change along the layers? Alignment of each
hidden layer with targets and inputs, for {{ kind(facts.layers) }}, {{ listed(facts.layers.clusters)
}} clusters and {{ listed(facts.layers.targets) }} targets{{ ", which are parities of the inputs:
the inputs are the corners of a hypercube, the targets the parity of all its bits and those of all
bits but one" if facts.layers.kernel == ["hypercube"] }}{{ " orthogonal to the inputs" if
facts.layers.alignment == [0] and facts.layers.kernel == ["flat"] }}. {{ "The inputs span " ~
listed(facts.layers.rank | sort(reverse=true), "or") ~ " dimensions; fewer make the task harder" ~
(" (the paper's easy and hard task)" if facts.layers.rank | length == 2) ~ "." if
facts.layers.kernel == ["flat"] }} {{ "Networks train until the mean loss of two epochs is below " ~
listed(facts.layers.stop_below, "or") ~ ", for " ~ facts.step ~ " steps at most." if none not in
facts.layers.stop_below else "Networks without a loss to reach train to the end and do not count as
converged." }} Layer 0 is the inputs themselves (grey). Curves: {{ each(facts.layers.seeds) }}, with
dashes by the number of layers; networks that did not converge are left out, and the line under the
figure counts them. Above each panel: the median of the paired differences at the last layer, with
its 95 % interval where there are networks enough. {{ "Crosses at the right: the mean of networks
with one hidden layer." if 1 in facts.layers.depth }} {{ lost }}"""

PARITY = "centres, parities"


def per_network(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    """Return all networks. Networks that did not converge have no converged_step. No panel draws
    the variant of parities."""
    parts = [aligned_rows(rows["layers"])]
    if "parity" in rows:
        parity = with_participation_ratio(rows["parity"])
        drawn = (parity["measure"] == "target_alignment") & (parity["variant"] == "centres")
        parts.append(parity[drawn].assign(variant=PARITY))
    return pd.concat(parts, ignore_index=True)


MEASURES = {"target_alignment": "Target alignment", "input_alignment": "Input alignment"}
DIFFICULTIES = ("Easy", "Hard")
"""The paper's words for two tasks, by the dimensions of their inputs."""
INPUTS = {"linestyle": "", "marker": "o", "markersize": 3, "color": GREY}
SHALLOW = {"linestyle": "", "marker": "X", "markersize": 4.5, "markeredgewidth": 0.7}
BEYOND = 1.28
"""The place of networks with one hidden layer, in depths of the deepest."""
WIDTHS = [1.5, 1]
"""Target alignment, in which the activations differ, has the larger panels."""
RANGE = (-0.03, 1.03)
"""The limits of both alignments, and a little more, so that a line at an end is visible."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    of_step = table[table["step"] == style.step]
    nothing = why_nothing(of_step)
    shown = of_step[(of_step["variant"] == "centres") & of_step["measure"].isin(MEASURES)]
    shown = not_diverged(shown)
    # A sweep may go on after the step that is shown.
    within = shown["converged_step"] <= style.step
    shown = shown.assign(converged_step=shown["converged_step"].where(within))
    # The easier task, of larger dimensionality, comes first.
    of = ["kernel", shown["participation_ratio"].round(1), "alignment"]
    tasks = sorted(shown.groupby(of, dropna=False), key=lambda task: (-task[0][1], task[0][2]))
    depths = sorted(depth for depth in shown["depth"].unique() if depth > 1)
    ratios = {ratio for (_, ratio, _), _ in tasks}
    rows = max(len(tasks), 1)
    figure = page(style, (0.18 + 0.36 * rows) * style.width)
    part = figure.subfigures()  # below the words above a preview
    axes = part.subplots(rows, len(MEASURES), squeeze=False, sharey=True, width_ratios=WIDTHS)
    lost = []
    for row, ((_, ratio, alignment), task) in enumerate(tasks):
        for depth in depths:
            of_depth = task[task["depth"] == depth]
            lost += _unconverged(of_depth, f"{ratio:g} dimensions, {depth} layers")
        for ax, (measure, title) in zip(axes[row], MEASURES.items(), strict=True):
            if not depths:
                continue
            of_measure = task[task["measure"] == measure]
            deep, shallow = (of_measure[of_measure["depth"].gt(1) == is_deep]
                             for is_deep in (True, False))  # fmt: skip
            unconverged = f"No network converged within {style.step} steps"
            _draw_layers(ax, deep, shallow, depths, style, unconverged if len(deep) else nothing)
            _draw_inputs(ax, alignment if measure == "target_alignment" else 1.0)
            above = [_difference(deep, depth, len(depths) > 1) for depth in depths]
            if row == 0:
                ax.set_title(title, pad=1.2 * small_type() * len(above) + 4)
            ax.annotate("\n".join(above), (0.5, 1), xytext=(0, 2), ha="center",
                        xycoords="axes fraction", textcoords="offset points",
                        size=small_type())  # fmt: skip
            ax.set(xlabel="Layer" if row == rows - 1 else "", ylabel="", ylim=RANGE)
        is_named = len(ratios) == len(tasks) == len(DIFFICULTIES)
        inputs = f"{DIFFICULTIES[row]}:\ninputs" if is_named else "Inputs"
        aligned = f",\n$c={alignment:g}$" if shown["alignment"].nunique() > 1 else ""
        axes[row, 0].set_ylabel(f"{inputs} in {ratio:g} dimensions{aligned}")
    if not depths:
        for ax in axes.flat:
            say(ax, "No network with several hidden layers" if len(shown) else nothing)
    looks = looks_of(activations(table), style)
    if len(depths) > 1:
        looks |= dashes_of(f"{depth} layers" for depth in depths)
    looks["the inputs"] = INPUTS
    if (shown["depth"] == 1).any():
        looks["1-layer network"] = SHALLOW | {"color": DARK}
    add_key(part, looks, handlelength=1.6)

    finish(
        figure,
        table,
        style,
        f"{_shown_of(shown)} within {style.step} steps{_spread(shown)}. "
        f"{_converged(lost)}{_differences(shown)}{_no_shallow(shown)}",
    )
    return figure


def _shown_of(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() > 1:
        return "Mean over the networks of a kind that converged"
    return "The network of each kind, where it converged"


def _spread(shown: pd.DataFrame) -> str:
    if shown["seed"].nunique() < 2:
        return ""
    return (
        ", thin: each of them" if are_seen(shown) else f", and SD where it is over {FEWEST} or more"
    )


def _no_shallow(shown: pd.DataFrame) -> str:
    shallow = shown[shown["depth"] == 1]
    if len(shallow) and not shallow["converged_step"].notna().any():
        return " No network with one hidden layer converged."
    return ""


def _draw_layers(
    ax: Any,
    deep: pd.DataFrame,
    shallow: pd.DataFrame,
    depths: list[int],
    style: Style,
    nothing: str,
) -> None:
    refuse_mixed_kinds(shallow, ["activation"])
    deep = deep.dropna(subset="converged_step")
    draw_curves(ax, deep, "layer", style, nothing, "depth", depths, spread="networks")
    for line in ax.lines:
        line.set_markevery(None)  # there are few layers
    depth = max(depths)
    means = shallow.dropna(subset="converged_step").groupby("activation")["value"].mean()
    for activation, value in means.items():
        ax.plot(BEYOND * depth, value, **dot_of(activation, style) | SHALLOW)
    ticks = dict.fromkeys([0, 5, depth] if depth > 5 else range(depth + 1))
    ticks = {place: str(place) for place in ticks}
    if len(means):
        ticks[BEYOND * depth] = "1-layer\nnet"
    ax.set_xticks(list(ticks), list(ticks.values()))


def _draw_inputs(ax: Any, alignment: float) -> None:
    """Draw the alignment of the inputs themselves, before the first layer."""
    ax.plot(0, alignment, **INPUTS, clip_on=False)


def _last_layer(deep: pd.DataFrame, depth: int) -> pd.DataFrame:
    """Return the paired differences at the last layer, of the networks that converged."""
    last = deep[deep["layer"] == depth].dropna(subset="converged_step")
    return tanh_minus_relu(last, ["layer"])


def _difference(deep: pd.DataFrame, depth: int, is_named: bool) -> str:
    """Return the median difference at the last layer, with its interval if it has one, and with the
    depth if it is named."""
    found = median_rows(_last_layer(deep[deep["depth"] == depth], depth), ["layer"])
    name = f"{depth} layers, " * is_named
    if not len(found):
        return f"{name}no pair of networks"
    [row] = found.itertuples()
    interval = f" [{row.low:.2f}, {row.high:.2f}]" if pd.notna(row.low) else ""
    return f"{name}Tanh \N{MINUS SIGN} ReLU: {row.value:.2f}{interval}"


def _differences(shown: pd.DataFrame) -> str:
    """Return what the numbers above the panels are, for the note."""
    pairs = shown["seed"].nunique()
    if not {"tanh", "relu"} <= set(activations(shown)):
        return ""
    few = "" if pairs >= FEWEST else f", no interval: fewer than {FEWEST} networks"
    return f" Above the panels: median paired difference at the last layer{few}."


def _unconverged(rows: pd.DataFrame, where: str) -> list[str]:
    """Return how many of the networks converged, if not all did, for the note."""
    networks = rows.drop_duplicates(["run", "seed"])
    found = []
    for activation in activations(networks):
        mine = networks[networks["activation"] == activation]
        done = mine["converged_step"].notna().sum()
        if done < len(mine):
            name = activation_name(activation)
            found.append(f"{done} of {len(mine)} {name} networks ({where})")
    return found


def _converged(lost: list[str]) -> str:
    return f"Converged: {'; '.join(lost)}; all others." if lost else "All converged."
