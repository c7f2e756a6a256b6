"""Figure 10: where in the plane of weights neurons start, and where they end (appendix E)."""

from typing import Any

import numpy as np
import pandas as pd

from repatlas.claims.outcomes import SUPPORTED
from repatlas.figures.figure import Figure, Finding
from repatlas.figures.role import ACTIVATION, Role, axis
from repatlas.inference.intervals import median_interval, proportion_interval
from repatlas.inference.pooling import not_diverged, refuse_mixed_kinds
from repatlas.plots.curves import draw_curves
from repatlas.plots.marks import add_key, draw_line, name_ends
from repatlas.plots.palette import BLACK, DARK, LIGHT, LILAC, PURPLE
from repatlas.plots.style import Style, finish, letter, page, say
from repatlas.plots.words import mean_and_networks, networks, why_nothing, with_intervals
from repatlas.studies.structure.roles import IN_PLANE, SEPARABLE
from repatlas.studies.structure.rows.trajectories import DRAWN_SEED, drawn_centres, plane

FIGURE = Figure(
    "What becomes of neurons under training noise.",
    {
        "weights": Role(
            "The sweep of ReLU networks without hidden biases, at delta 1, whose neurons are drawn:"
            " a panel for each variance of the noise, two at least.",
            {"alignment", "selectivity", "tuning"},
            SEPARABLE | IN_PLANE | {ACTIVATION: ("relu",), "task.delta": (1.0,)},
            shown=axis("task.noise_variance"),
        )
    },
    step="The training step at which the fate of a neuron is determined.",
    first_step=1,
    shows_start=True,
    finding=Finding(
        "With noise some intra-class selective ReLU neurons become inter-class selective;"
        " without noise they stay.",
        {"45": SUPPORTED, "45b": SUPPORTED},
    ),
)
CAPTION = """**Figure 10: what becomes of neurons under training noise.** Does noise free neurons
from intra-class selectivity? {{ activations(facts.weights) }} networks of width {{
listed(facts.weights.width) }}{{ " without hidden biases" if facts.weights.hidden_bias == ["none"]
}}, for delta = {{ listed(facts.weights.delta) }}{{ ", where the clusters are equidistant" if
facts.weights.delta == [1] }}. A: initial weights of the neurons with positive readout weight of one
network, by the region where they are after {{ facts.step }} steps. The signs of w.x1 and w.x2
define the regions (shaded). The dashed lines, at 45 degrees, are for comparison. The paper draws
such regions and gives no formula. Escape probability: count the neurons for which exactly one of
w.x1 and w.x2 is positive at the start. The escape probability is the fraction of them for which
both are positive at the end. Neurons for which neither is positive at the end are left out and
counted above each panel. Neurons that stay in their region are pale. B: this probability (escape),
and the probability of the reverse, from both to one of them (return): medians over {{
n(facts.weights.seeds) }} with 95 % intervals where there are networks enough. Target alignment: {{
each(facts.weights.seeds) }}. {{ lost }}"""

REGIONS = ("x1 only", "both", "x2 only", "dead")
"""The regions of a neuron with positive readout weight: which centres of its class activate it. In
the plane they follow each other counter-clockwise."""
SELECTIVE = ("x1 only", "x2 only")
FLOWS = {"escape": (SELECTIVE, ("both",)), "return": (("both",), SELECTIVE)}
"""Where neurons start, and where they end: a flow and its reverse."""
CONVENTIONS = ("signs", "45 degrees")
"""The paper draws three regions and does not say where they end. By the signs of w . x1 and w . x2
a neuron is in "both" where both are positive; by the angle, where inter > |intra|. Where neither is
positive, the neuron is dead by both conventions: silent at both centres."""
SCOPES = ("alive", "all")
"""The scopes of an escape probability: neurons that die are left out, or count as not moved."""
TASK_COLUMNS = ["run", "activation", "delta", "noise_variance", "clusters", "targets", "depth"]


def tabulate(rows: dict[str, pd.DataFrame], step: int) -> pd.DataFrame:
    tasks = [_task_rows(metrics, step) for _, metrics in rows["weights"].groupby("run")]
    return pd.concat(tasks, ignore_index=True)


def _task_rows(metrics: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the rows of all networks of one task, and the start of the neurons of one network."""
    kept = metrics[metrics["diverged_step"].isna()]
    shown = (kept["measure"] == "target_alignment") & (kept["variant"] == "centres")
    centres = drawn_centres(metrics)
    parts = [metrics[metrics["variant"] == "diverged"], kept[shown & (kept["step"] == step)]]
    parts += [centres, boundary_rows(plane(centres))]
    if len(kept):
        start, end = regions(kept, 0), regions(kept, step)
        parts.append(_fate_rows(kept, end))
        for convention in CONVENTIONS:
            fates = start[convention], end[convention]
            parts.append(transition_rows(*fates, convention))
            parts += [flow_rows(*fates, convention, flow) for flow in FLOWS]
    table = pd.concat(parts, ignore_index=True)
    return table.assign(**metrics.iloc[0][TASK_COLUMNS]).fillna({"step": step})


def regions(metrics: pd.DataFrame, step: int) -> pd.DataFrame:
    """Return the region of each neuron with positive readout weight at a step.

    It has one row for each seed and neuron, and one column for each convention.
    """
    at = metrics[metrics["step"] == step]
    weights = at[at["measure"] == "weight"].pivot_table(
        index=["seed", "neuron"], columns="variant", values="value"
    )
    # Only neurons with positive readout weight have rows of their weights.
    tuning = at[at["measure"] == "tuning"].pivot_table(
        index=["seed", "neuron"], columns="cluster", values="value"
    )
    x1, x2 = tuning.loc[weights.index, 0] > 0, tuning.loc[weights.index, 1] > 0
    intra, inter = weights["intra"], weights["inter"]
    dead = ~x1 & ~x2
    found = {
        "signs": np.select([dead, x1 & x2, x1], ["dead", "both", "x1 only"], "x2 only"),
        "45 degrees": np.select(
            [dead, inter > intra.abs(), intra > 0], ["dead", "both", "x1 only"], "x2 only"
        ),
    }
    return pd.DataFrame(found, index=weights.index)


def transition_rows(start: pd.Series, end: pd.Series, convention: str) -> pd.DataFrame:
    """Return how many neurons of all networks went from each region to each."""
    counts = pd.crosstab(start, end).reindex(index=REGIONS, columns=REGIONS, fill_value=0)
    return pd.DataFrame(
        {"measure": "neurons", "variant": f"{convention}: {a} to {b}", "value": counts.loc[a, b]}
        for a in REGIONS
        for b in REGIONS
    )


def flow_rows(start: pd.Series, end: pd.Series, convention: str, flow: str) -> pd.DataFrame:
    """Return P(ends in a region of the second kind | starts in one of the first) of FLOWS.

    There is the value of each network, and the median over networks with its interval. A pooled
    value takes all neurons as if they were independent.
    """
    rows = []
    before, after = FLOWS[flow]
    for scope in SCOPES:
        counted = start.isin(before) & ((end != "dead") | (scope == "all"))
        moved = end[counted].isin(after)
        fractions = moved.groupby("seed").mean()
        median = median_interval(fractions.to_numpy())
        pooled = proportion_interval(int(moved.sum()), len(moved))
        name = f"{convention}, {scope}"
        rows += [
            {"variant": f"{name}: network", "seed": seed, "value": fraction}
            for seed, fraction in fractions.items()
        ]
        rows.append({"variant": f"{name}: networks", **median._asdict()})
        rows.append({"variant": f"{name}: neurons", **pooled._asdict()})
    return pd.DataFrame(rows).assign(measure=flow)


def boundary_rows(centres: np.ndarray) -> pd.DataFrame:
    """Return the border from each region to the next, as a unit vector and its angle in degrees.

    centres: (P, 2), intra and inter.
    """
    x1, x2 = centres[:2]
    right, left = _ray(zero=x2, positive=x1), _ray(zero=x1, positive=x2)
    rays = {
        "signs: x1 only | both": right,
        "signs: both | x2 only": left,
        "signs: x2 only | dead": -right,
        "signs: dead | x1 only": -left,
        "45 degrees: x1 only | both": np.array([1.0, 1.0]) / np.sqrt(2),
        "45 degrees: both | x2 only": np.array([-1.0, 1.0]) / np.sqrt(2),
    }
    intra, inter = np.array(list(rays.values())).T
    return pd.DataFrame(
        {
            "measure": "boundary",
            "variant": list(rays),
            "intra": intra,
            "inter": inter,
            "value": np.degrees(np.arctan2(inter, intra)),
        }
    )


def _ray(zero: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Return the direction of the weights w with w . zero = 0 and w . positive > 0."""
    ray = np.array([-zero[1], zero[0]]) / np.linalg.norm(zero)
    return ray * np.sign(ray @ positive)


def _fate_rows(metrics: pd.DataFrame, end: pd.DataFrame) -> pd.DataFrame:
    """Return the start of each neuron of one network, and the region where it ends."""
    weights = metrics[
        (metrics["measure"] == "weight") & (metrics["step"] == 0) & (metrics["seed"] == DRAWN_SEED)
    ]
    places = weights.pivot_table(index=["seed", "neuron"], columns="variant", values="value")
    places = places.reindex(columns=["intra", "inter"])  # it has neither if it diverged
    drawn = places.join(end).reset_index()
    return pd.concat(
        pd.DataFrame(
            {
                "measure": "fate",
                "variant": f"{convention}: " + drawn[convention],
                "seed": drawn["seed"],
                "neuron": drawn["neuron"],
                "intra": drawn["intra"],
                "inter": drawn["inter"],
            }
        )
        for convention in CONVENTIONS
    )


FATES = {
    "x1 only": (PURPLE, ">", r"$w\cdot x_1>0$ alone"),
    "both": (BLACK, "^", r"$w\cdot x_1, w\cdot x_2>0$"),
    "x2 only": (LILAC, "<", r"$w\cdot x_2>0$ alone"),
    "dead": (LIGHT, "x", "neither"),
}
"""Colour, marker and name of each region. Orange and blue are activations."""
PALE = 0.3
"""The opacity of neurons that stay in their region."""
DIAGONAL = {"color": DARK, "linewidth": 0.6, "dashes": (4, 3)}
"""The look of the lines at 45 degrees."""
SILENT = ("relu", "clipped_relu")
"""Activations that are 0 and flat below 0."""
NEITHER = {True: "dead", False: "neither"}
"""A neuron whose inputs are negative at both centres, by whether the activation is silent there."""
COLUMNS = 3
CONVENTION = "signs"
"""The regions of the flows, as they are drawn; the table has those at 45 degrees as well."""
LOOKS = {"escape": (BLACK, "-", "o"), "return": (LIGHT, (0, (4, 1.5)), "s")}
"""Colour, line and marker of each: from one centre to both, and the reverse."""


def draw(table: pd.DataFrame, style: Style) -> Any:
    of_neurons = table["measure"].isin(["fate", "boundary", *LOOKS, "neurons"])
    refuse_mixed_kinds(table[of_neurons], ["noise_variance", "measure", "variant", "neuron"])
    variances = sorted(table["noise_variance"].unique())
    rows = -(-len(variances) // COLUMNS)
    heights = [0.06 + 0.33 * rows, 0.56]
    figure = page(style, sum(heights) * style.width)
    top, bottom = figure.subfigures(2, 1, height_ratios=heights)

    letter(top, "A")
    axes = top.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
    fates = table[table["measure"] == "fate"]
    reach = 1.08 * fates[["intra", "inter"]].abs().max(axis=None) if len(fates) else 1.0
    is_silent = set(table["activation"].dropna()) <= set(SILENT)
    for number, (ax, variance) in enumerate(zip(axes.flat, variances, strict=False)):
        of_variance = table[table["noise_variance"] == variance]
        _draw_neurons(ax, of_variance, reach)
        ax.set_title(rf"$\sigma^2={variance:g}$" + f"\n{_numbers(of_variance, NEITHER[is_silent])}")
        if number + COLUMNS >= len(variances):
            ax.set_xlabel("Intra-class weight")
            ax.tick_params(labelbottom=True)
    for ax in axes.flat[len(variances) :]:
        ax.set_axis_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("Inter-class weight")
    dot = {"linestyle": "none", "marker": "o", "color": DARK, "markersize": 3.5}
    looks = {name + " (dead)" * (name == "neither" and is_silent):
             dot | {"marker": marker, "color": colour}
             for colour, marker, name in FATES.values()}  # fmt: skip
    looks |= {"pale: stays there": dot | {"alpha": PALE}, "inter = |intra|": DIAGONAL}
    add_key(top, looks, columnspacing=1, handletextpad=0.2)

    letter(bottom, "B")
    flows, alignment = bottom.subplots(1, 2, width_ratios=[2.2, 1])
    _draw_flows(flows, table)
    aligned = table[table["measure"].isin(["target_alignment", "alignment"])]
    shown = not_diverged(aligned)
    draw_curves(alignment, shown, "noise_variance", style, why_nothing(aligned),
                spread="networks")  # fmt: skip
    alignment.set(title="Target alignment", ylabel="")
    for ax in (flows, alignment):
        ax.set_xscale("symlog", linthresh=0.25, linscale=0.5)
        ax.set_xticks(variances, [f"{variance:g}" for variance in variances])
        ax.minorticks_off()
        if len(variances) > 1:
            ax.set_xlim(-0.05, 1.3 * max(variances))
        ax.set_xlabel(r"Variance $\sigma^2$ of the training noise")

    intervals = with_intervals(_flows(table), table, "target_alignment")
    finish(
        figure,
        table,
        style,
        "A: initial weights of the neurons with positive readout of one network, the same in each "
        f"panel; colour and marker: their region after {style.step} steps; {NEITHER[is_silent]}: "
        "neurons of all networks in the grey region, at the start and at the end. B, escape: from "
        "one of the purple regions to the black one; return: the reverse; medians over "
        f"{networks(table, 'target_alignment')}, {intervals}; target alignment, "
        f"{mean_and_networks(table, 'target_alignment')}.",
    )
    return figure


def _draw_neurons(ax: Any, rows: pd.DataFrame, reach: float) -> None:
    """Draw the neurons of one network where they start, on the regions."""
    from matplotlib.patches import Wedge

    angles = rows[rows["measure"] == "boundary"].set_index("variant")["value"]
    order = list(FATES)
    for before, region, after in zip(np.roll(order, 1), order, np.roll(order, -1), strict=True):
        first, last = angles[f"signs: {before} | {region}"], angles[f"signs: {region} | {after}"]
        colour, marker, name = FATES[region]
        ax.add_patch(Wedge((0, 0), 2 * reach, first, last, color=colour, alpha=0.13, linewidth=0))
        places = rows[(rows["measure"] == "fate") & (rows["variant"] == f"signs: {region}")]
        turned = np.degrees(np.arctan2(places["inter"], places["intra"])).to_numpy(float)
        stayed = (turned - first) % 360 <= (last - first) % 360
        ax.scatter(places["intra"], places["inter"], s=8, marker=marker, color=colour,
                   linewidths=0.6 if marker == "x" else 0, label=name,
                   alpha=np.where(stayed, PALE, 1.0) if len(places) else None)  # fmt: skip
    has_fates = (rows["measure"] == "fate").any()
    sides = ("45 degrees: x1 only | both", "45 degrees: both | x2 only")
    for side in sides if has_fates else ():
        end = 2 * reach * np.exp(1j * np.radians(angles[side]))
        ax.plot([0, end.real], [0, end.imag], **DIAGONAL)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.locator_params(nbins=4)
    if not has_fates:
        say(ax, "The network that is shown diverged")


def _numbers(rows: pd.DataFrame, neither: str) -> str:
    """Return how many neurons neither centre activates at the start and at the end."""
    counts = rows[rows["measure"] == "neurons"].set_index("variant")["value"]
    if counts.empty:
        return "all networks diverged"
    start = counts[[f"signs: dead to {region}" for region in FATES]].sum()
    end = counts[[f"signs: {region} to dead" for region in FATES]].sum()
    total = counts.filter(like="signs: ").sum()
    return f"{neither}: {start:.0f}, then {end:.0f}, of {total:.0f}"


def _flows(table: pd.DataFrame) -> pd.DataFrame:
    """Return the probabilities over networks."""
    rows = table[table["variant"] == f"{CONVENTION}, alive: networks"]
    rows = rows[rows["measure"].isin(LOOKS)]
    return rows.dropna(subset="value").sort_values("noise_variance")


def _draw_flows(ax: Any, table: pd.DataFrame) -> None:
    ax.set(title="Neurons that change region", ylabel="Probability")
    flows = _flows(table)
    if not len(flows):
        say(ax, "All networks diverged, or no neuron could escape")
        return
    ends = {}
    for flow, (colour, line, marker) in LOOKS.items():
        rows = flows[flows["measure"] == flow]
        look = {"color": colour, "linestyle": line, "marker": marker, "markersize": 3}
        ends[flow] = draw_line(ax, rows, "noise_variance", bars=1.2, label=flow, **look)
    highest = flows[["value", "high"]].max(axis=None)
    ax.set_ylim(0, 1.1 * highest if highest > 0 else 1)
    name_ends(ax, ends)
